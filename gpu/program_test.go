//go:build linux && cgo

package gpu

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestDispatchSizes(t *testing.T) {
	d := openDevice(t, Options{})
	add := newPipeline(t, d, addDesc(t, 7))
	for _, n := range []int{1, 15, 16, 17, 63, 64, 65, 255, 256, 257, 4095, 4096, 4097, 1<<20 - 1, 1 << 20, 1<<20 + 1} {
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			src := newBuffer(t, d, int64(4*n), UploadMemory)
			dst := newBuffer(t, d, int64(4*n), DownloadMemory)
			write(t, src, func(i int) uint32 { return uint32(i) * 2654435761 })
			p := newProgram(t, d)
			addTo(p, add, dst, src, 5)
			require.NoError(t, p.End())
			run(t, d, p)
			for i, got := range read(t, dst) {
				if want := uint32(i)*2654435761 + 12; got != want {
					t.Fatalf("element %d is %d, want %d", i, got, want)
				}
			}
		})
	}
}
