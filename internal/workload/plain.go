package workload

import (
	"math"

	"vkops/tensor"
)

// Plain gives the operator as a Go programmer would write it at first: one loop, on
// one core, with the sums and functions of the standard library. ok is false where
// there is none: for 16-bit types, and for NLL.
func (w Workload) Plain(dst, src tensor.Dense) (run func(), ok bool) {
	switch src.DType {
	case tensor.F32:
		return plainFloat[float32](w.Op, dst, src)
	case tensor.F64:
		return plainFloat[float64](w.Op, dst, src)
	case tensor.I32:
		return plainSum[int32](w.Op, dst, src)
	case tensor.I64:
		return plainSum[int64](w.Op, dst, src)
	case tensor.U32:
		return plainSum[uint32](w.Op, dst, src)
	case tensor.U64:
		return plainSum[uint64](w.Op, dst, src)
	}
	return nil, false
}

type float interface{ float32 | float64 }

type number interface {
	float | int32 | int64 | uint32 | uint64
}

func plainFloat[T interface {
	float
	tensor.Element
}](op tensor.Op, dst, src tensor.Dense) (func(), bool) {
	y, x := tensor.ValuesOf[T](dst.Data), tensor.ValuesOf[T](src.Data)
	switch op := op.(type) {
	case tensor.Log1p:
		return func() { log1p(y, x) }, true
	case tensor.LogCumSumExp:
		v, err := op.View(src.Shape)
		return func() { logCumSumExp(y, x, int(v.N), int(v.Inner)) }, err == nil
	}
	return plainSum[T](op, dst, src)
}

func plainSum[T interface {
	number
	tensor.Element
}](op tensor.Op, dst, src tensor.Dense) (func(), bool) {
	sum, ok := op.(tensor.CumSum)
	if !ok || sum.Exclusive || sum.Reverse {
		return nil, false
	}
	v, err := sum.View(src.Shape)
	y, x := tensor.ValuesOf[T](dst.Data), tensor.ValuesOf[T](src.Data)
	return func() { cumSum(y, x, int(v.N), int(v.Inner)) }, err == nil
}

// cumSum sums lines of n elements that are inner apart.
func cumSum[T number](dst, src []T, n, inner int) {
	for len(src) > 0 {
		if inner == 1 {
			sum := T(0)
			for i, x := range src[:n] {
				sum += x
				dst[i] = sum
			}
		} else {
			copy(dst[:inner], src)
			for i := inner; i < n*inner; i++ {
				dst[i] = dst[i-inner] + src[i]
			}
		}
		dst, src = dst[n*inner:], src[n*inner:]
	}
}

func logCumSumExp[T float](dst, src []T, n, inner int) {
	for ; len(src) > 0; dst, src = dst[n*inner:], src[n*inner:] {
		if inner > 1 {
			copy(dst[:inner], src)
			for i := inner; i < n*inner; i++ {
				dst[i] = T(logAddExp(float64(dst[i-inner]), float64(src[i])))
			}
			continue
		}
		y := math.Inf(-1)
		for i, x := range src[:n] {
			y = logAddExp(y, float64(x))
			dst[i] = T(y)
		}
	}
}

func logAddExp(a, b float64) float64 {
	hi, lo := max(a, b), min(a, b)
	return hi + math.Log1p(math.Exp(lo-hi))
}

func log1p[T float](dst, src []T) {
	for i, x := range src {
		dst[i] = T(math.Log1p(float64(x)))
	}
}
