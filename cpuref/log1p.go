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
		halves := log1pOfFloat16.of(n)
		parallel(n, grain, workers(), func(lo, hi int64) { halves(dst[lo:hi], src[lo:hi]) })
	case []tensor.BFloat16:
		dst := any(dst).([]tensor.BFloat16)
		halves := log1pOfBFloat16.of(n)
		parallel(n, grain, workers(), func(lo, hi int64) { halves(dst[lo:hi], src[lo:hi]) })
	}
}

func log1pReals[T real](dst, src []T) {
	var r log1pRun[T]
	for len(src) > 0 {
		x := copyRun(&r.x, src[:min(radix, len(src))])
		special := r.reduce()
		logRests(&r.f, &r.tail)
		out := dst[:len(x)]
		for i := range out {
			out[i], _ = r.log(i)
		}
		if special {
			for i, x := range x {
				if !log1pIsGeneral(x) {
					out[i] = log1pSpecial(x)
				}
			}
		}
		dst, src = dst[len(x):], src[len(x):]
	}
}

// log1pHalves rounds each result once, from a pair.
func log1pHalves[H half](dst, src []H) {
	var r log1pRun[float32]
	var y [radix]float32
	for len(src) > 0 {
		n := min(radix, len(src))
		widenRun(&r.x, src[:n])
		r.reduce()
		logRests(&r.f, &r.tail)
		for i, x := range r.x[:n] {
			if log1pIsGeneral(x) {
				sum, low := r.log(i)
				y[i] = valueToOdd(pair[float32]{sum, low})
			} else {
				y[i] = log1pSpecial(x)
			}
		}
		roundRun(dst[:n], y[:n])
		dst, src = dst[n:], src[n:]
	}
}

// log1pIsGeneral is whether x is neither an infinity, NaN, at most -1, nor so small
// that it is itself the nearest float to ln(1+x).
func log1pIsGeneral[T real](x T) bool {
	limit := choose[T](0x1p-24, 0x1p-53)
	return x > -1 && (x >= limit || x <= -limit) && isFinite(x)
}

// log1pSpecial is the result for the other x. A small one is passed on as it is: a
// zero keeps its sign, and no device flushes a subnormal.
func log1pSpecial[T real](x T) T {
	switch {
	case x == -1:
		return T(math.Inf(-1))
	case x > -1:
		return x
	default:
		return canonicalNaN[T]()
	}
}

// log1pRun computes ln(1+x) of a run of finite x > -1. It takes a run at a time
// because the operations of one element wait for each other.
type log1pRun[T real] struct {
	x [radix]T
	// 1+x is 2^power (1 + f + tail), with f = x where the power is 0.
	f, tail [radix]T
	power   [radix]uint16 // biased
}

// log is the logarithm of element i, after logRests, as an unevaluated sum whose
// first part is the rounded value.
func (r *log1pRun[T]) log(i int) (y, low T) {
	high, rest := log1pPowerOf[T](r.power[i])
	f := r.f[i]
	sum := high + f
	low = (f - (sum - high)) + (r.tail[i] + rest)
	y = sum + low
	return y, low - (y - sum)
}

// reduce is whether an element may need log1pSpecial. The others that it is for are
// so small that log gives themselves, too.
func (r *log1pRun[T]) reduce() (special bool) {
	for i := range r.x { // no copy of the array
		x := r.x[i]
		u := 1 + x
		tail := sumError(1, x, u)
		if narrow[T]() {
			bits, bitsOfX := math.Float32bits(float32(u)), math.Float32bits(float32(x))
			k, f := splitMantissa32(float32(u))
			power := uint8(k + 127)
			bitsOfF := math.Float32bits(f)
			if power == 127 {
				bitsOfF = bitsOfX
			}
			r.f[i] = T(math.Float32frombits(bitsOfF))
			r.tail[i] = T(tail * T(log1pPowers32[power].scale))
			r.power[i] = uint16(power)
			if bits-1 >= 0x7f7fffff || bitsOfX == 1<<31 {
				special = true
			}
		} else {
			bits, bitsOfX := math.Float64bits(float64(u)), math.Float64bits(float64(x))
			k, f := splitMantissa64(float64(u))
			power := uint16(k+1023) % 2048
			bitsOfF := math.Float64bits(f)
			if power == 1023 {
				bitsOfF = bitsOfX
			}
			r.f[i] = T(math.Float64frombits(bitsOfF))
			r.tail[i] = T(tail * T(log1pPowers64[power].scale))
			r.power[i] = power
			if bits-1 >= 0x7fefffffffffffff || bitsOfX == 1<<63 {
				special = true
			}
		}
	}
	return special
}

// log1pPower is what a power of two brings to a logarithm, power ln2 = high + low,
// and to the tail: its scale is 2^-power. The power is bounded there for huge x,
// where the tail is nothing, and the scale is 0 for a power of 0, where x has no tail.
type log1pPower[T real] struct{ scale, high, low T }

var (
	log1pPowers32 = [256]log1pPower[float32](log1pPowers[float32](256))
	log1pPowers64 = [2048]log1pPower[float64](log1pPowers[float64](2048))
)

func log1pPowers[T real](count int64) []log1pPower[T] {
	powers := make([]log1pPower[T], count)
	for i := range powers {
		k := int64(i) - (count/2 - 1)
		power := T(k)
		powers[i].high = T(power * choose[T](ln2High32, ln2High64))
		powers[i].low = T(power * choose[T](ln2Low32, ln2Low64))
		if k != 0 {
			powers[i].scale = powerOfTwo[T](-min(k, 60))
		}
	}
	return powers
}

func log1pPowerOf[T real](power uint16) (high, low T) {
	if narrow[T]() {
		p := &log1pPowers32[uint8(power)]
		return T(p.high), T(p.low)
	}
	p := &log1pPowers64[power%2048]
	return T(p.high), T(p.low)
}
