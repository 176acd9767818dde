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
	return expOperator[T, T](canonical[T])
}

func halfLogCumSumExp[H half]() operator[H, expSum[float32]] {
	return expOperator[H, float32](canonicalHalf[H])
}

func expOperator[E any, T real](first func(x E) E) operator[E, expSum[T]] {
	return byLine(operator[E, expSum[T]]{
		identity: expIdentity[T](),
		combine:  expCombine[T],
		groups:   works[group[E, expSum[T]]]{expGroup[E, T, folds], expGroup[E, T, writes], expGroup[E, T, walks], expGroup[E, T, writesLines]},
		first:    first,
	})
}

// expGroup runs in T, which is E or float32, and rounds each output.
func expGroup[E any, T real, W work](dst, src []E, at span, carry expSum[T], runs []expSum[T]) expSum[T] {
	folded := expIdentity[T]()
	var e expRun[T]
	var memory [radix]T
	for r := 0; at.n > 0; r++ {
		run := at.run()
		elements := memory[:run.n]
		loadSpan(elements, src, run)
		e.terms(elements)
		if isFolding[W]() {
			runs[r] = e.sums(expIdentity[T](), run.n)
			folded = expCombine(folded, runs[r])
		}
		if isWriting[W]() {
			e.sums(carry, run.n)
			e.logs(elements)
			storeSpan(dst, run, elements)
			if !isOfLines[W]() {
				carry = expCombine(carry, runs[r])
			}
		}
		at = at.rest()
	}
	return folded
}
