package cpuref

import (
	"math"

	"github.com/x448/float16"

	"vkops/tensor"
)

// Log1p writes ln(1+x) of each element of src to dst, of the same length, which
// may be src itself. Below -1 the result is NaN, at -1 it is -Inf. Twin:
// shaders/include/log1p.glsl.
func Log1p[T tensor.Float](dst, src []T) {
	const grain = 1 << 14
	n := int64(len(src))
	switch src := any(src).(type) {
	case []float32:
		dst := any(dst).([]float32)
		parallel(n, grain, workers(), func(lo, hi int64) { log1pReals(dst[lo:hi], src[lo:hi]) })
	case []float64:
		dst := any(dst).([]float64)
		parallel(n, grain, workers(), func(lo, hi int64) { log1pReals(dst[lo:hi], src[lo:hi]) })
	case []float16.Float16:
		dst := any(dst).([]float16.Float16)
		parallel(n, grain, workers(), func(lo, hi int64) { log1pHalves(dst[lo:hi], src[lo:hi]) })
	case []tensor.BFloat16:
		dst := any(dst).([]tensor.BFloat16)
		parallel(n, grain, workers(), func(lo, hi int64) { log1pHalves(dst[lo:hi], src[lo:hi]) })
	}
}

func log1pReals[T real](dst, src []T) {
	dst = dst[:len(src)]
	for i, x := range src {
		y := x
		if !log1pIsItself(x) {
			if isFinite(x) && x > -1 {
				y = log1pPair(x).hi
			} else {
				y = log1pSpecial(x)
			}
		}
		dst[i] = y
	}
}

// log1pHalves rounds each result once, from a pair.
func log1pHalves[H half](dst, src []H) {
	var wide [radix]float32
	for lo := 0; lo < len(src); lo += radix {
		hi := min(lo+radix, len(src))
		values := widenHalves(&wide, src[lo:hi])
		for i, x := range values {
			switch {
			case log1pIsItself(x):
			case isFinite(x) && x > -1:
				values[i] = valueToOdd(log1pPair(x))
			default:
				values[i] = log1pSpecial(x)
			}
		}
		roundHalves(dst[lo:hi], values)
	}
}

// log1pIsItself is whether x is so small that it is the nearest float to
// ln(1+x). Such an x is passed on as it is: a zero keeps its sign, and no device
// flushes a subnormal.
func log1pIsItself[T real](x T) bool {
	limit := choose[T](0x1p-24, 0x1p-53)
	return x < limit && x > -limit
}

// log1pSpecial is the result for infinities, NaN and x <= -1.
func log1pSpecial[T real](x T) T {
	switch {
	case x == -1:
		return T(math.Inf(-1))
	case x > 0:
		return x
	default:
		return canonicalNaN[T]()
	}
}

// log1pPair is ln(1+x) of a finite x > -1 as an unevaluated sum whose hi is the
// rounded value.
func log1pPair[T real](x T) pair[T] {
	u := 1 + x
	k, f := splitMantissa(u)
	// 1+x is 2^k (1 + f + tail). The power is bounded for huge x, where the tail
	// is nothing.
	tail := T(sumError(1, x, u) * powerOfTwo[T](-min(k, 60)))
	if k == 0 {
		f, tail = x, 0
	}
	power := T(k)
	high := T(power * choose[T](ln2High32, ln2High64))
	rest := logRest(f, tail) + T(power*choose[T](ln2Low32, ln2Low64))
	sum := high + f
	low := (f - (sum - high)) + rest
	y := sum + low
	return pair[T]{y, low - (y - sum)}
}
