package cpuref

import (
	"math"
	"unsafe"
)

// real is a type that arithmetic runs in; 16-bit elements are widened to float32.
// Code that is generic over it is compiled once for each, so that choices by size
// cost nothing. Products are converted explicitly where a sum follows, which
// keeps compilers from fusing them.
type real interface{ float32 | float64 }

// narrow is whether T is float32.
func narrow[T real]() bool {
	var x T
	return unsafe.Sizeof(x) == 4
}

// choose is the value for T.
func choose[T real](f32 float32, f64 float64) T {
	if narrow[T]() {
		return T(f32)
	}
	return T(f64)
}

// copyRun copies a run, at most dst.
func copyRun[T real](dst *[radix]T, run []T) []T {
	if len(run) == radix { // no call
		*dst = [radix]T(run)
		return dst[:]
	}
	return dst[:copy(dst[:], run)]
}

// isFinite is false for infinities and NaN.
func isFinite[T real](x T) bool { return x-x == 0 }

// canonicalNaN is 7fc00000 or 7ff8000000000000.
func canonicalNaN[T real]() T {
	if narrow[T]() {
		return T(math.Float32frombits(0x7fc00000))
	}
	return T(math.Float64frombits(0x7ff8000000000000))
}

// canonical replaces every NaN by the one that results carry.
func canonical[T real](x T) T {
	if x != x {
		return canonicalNaN[T]()
	}
	return x
}

// orderedBits maps floats to integers in the same order, -0 just below +0.
func orderedBits[T real](x T) int64 {
	if narrow[T]() {
		bits := int32(math.Float32bits(float32(x)))
		return int64(bits ^ bits>>31&math.MaxInt32)
	}
	bits := int64(math.Float64bits(float64(x)))
	return bits ^ bits>>63&math.MaxInt64
}

// fromOrderedBits undoes orderedBits.
func fromOrderedBits[T real](key int64) T {
	if narrow[T]() {
		return T(math.Float32frombits(uint32(int32(key) ^ int32(key)>>31&math.MaxInt32)))
	}
	return T(math.Float64frombits(uint64(key ^ key>>63&math.MaxInt64)))
}

// powerOfTwo is 2^e for exponents of normal numbers.
func powerOfTwo[T real](e int64) T {
	if narrow[T]() {
		return T(math.Float32frombits(uint32(127+e) << 23))
	}
	return T(math.Float64frombits(uint64(1023+e) << 52))
}

// splitMantissa32 writes x > 0 as 2^e (1 + f) with 1 + f between the square roots
// of 1/2 and 2. f is exact.
func splitMantissa32(x float32) (e int64, f float32) {
	const half = 0x3f3504f3 // sqrt(1/2)
	bits := math.Float32bits(x) + (0x3f800000 - half)
	return int64(bits>>23) - 127, math.Float32frombits(bits&0x7fffff+half) - 1
}

// splitMantissa64 is splitMantissa32 for float64, with the root cut to 32 bits.
func splitMantissa64(x float64) (e int64, f float64) {
	const half = 0x3fe6a09e << 32
	bits := math.Float64bits(x) + (0x3ff00000<<32 - half)
	return int64(bits>>52) - 1023, math.Float64frombits(bits&0xfffffffffffff+half) - 1
}

// splitMantissas splits each x of a run; x becomes f.
func splitMantissas[T real](x *[radix]T, e *[radix]int64) {
	for i, v := range x {
		if narrow[T]() {
			k, f := splitMantissa32(float32(v))
			e[i], x[i] = k, T(f)
		} else {
			k, f := splitMantissa64(float64(v))
			e[i], x[i] = k, T(f)
		}
	}
}

// logRests turns each tail into log(1 + f + tail) - f, for a 1 + f as
// splitMantissa gives it and a tail below its precision. It takes a run at a time
// because the operations of one element wait for each other.
func logRests[T real](f, tail *[radix]T) {
	var p [radix]T
	logPolynomials(&p, f)
	for i, p := range p {
		f := f[i]
		square := T(f * f)
		rest := T(T(p*f) * square)
		perOnePlusF := (square - f) + 1 // 1/(1+f) as closely as the tail needs
		rest += T(tail[i] * perOnePlusF)
		tail[i] = rest - T(0.5*square)
	}
}

func logPolynomials[T real](p, x *[radix]T) {
	if narrow[T]() {
		for i := 0; i < radix; i += 4 {
			p0, p1, p2, p3 := logPolynomial32x4(float32(x[i]), float32(x[i+1]), float32(x[i+2]), float32(x[i+3]))
			p[i], p[i+1], p[i+2], p[i+3] = T(p0), T(p1), T(p2), T(p3)
		}
		return
	}
	for i, x := range x {
		p[i] = T(logPolynomial64(float64(x)))
	}
}

func expPolynomials[T real](p, x *[radix]T) {
	if narrow[T]() {
		for i := 0; i < radix; i += 4 {
			p0, p1, p2, p3 := expPolynomial32x4(float32(x[i]), float32(x[i+1]), float32(x[i+2]), float32(x[i+3]))
			p[i], p[i+1], p[i+2], p[i+3] = T(p0), T(p1), T(p2), T(p3)
		}
		return
	}
	for i, x := range x {
		p[i] = T(expPolynomial64(float64(x)))
	}
}
