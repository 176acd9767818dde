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
		identity:  pairIdentity[T](),
		combine:   pairCombine[T],
		aggregate: pairAggregate[T],
		outputs:   pairOutputs[T],
		walk:      pairWalk[T],
		first:     canonical[T],
	}
	if exclusive {
		op.outputs, op.walk, op.first = pairOutputsExclusive[T], nil, nil
	}
	return op
}

func pairAggregate[T real](run []T) pair[T] {
	p := pairIdentity[T]()
	for _, x := range run {
		p = p.take(x)
	}
	return p
}

func pairOutputs[T real](dst, run []T, c pair[T]) {
	var x [radix]T
	run = copyRun(&x, run)
	dst = dst[:len(run)]
	end := c
	for i, x := range run {
		end = end.take(x)
		dst[i] = end.hi + end.lo
	}
	if !end.isFinite() {
		pairOutputsNotFinite(dst, run, c)
	}
}

// pairWalk is pairAggregate and pairOutputs in one loop: neither waits for the other.
func pairWalk[T real](dst, run []T, c pair[T]) pair[T] {
	var x [radix]T
	run = copyRun(&x, run)
	dst = dst[:len(run)]
	end, aggregate := c, pairIdentity[T]()
	for i, x := range run {
		aggregate = aggregate.take(x)
		end = end.take(x)
		dst[i] = end.hi + end.lo
	}
	if !end.isFinite() {
		pairOutputsNotFinite(dst, run, c)
	}
	return aggregate
}

// pairOutputsNotFinite is pairOutputs for any sums. A sum that is not finite stays
// so, which lets the loops above look at the last one only.
func pairOutputsNotFinite[T real](dst, run []T, c pair[T]) {
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
	op := operator[H, pair[float32]]{
		identity: pairIdentity[float32](),
		combine:  pairCombine[float32],
		aggregate: func(run []H) pair[float32] {
			var wide [radix]float32
			return pairAggregate(widenHalves(&wide, run))
		},
		outputs: func(dst, run []H, c pair[float32]) {
			var wide [radix]float32
			elements := widenHalves(&wide, run)
			for i, x := range elements {
				c = c.take(x)
				elements[i] = valueToOdd(c)
			}
			roundHalves(dst, elements)
		},
		first: canonicalHalf[H],
	}
	if !exclusive {
		return op
	}
	op.first = nil
	op.outputs = func(dst, run []H, c pair[float32]) {
		var wide [radix]float32
		elements := widenHalves(&wide, run)
		for i, x := range elements {
			elements[i] = valueToOdd(c) + 0
			c = c.take(x)
		}
		roundHalves(dst, elements)
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

func integerCumSum[T integer](exclusive bool) operator[T, T] {
	op := operator[T, T]{
		combine: func(a, b T) T { return a + b },
		aggregate: func(run []T) (sum T) {
			for _, x := range run {
				sum += x
			}
			return sum
		},
		outputs: func(dst, run []T, sum T) {
			dst = dst[:len(run)]
			for i, x := range run {
				sum += x
				dst[i] = sum
			}
		},
	}
	if exclusive {
		op.outputs = func(dst, run []T, sum T) {
			dst = dst[:len(run)]
			for i, x := range run {
				dst[i] = sum
				sum += x
			}
		}
	}
	return op
}
