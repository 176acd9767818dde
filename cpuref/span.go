package cpuref

import (
	"github.com/x448/float16"

	"vkops/tensor"
)

// span is where neighbours of a line lie in memory, in the order of the scan: n
// elements from start on, step apart.
type span struct{ start, step, n int }

// run is the first run of a span.
func (s span) run() span {
	s.n = min(radix, s.n)
	return s
}

// rest is what follows that run.
func (s span) rest() span {
	return span{s.start + radix*s.step, s.step, s.n - radix}
}

// loadSpan widens elements of src to T, where they are not T.
func loadSpan[E any, T real](dst []T, src []E, at span) {
	switch src := any(src).(type) {
	case []T:
		i := at.start
		for k := range dst {
			dst[k] = src[i]
			i += at.step
		}
	case []float16.Float16:
		widenHalves(any(dst).([]float32), src, at)
	case []tensor.BFloat16:
		widenHalves(any(dst).([]float32), src, at)
	}
}

// storeSpan rounds to the elements of dst.
func storeSpan[E any, T real](dst []E, at span, src []T) {
	switch dst := any(dst).(type) {
	case []T:
		i := at.start
		for _, x := range src {
			dst[i] = x
			i += at.step
		}
	case []float16.Float16:
		roundHalves(dst, at, any(src).([]float32))
	case []tensor.BFloat16:
		roundHalves(dst, at, any(src).([]float32))
	}
}
