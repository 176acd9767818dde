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

// expIdentity is the empty sum, and as good as exp(-Inf).
func expIdentity[T real]() expSum[T] {
	return expSum[T]{key: orderedBits(T(math.Inf(-1)))}
}

// stepShift is log2 of the step.
func stepShift[T real]() int {
	if narrow[T]() {
		return 12
	}
	return 28
}

// expScale is 2^-distance, or 0 where that leaves nothing of a sum. The bound
// keeps products clear of subnormals.
func expScale[T real](distance uint64) T {
	if narrow[T]() {
		bits := uint32(127-distance) << 23
		if distance > 100 {
			bits = 0
		}
		return T(math.Float32frombits(bits))
	}
	bits := (1023 - distance) << 52
	if distance > 100 {
		bits = 0
	}
	return T(math.Float64frombits(bits))
}

// expCombine is the sum of two parts of a line, a before b.
func expCombine[T real](a, b expSum[T]) expSum[T] {
	key := max(a.key, b.key)
	scaleA, scaleB := expScale[T](uint64(key-a.key)), expScale[T](uint64(key-b.key))
	hiA, hiB := T(a.hi*scaleA), T(b.hi*scaleB)
	hi := hiA + hiB
	return expSum[T]{key, hi, (T(a.lo*scaleA) + T(b.lo*scaleB)) + sumError(hiA, hiB, hi)}
}

// expRun works on a run of elements step by step, because the operations of one
// element wait for each other.
type expRun[T real] struct {
	// Terms: exp(x) is 2^key value, with value near 1.
	key   [radix]int64
	value [radix]T
	sum   [radix]expSum[T] // of all terms up to each
}

// terms splits each x into key*ln(2) + r with |r| at most ln(2)/2, in two steps:
// whole multiples of step*ln(2), then of ln(2). The value is exp(r).
func (e *expRun[T]) terms(run []T) {
	round := choose[T](roundToInteger32, roundToInteger64)
	run = run[:min(len(run), radix)]
	var rests, p [radix]T
	for i, x := range run {
		steps := (T(x*choose[T](log2EPerStep32, log2EPerStep64)) + round) - round
		far := x - T(steps*choose[T](stepHigh32, stepHigh64))
		farLow := T(steps * choose[T](stepLow32, stepLow64))
		k := (T((far-farLow)*choose[T](log2E32, log2E64)) + round) - round
		// Taking farLow off last loses less: the difference before it is exact.
		near := (far - T(k*choose[T](ln2High32, ln2High64))) - farLow
		rests[i] = near - T(k*choose[T](ln2Low32, ln2Low64))
		e.key[i] = int64(steps)<<stepShift[T]() + int64(k)
	}
	expPolynomials(&p, &rests)
	limit := choose[T](stepLimit32, stepLimit64)
	for i, x := range run {
		r := rests[i]
		e.value[i] = 1 + (T(p[i]*T(r*r)) + r)
		if !(x < limit && x > -limit) {
			e.key[i], e.value[i] = unsplit(x)
		}
	}
}

// unsplit is the term of an argument that is too large to split, or NaN.
func unsplit[T real](x T) (key int64, value T) {
	if x != x {
		return 0, x
	}
	return orderedBits(x), 1
}

// sums adds n terms to s one after the other. It keeps every sum and returns the
// last.
func (e *expRun[T]) sums(s expSum[T], n int) expSum[T] {
	for i := range min(n, radix) {
		key := max(s.key, e.key[i])
		scale := expScale[T](uint64(key - s.key))
		a := T(s.hi * scale)
		b := T(e.value[i] * expScale[T](uint64(key-e.key[i])))
		hi := a + b
		s = expSum[T]{key, hi, T(s.lo*scale) + sumError(a, b, hi)}
		e.sum[i] = s
	}
	return s
}

// logs writes the logarithms of the first sums: (key+e)*ln(2) from pieces that are
// exact or small, plus the logarithm of the mantissa.
func (e *expRun[T]) logs(dst []T) {
	dst = dst[:min(len(dst), radix)]
	var f, rests, steps, ks [radix]T
	var exponents [radix]int64
	for i := range e.sum {
		f[i] = e.sum[i].hi
	}
	splitMantissas(&f, &exponents)
	shift := stepShift[T]()
	for i := range dst {
		s := &e.sum[i]
		rests[i] = T(s.lo * powerOfTwo[T](-exponents[i]))
		key := s.key + exponents[i]
		whole := (key + 1<<(shift-1)) >> shift
		steps[i], ks[i] = T(whole), T(key-whole<<shift)
	}
	logRests(&f, &rests)
	limit := orderedBits(choose[T](stepLimit32, stepLimit64))
	for i := range dst {
		far := T(steps[i] * choose[T](stepHigh32, stepHigh64))
		near := T(ks[i] * choose[T](ln2High32, ln2High64))
		sum := far + near
		lost := near - (sum - far)
		withF := sum + f[i]
		rest := (rests[i] + T(ks[i]*choose[T](ln2Low32, ln2Low64))) + (f[i] - (withF - sum))
		y := withF + (T(steps[i]*choose[T](stepLow32, stepLow64)) + (lost + rest))
		if s := &e.sum[i]; s.hi != s.hi || s.key^s.key>>63 >= limit {
			y = s.rareLog()
		}
		dst[i] = y
	}
}

// rareLog is the logarithm of a sum whose key is a float, or of NaN.
func (s *expSum[T]) rareLog() T {
	if s.hi != s.hi {
		return canonicalNaN[T]()
	}
	return fromOrderedBits[T](s.key)
}
