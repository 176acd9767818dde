package cpuref

import (
	"github.com/x448/float16"

	"vkops/tensor"
)

// CumSum writes the cumulative sums of src along the view's axis to dst: floats
// through a pair of floats with one rounding per output, integers modulo their
// range. exclusive leaves each element out of its own sum, reverse goes from the
// last element to the first. dst and src hold v.Elements() elements; they are the
// same slice or do not overlap.
func CumSum[T tensor.Element](dst, src []T, v tensor.View, exclusive, reverse bool) {
	switch src := any(src).(type) {
	case []float16.Float16:
		newScan(halfCumSum[float16.Float16](exclusive), any(dst).([]float16.Float16), src, v, reverse).run(workers())
	case []tensor.BFloat16:
		newScan(halfCumSum[tensor.BFloat16](exclusive), any(dst).([]tensor.BFloat16), src, v, reverse).run(workers())
	case []float32:
		newScan(realCumSum[float32](exclusive), any(dst).([]float32), src, v, reverse).run(workers())
	case []float64:
		newScan(realCumSum[float64](exclusive), any(dst).([]float64), src, v, reverse).run(workers())
	case []int32:
		newScan(integerCumSum[int32](exclusive), any(dst).([]int32), src, v, reverse).run(workers())
	case []int64:
		newScan(integerCumSum[int64](exclusive), any(dst).([]int64), src, v, reverse).run(workers())
	case []uint32:
		newScan(integerCumSum[uint32](exclusive), any(dst).([]uint32), src, v, reverse).run(workers())
	case []uint64:
		newScan(integerCumSum[uint64](exclusive), any(dst).([]uint64), src, v, reverse).run(workers())
	}
}

func realCumSum[T real](exclusive bool) operator[T, pair[T]] {
	op := operator[T, pair[T]]{
		identity: pairIdentity[T](),
		combine:  pairCombine[T],
		fold:     pairFold[T],
		outputs:  pairOutputs[T],
		first:    canonical[T],
	}
	if exclusive {
		op.outputs, op.first = outputRuns(pairCombine[T], pairOutputsExclusive[T]), nil
	}
	return op
}

// pairFold takes two runs side by side, which fills the time that the sums of one
// wait for each other.
func pairFold[T real](group []T, runs []pair[T]) pair[T] {
	folded := pairIdentity[T]()
	for len(group) >= 2*radix {
		x := (*[2 * radix]T)(group)
		lo := pairIdentity[T]().lo
		a, b := pair[T]{x[0], lo}, pair[T]{x[radix], lo} // as the identity takes them
		for i := 1; i < radix; i++ {
			a, b = a.take(x[i]), b.take(x[radix+i])
		}
		runs[0], runs[1] = a, b
		folded = pairCombine(pairCombine(folded, a), b)
		group, runs = group[2*radix:], runs[2:]
	}
	for i := 0; len(group) > 0; i++ {
		n := min(radix, len(group))
		runs[i] = pairAggregate(group[:n])
		folded = pairCombine(folded, runs[i])
		group = group[n:]
	}
	return folded
}

func pairAggregate[T real](run []T) pair[T] {
	p := pairIdentity[T]()
	for _, x := range run {
		p = p.take(x)
	}
	return p
}

// pairOutputs takes two runs side by side, too. A sum that is not finite stays so
// within its run, so that the last one is tested only.
func pairOutputs[T real](dst, group []T, carry pair[T], runs []pair[T]) {
	for len(group) >= 2*radix {
		x, y := *(*[2 * radix]T)(group), (*[2 * radix]T)(dst)
		second := pairCombine(carry, runs[0])
		a, b := carry, second
		for i := range radix {
			a, b = a.take(x[i]), b.take(x[radix+i])
			y[i], y[radix+i] = a.hi+a.lo, b.hi+b.lo
		}
		if !a.isFinite() || !b.isFinite() {
			pairOutputsRun(y[:radix], x[:radix], carry)
			pairOutputsRun(y[radix:], x[radix:], second)
		}
		carry = pairCombine(second, runs[1])
		dst, group, runs = dst[2*radix:], group[2*radix:], runs[2:]
	}
	for i := 0; len(group) > 0; i++ {
		n := min(radix, len(group))
		pairOutputsRun(dst[:n], group[:n], carry)
		carry = pairCombine(carry, runs[i])
		dst, group = dst[n:], group[n:]
	}
}

// pairOutputsRun is pairOutputs of one run, and for any sums.
func pairOutputsRun[T real](dst, run []T, c pair[T]) {
	for i, x := range run {
		c = c.take(x)
		dst[i] = c.value()
	}
}

// The first sum of all is empty and +0.
func pairOutputsExclusive[T real](dst, run []T, c pair[T]) {
	var x [radix]T
	run = copyRun(&x, run)
	dst = dst[:len(run)]
	end := c
	for i, x := range run {
		dst[i] = (end.hi + end.lo) + 0
		end = end.take(x)
	}
	if end.isFinite() {
		return
	}
	for i, x := range run {
		dst[i] = c.valueOrZero()
		c = c.take(x)
	}
}

// halfCumSum runs in float32 and rounds each output once.
func halfCumSum[H half](exclusive bool) operator[H, pair[float32]] {
	outputs := func(dst, run []H, c pair[float32]) {
		var wide [radix]float32
		elements := widenHalves(&wide, run)
		for i, x := range elements {
			if exclusive {
				elements[i] = valueToOdd(c) + 0
				c = c.take(x)
			} else {
				c = c.take(x)
				elements[i] = valueToOdd(c)
			}
		}
		roundHalves(dst, elements)
	}
	op := operator[H, pair[float32]]{
		identity: pairIdentity[float32](),
		combine:  pairCombine[float32],
		fold: foldRuns(pairIdentity[float32](), pairCombine[float32], func(run []H) pair[float32] {
			var wide [radix]float32
			return pairAggregate(widenHalves(&wide, run))
		}),
		outputs: outputRuns(pairCombine[float32], outputs),
	}
	if !exclusive {
		op.first = canonicalHalf[H]
	}
	return op
}

// canonicalHalf is the element itself, a NaN as results carry it.
func canonicalHalf[H half](x H) H {
	var wide [radix]float32
	in := [1]H{x}
	roundHalves(in[:], widenHalves(&wide, in[:]))
	return in[0]
}

type integer interface {
	int32 | int64 | uint32 | uint64
}

// integerCumSum needs no order: sums wrap, so that the runs may be left out.
func integerCumSum[T integer](exclusive bool) operator[T, T] {
	op := operator[T, T]{
		combine: func(a, b T) T { return a + b },
		fold: func(group, _ []T) (sum T) {
			for _, x := range group {
				sum += x
			}
			return sum
		},
		walk: integerSums[T],
	}
	if exclusive {
		op.walk = integerSumsExclusive[T]
	}
	op.outputs = func(dst, group []T, carry T, _ []T) { op.walk(dst, group, carry) }
	return op
}

func integerSums[T integer](dst, group []T, carry T) T {
	dst = dst[:len(group)]
	sum := carry
	for i, x := range group {
		sum += x
		dst[i] = sum
	}
	return sum - carry
}

func integerSumsExclusive[T integer](dst, group []T, carry T) T {
	dst = dst[:len(group)]
	sum := carry
	for i, x := range group {
		dst[i] = sum
		sum += x
	}
	return sum - carry
}
