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
	var r log1pRun[T]
	for len(src) > 0 {
		n := copy(r.x[:], src)
		r.run()
		for i, x := range r.x[:n] {
			y := r.hi[i]
			if !log1pIsGeneral(x) {
				y = log1pSpecial(x)
			}
			dst[i] = y
		}
		dst, src = dst[n:], src[n:]
	}
}

// log1pHalves rounds each result once, from a pair.
func log1pHalves[H half](dst, src []H) {
	var r log1pRun[float32]
	for len(src) > 0 {
		n := min(radix, len(src))
		widenHalves(&r.x, src[:n])
		r.run()
		for i, x := range r.x[:n] {
			if log1pIsGeneral(x) {
				r.hi[i] = valueToOdd(pair[float32]{r.hi[i], r.lo[i]})
			} else {
				r.hi[i] = log1pSpecial(x)
			}
		}
		roundHalves(dst[:n], r.hi[:n])
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

// log1pRun is ln(1+x) of a run of finite x > -1 as unevaluated sums whose hi are
// the rounded values. It takes a run at a time because the operations of one
// element wait for each other.
type log1pRun[T real] struct {
	x, hi, lo [radix]T
}

func (r *log1pRun[T]) run() {
	var power [radix]int64
	r.reduce(&power)
	f, tail := &r.hi, &r.lo
	logRests(f, tail)
	for i, k := range power {
		power := T(k)
		high := T(power * choose[T](ln2High32, ln2High64))
		rest := tail[i] + T(power*choose[T](ln2Low32, ln2Low64))
		sum := high + f[i]
		low := (f[i] - (sum - high)) + rest
		y := sum + low
		r.hi[i], r.lo[i] = y, low-(y-sum)
	}
}

// reduce writes each 1+x as 2^power (1 + hi + lo), with hi = x where the power is 0.
func (r *log1pRun[T]) reduce(power *[radix]int64) {
	for i := range r.x { // no copy of the array
		x := r.x[i]
		u := 1 + x
		tail := sumError(1, x, u)
		// The power of two is bounded for huge x, where the tail is nothing.
		if narrow[T]() {
			k, f := splitMantissa32(float32(u))
			split := uint32((k | -k) >> 63) // all ones, but for k = 0; a branch would be a coin toss
			scale := uint32(127-min(k, 60)) << 23 & split
			bits := math.Float32bits(f)&split | math.Float32bits(float32(x))&^split
			power[i], r.hi[i], r.lo[i] = k, T(math.Float32frombits(bits)), T(tail*T(math.Float32frombits(scale)))
		} else {
			k, f := splitMantissa64(float64(u))
			split := uint64((k | -k) >> 63)
			scale := uint64(1023-min(k, 60)) << 52 & split
			bits := math.Float64bits(f)&split | math.Float64bits(float64(x))&^split
			power[i], r.hi[i], r.lo[i] = k, T(math.Float64frombits(bits)), T(tail*T(math.Float64frombits(scale)))
		}
	}
}
