package cpuref

import "math"

// expSum is a sum of exponentials with an exponent of its own: 2^key (hi + lo).
// It never overflows, keeps no maximum, and adding needs no exp. A key of huge
// size is a float in its order of bits: of infinities, and of arguments so large
// that the sum's logarithm is the largest of them. NaN sticks in hi.
type expSum[T real] struct {
	key    int64
	hi, lo T
}

// expTermOf is one exp(x): 2^key value, with value near 1.
type expTermOf[T real] struct {
	key   int64
	value T
}

// expIdentity is the empty sum, and as good as exp(-Inf).
func expIdentity[T real]() expSum[T] {
	return expSum[T]{key: orderedBits(T(math.Inf(-1)))}
}

// expTerm splits x into key*ln(2) + r with |r| at most ln(2)/2, in two steps: whole
// multiples of step*ln(2), then of ln(2).
func expTerm[T real](x T) expTermOf[T] {
	limit := choose[T](stepLimit32, stepLimit64)
	if !(x < limit && x > -limit) {
		if x != x {
			return expTermOf[T]{0, x}
		}
		return expTermOf[T]{orderedBits(x), 1}
	}
	round := choose[T](roundToInteger32, roundToInteger64)
	steps := (T(x*choose[T](log2EPerStep32, log2EPerStep64)) + round) - round
	far := x - T(steps*choose[T](stepHigh32, stepHigh64))
	farLow := T(steps * choose[T](stepLow32, stepLow64))
	k := (T((far-farLow)*choose[T](log2E32, log2E64)) + round) - round
	// Taking farLow off last loses less: the difference before it is exact.
	near := (far - T(k*choose[T](ln2High32, ln2High64))) - farLow
	r := near - T(k*choose[T](ln2Low32, ln2Low64))
	return expTermOf[T]{int64(steps)<<stepShift[T]() + int64(k), 1 + expMinusOne(r)}
}

// stepShift is log2 of the step.
func stepShift[T real]() int {
	if narrow[T]() {
		return 12
	}
	return 28
}

// expMinusOne is exp(r) - 1 for |r| at most ln(2)/2.
func expMinusOne[T real](r T) T {
	var p T
	if narrow[T]() {
		p = T(expPolynomial32(float32(r)))
	} else {
		p = T(expPolynomial64(float64(r)))
	}
	return T(p*T(r*r)) + r
}

// expScale is 2^-distance, or 0 where that leaves nothing of a sum. The bound
// keeps products clear of subnormals.
func expScale[T real](distance uint64) T {
	if distance > 100 {
		return 0
	}
	return powerOfTwo[T](-int64(distance))
}

func (s expSum[T]) take(t expTermOf[T]) expSum[T] {
	key := max(s.key, t.key)
	scale := expScale[T](uint64(key - s.key))
	a := T(s.hi * scale)
	b := T(t.value * expScale[T](uint64(key-t.key)))
	hi := a + b
	return expSum[T]{key, hi, T(s.lo*scale) + sumError(a, b, hi)}
}

// expCombine is the sum of two parts of a line, a before b.
func expCombine[T real](a, b expSum[T]) expSum[T] {
	key := max(a.key, b.key)
	scaleA, scaleB := expScale[T](uint64(key-a.key)), expScale[T](uint64(key-b.key))
	hiA, hiB := T(a.hi*scaleA), T(b.hi*scaleB)
	hi := hiA + hiB
	return expSum[T]{key, hi, (T(a.lo*scaleA) + T(b.lo*scaleB)) + sumError(hiA, hiB, hi)}
}

// log is the logarithm of the sum: (key+e)*ln(2) from pieces that are exact or
// small, plus the logarithm of the mantissa.
func (s expSum[T]) log() T {
	if s.hi != s.hi {
		return canonicalNaN[T]()
	}
	if limit := orderedBits(choose[T](stepLimit32, stepLimit64)); s.key^s.key>>63 >= limit {
		return fromOrderedBits[T](s.key)
	}
	e, f := splitMantissa(s.hi)
	tail := T(s.lo * powerOfTwo[T](-e))
	key := s.key + e
	shift := stepShift[T]()
	whole := (key + 1<<(shift-1)) >> shift
	steps, k := T(whole), T(key-whole<<shift)
	rest := logRest(f, tail) + T(k*choose[T](ln2Low32, ln2Low64))
	far := T(steps * choose[T](stepHigh32, stepHigh64))
	near := T(k * choose[T](ln2High32, ln2High64))
	sum := far + near
	lost := near - (sum - far)
	withF := sum + f
	rest += f - (withF - sum)
	return withF + (T(steps*choose[T](stepLow32, stepLow64)) + (lost + rest))
}
