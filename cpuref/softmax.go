package cpuref

import (
	"math"

	"github.com/x448/float16"

	"vkops/tensor"
)

// LogSoftmax writes the logarithm of exp(x) divided by the sum of exp(x) along the
// view's axis to dst, for each x of src. dst and src hold v.Elements() elements; they
// are the same slice or do not overlap.
//
// With the largest element m of a line that is (x-m) - log(sum of exp(x-m)), where
// the sum is the carry tree's root. The rules for infinities and NaN are those of
// that formula: all NaN where an element is NaN or all are -Inf; where some are +Inf,
// NaN for them and -Inf for the others. Twin: shaders/include/softmax.glsl.
func LogSoftmax[T tensor.Float](dst, src []T, v tensor.View) {
	switch src := any(src).(type) {
	case []float16.Float16:
		logSoftmax(any(dst).([]float16.Float16), src, v, widenRun[float16.Float16], roundRun[float16.Float16], true)
	case []tensor.BFloat16:
		logSoftmax(any(dst).([]tensor.BFloat16), src, v, widenRun[tensor.BFloat16], roundRun[tensor.BFloat16], true)
	case []float32:
		logSoftmax(any(dst).([]float32), src, v, copyRun[float32], storeRun[float32], false)
	case []float64:
		logSoftmax(any(dst).([]float64), src, v, copyRun[float64], storeRun[float64], false)
	}
}

func logSoftmax[E any, T real](dst, src []E, v tensor.View, widen func(*[radix]T, []E) []T, round func([]E, []T), toOdd bool) {
	s := newSoftmax(src, v, widen)
	s.lines(workers(), func(w *softmaxStrip[E, T], lo, hi int64, lines []softmaxLine[T]) {
		w.outputs(lo, hi, func(c int64, run []E) {
			var wide [radix]T
			elements := widen(&wide, run)
			for i, x := range elements {
				elements[i] = lines[c].logProbability(x, toOdd)
			}
			round(run, elements)
		}, dst)
	})
}

func storeRun[T real](dst, src []T) { copy(dst, src) }

// softmaxLine is what the elements of a line share: the largest, and the logarithm of
// the sum of exp(x-largest), as a pair whose hi is the rounded one.
type softmaxLine[T real] struct {
	largest T
	log     pair[T]
}

// logProbability is (x-largest) - log, rounded to T or to odd.
func (l *softmaxLine[T]) logProbability(x T, toOdd bool) T {
	below := x - l.largest
	switch {
	case !isFinite(l.largest):
		if l.largest > 0 && x < l.largest {
			return T(math.Inf(-1))
		}
		return canonicalNaN[T]()
	case !isFinite(below):
		return T(math.Inf(-1))
	}
	hi := below - l.log.hi
	lo := (sumError(below, -l.log.hi, hi) + sumError(x, -l.largest, below)) - l.log.lo
	y := hi + lo
	if toOdd {
		y = T(valueToOdd(pair[float32]{float32(hi), float32(lo)}))
	}
	if y == 0 {
		return 0 // never -0
	}
	return y
}

// softmaxLog is the line's state from its largest element and the sum, at least 1.
func softmaxLog[T real](largest T, sum pair[T]) softmaxLine[T] {
	if !isFinite(largest) {
		return softmaxLine[T]{largest: largest}
	}
	s := sum.hi + sum.lo
	var e int64
	var f, rest [radix]T
	if narrow[T]() {
		k, part := splitMantissa32(float32(s))
		e, f[0] = k, T(part)
	} else {
		k, part := splitMantissa64(float64(s))
		e, f[0] = k, T(part)
	}
	rest[0] = T((sum.lo - (s - sum.hi)) * powerOfTwo[T](-e))
	logRests(&f, &rest)
	high := T(T(e) * choose[T](ln2High32, ln2High64))
	near := high + f[0]
	low := (f[0] - (near - high)) + (rest[0] + T(T(e)*choose[T](ln2Low32, ln2Low64)))
	hi := near + low
	return softmaxLine[T]{largest, pair[T]{hi, low - (hi - near)}}
}

// softmaxSum adds exp(x-largest) of a run to an empty sum. Each is a pair, too, whose
// lo matters where many of them are alike.
func softmaxSum[T real](run []T, largest T) pair[T] {
	var value, rest [radix]T
	round := choose[T](roundToInteger32, roundToInteger64)
	for i, x := range run[:min(len(run), radix)] {
		below := x - largest
		if !(below >= choose[T](softmaxCut32, softmaxCut64)) {
			value[i], rest[i] = 0, 0
			continue
		}
		k := (T(below*choose[T](log2E32, log2E64)) + round) - round
		near := below - T(k*choose[T](ln2High32, ln2High64))
		r := (near - T(k*choose[T](ln2Low32, ln2Low64))) + sumError(x, -largest, below)
		var p T
		if narrow[T]() {
			p = T(expPolynomial32(float32(r)))
		} else {
			p = T(expPolynomial64(float64(r)))
		}
		above := T(p*T(r*r)) + r
		one := 1 + above
		scale := powerOfTwo[T](int64(k))
		value[i] = T(one * scale)
		if k < choose[T](softmaxSingle32, softmaxSingle64) {
			scale = 0
		}
		rest[i] = T((above - (one - 1)) * scale)
	}
	s := pairIdentity[T]()
	for i := range run {
		s = s.take(value[i])
		s.lo += rest[i]
	}
	return s
}

// Below the cut a term is left out; with fewer powers of two than single it has no
// lo. Both keep clear of subnormals.
const (
	softmaxCut32, softmaxCut64       = -69, -620
	softmaxSingle32, softmaxSingle64 = -60, -900
)
