package cpuref

import (
	"github.com/x448/float16"

	"vkops/tensor"
)

// LogCumSumExp writes the logarithms of the cumulative sums of exp(src) along the
// view's axis to dst. dst and src hold v.Elements() elements; they are the same
// slice or do not overlap. Twin: shaders/include/logcumsumexp.glsl.
func LogCumSumExp[T tensor.Float](dst, src []T, v tensor.View) {
	switch src := any(src).(type) {
	case []float16.Float16:
		newScan(halfLogCumSumExp[float16.Float16](), any(dst).([]float16.Float16), src, v, false).run(workers())
	case []tensor.BFloat16:
		newScan(halfLogCumSumExp[tensor.BFloat16](), any(dst).([]tensor.BFloat16), src, v, false).run(workers())
	case []float32:
		newScan(realLogCumSumExp[float32](), any(dst).([]float32), src, v, false).run(workers())
	case []float64:
		newScan(realLogCumSumExp[float64](), any(dst).([]float64), src, v, false).run(workers())
	}
}

func realLogCumSumExp[T real]() operator[T, expSum[T]] {
	return expOperator(expAggregate[T], expOutputs[T], expWalk[T], canonical[T])
}

// expOperator makes an operator of functions on runs.
func expOperator[E any, T real](aggregate func(run []E) expSum[T], outputs func(dst, run []E, c expSum[T]),
	walk func(dst, run []E, c expSum[T]) expSum[T], first func(x E) E) operator[E, expSum[T]] {
	return operator[E, expSum[T]]{
		identity: expIdentity[T](),
		combine:  expCombine[T],
		fold:     foldRuns(expIdentity[T](), expCombine[T], aggregate),
		outputs:  outputRuns(expCombine[T], outputs),
		walk:     walkRuns(expIdentity[T](), expCombine[T], walk),
		first:    first,
	}
}

func expAggregate[T real](run []T) expSum[T] {
	var e expRun[T]
	e.terms(run)
	return e.sums(expIdentity[T](), len(run))
}

func expOutputs[T real](dst, run []T, c expSum[T]) {
	var e expRun[T]
	e.terms(run)
	e.sums(c, len(run))
	e.logs(dst[:len(run)])
}

func expWalk[T real](dst, run []T, c expSum[T]) expSum[T] {
	var e expRun[T]
	e.terms(run)
	aggregate := e.sums(expIdentity[T](), len(run))
	e.sums(c, len(run))
	e.logs(dst[:len(run)])
	return aggregate
}

// halfLogCumSumExp runs in float32 and rounds each output.
func halfLogCumSumExp[H half]() operator[H, expSum[float32]] {
	return expOperator(
		func(run []H) expSum[float32] {
			var wide [radix]float32
			return expAggregate(widenHalves(&wide, run))
		},
		func(dst, run []H, c expSum[float32]) {
			var wide [radix]float32
			elements := widenHalves(&wide, run)
			expOutputs(elements, elements, c)
			roundHalves(dst, elements)
		},
		func(dst, run []H, c expSum[float32]) expSum[float32] {
			var wide [radix]float32
			elements := widenHalves(&wide, run)
			a := expWalk(elements, elements, c)
			roundHalves(dst, elements)
			return a
		},
		canonicalHalf[H])
}
