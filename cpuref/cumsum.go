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

func realCumSum[T real](isExclusive bool) operator[T, pair[T]] {
	if isExclusive {
		return pairCumSum[T, exclusive]()
	}
	return pairCumSum[T, inclusive]()
}

func halfCumSum[H half](isExclusive bool) operator[H, pair[float32]] {
	if isExclusive {
		return halfPairCumSum[H, exclusiveToOdd]()
	}
	return halfPairCumSum[H, inclusiveToOdd]()
}

func integerCumSum[T integer](isExclusive bool) operator[T, T] {
	if isExclusive {
		return integerSums[T, exclusive]()
	}
	return integerSums[T, inclusive]()
}
