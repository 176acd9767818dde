package host

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestCopyBytes(t *testing.T) {
	src := counting[uint32](2 * maxCopiers * leastCopy / 4)
	bytes := dense(src, nil).Data
	for _, n := range []int{0, 1, leastCopy, 2*leastCopy - 1, 2 * leastCopy, 3*leastCopy + 7, len(bytes) - 1, len(bytes)} {
		dst := make([]byte, n+1)
		copyBytes(dst[:n], bytes[:n])
		require.Equal(t, bytes[:n], dst[:n])
		require.Zero(t, dst[n])
	}
}

// BenchmarkCopy is what a core and what several do.
func BenchmarkCopy(b *testing.B) {
	for _, n := range []int{1 << 20, 2 << 20, 16 << 20} {
		src, dst := make([]byte, n), make([]byte, n)
		for i := range src {
			src[i] = byte(i)
		}
		for how, run := range map[string]func(){"one": func() { copy(dst, src) }, "shared": func() { copyBytes(dst, src) }} {
			b.Run(fmt.Sprintf("%d/%s", n, how), func(b *testing.B) {
				b.SetBytes(int64(n))
				for b.Loop() {
					run()
				}
			})
		}
	}
}
