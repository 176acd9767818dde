package cpuref

import "math"

// pair is a running sum as an unevaluated hi + lo, which keeps about twice the
// precision of T. Twin: shaders/include/pair.glsl.
type pair[T real] struct{ hi, lo T }

// pairIdentity is the empty sum: both parts are -0, which alone leaves every x as
// it is, -0 too.
func pairIdentity[T real]() pair[T] {
	zero := T(math.Copysign(0, -1))
	return pair[T]{zero, zero}
}

// pairOf is the empty sum after it took x. An infinite x or NaN leaves it a lo, which has
// no meaning.
func pairOf[T real](x T) pair[T] { return pair[T]{x, pairIdentity[T]().lo} }

// sumExcess is the excess of s = a + b over the exact sum. It is the error with
// its sign turned: an exact sum gives +0 here, and lo - 0 keeps a lo of -0.
func sumExcess[T real](a, b, s T) T {
	partOfB := s - a
	return ((s - partOfB) - a) + (partOfB - b)
}

// sumError is the rounding error of s = a + b, exactly, unless something
// overflowed.
func sumError[T real](a, b, s T) T {
	partOfB := s - a
	return (a - (s - partOfB)) + (b - partOfB)
}

func (p pair[T]) take(x T) pair[T] {
	hi := p.hi + x
	return pair[T]{hi, p.lo - sumExcess(p.hi, x, hi)}
}

// pairCombine is the sum of two parts of a line, a before b.
func pairCombine[T real](a, b pair[T]) pair[T] {
	hi := a.hi + b.hi
	return pair[T]{hi, (a.lo + b.lo) - sumExcess(a.hi, b.hi, hi)}
}

// value is the sum rounded to T. An infinite or NaN hi has a lo without meaning.
func (p pair[T]) value() T {
	if isFinite(p.lo) {
		return canonical(p.hi + p.lo)
	}
	return canonical(p.hi)
}

// valueOrZero is the value, +0 for an empty sum.
func (p pair[T]) valueOrZero() T { return canonical(p.value() + 0) }

// valueToOdd is the sum rounded to odd: where it is not a float32, the neighbour
// with an odd last bit. The rounding to 16 bits then goes as for the exact sum.
func valueToOdd(p pair[float32]) float32 {
	sum := p.hi + p.lo
	if !isFinite(sum) {
		return p.value()
	}
	return toOdd(sum, sumError(p.hi, p.lo, sum))
}

// toOdd is a finite sum rounded to odd, given its error as it is.
func toOdd(sum, e float32) float32 {
	ofError := math.Float32bits(e)
	if ofError&0x7fffffff-1 >= 0x7f7fffff { // 0, or TwoSum overflowed inside
		return sum
	}
	bits := math.Float32bits(sum)
	bits -= (bits ^ ofError) >> 31 // the neighbour toward zero
	return math.Float32frombits(bits | 1)
}
