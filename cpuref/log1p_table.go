package cpuref

import (
	"sync"

	"github.com/x448/float16"

	"vkops/tensor"
)

// log1pTable holds the logarithms of all numbers of 16 bits, by their bits. It is made
// when a call has as many elements, which costs that call no more than its own did.
type log1pTable[H half] struct {
	once sync.Once
	logs []H
}

var (
	log1pOfFloat16  log1pTable[float16.Float16]
	log1pOfBFloat16 log1pTable[tensor.BFloat16]
)

// of is how to compute a call of n elements.
func (t *log1pTable[H]) of(n int64) func(dst, src []H) {
	const count = 1 << 16
	if n < count {
		return log1pHalves[H]
	}
	t.once.Do(func() {
		t.logs = make([]H, count)
		for i := range t.logs {
			t.logs[i] = H(i)
		}
		log1pHalves(t.logs, t.logs)
	})
	logs := (*[count]H)(t.logs)
	return func(dst, src []H) {
		dst = dst[:len(src)]
		for i, x := range src {
			dst[i] = logs[x]
		}
	}
}
