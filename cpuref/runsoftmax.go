package cpuref

import (
	"github.com/x448/float16"

	"vkops/tensor"
)

func runLogSoftmax(dst, src tensor.Dense, v tensor.View) {
	switch src.DType {
	case tensor.F16:
		LogSoftmax(tensor.ValuesOf[float16.Float16](dst.Data), tensor.ValuesOf[float16.Float16](src.Data), v)
	case tensor.BF16:
		LogSoftmax(tensor.ValuesOf[tensor.BFloat16](dst.Data), tensor.ValuesOf[tensor.BFloat16](src.Data), v)
	case tensor.F32:
		LogSoftmax(tensor.ValuesOf[float32](dst.Data), tensor.ValuesOf[float32](src.Data), v)
	case tensor.F64:
		LogSoftmax(tensor.ValuesOf[float64](dst.Data), tensor.ValuesOf[float64](src.Data), v)
	}
}

func runCrossEntropy(op tensor.SoftmaxCrossEntropyLoss, dst tensor.Dense, inputs []tensor.Dense) error {
	switch inputs[0].DType {
	case tensor.F16:
		return runCrossEntropyOf[float16.Float16](op, dst, inputs)
	case tensor.BF16:
		return runCrossEntropyOf[tensor.BFloat16](op, dst, inputs)
	case tensor.F32:
		return runCrossEntropyOf[float32](op, dst, inputs)
	default:
		return runCrossEntropyOf[float64](op, dst, inputs)
	}
}

func runCrossEntropyOf[T tensor.Float](op tensor.SoftmaxCrossEntropyLoss, dst tensor.Dense, inputs []tensor.Dense) error {
	v := op.View(inputs[0].Shape)
	out, scores := tensor.ValuesOf[T](dst.Data), tensor.ValuesOf[T](inputs[0].Data)
	var weights []T
	if len(inputs) == 3 {
		weights = tensor.ValuesOf[T](inputs[2].Data)
	}
	if inputs[1].DType == tensor.I32 {
		return SoftmaxCrossEntropyLoss(out, scores, tensor.ValuesOf[int32](inputs[1].Data), weights, v, op)
	}
	return SoftmaxCrossEntropyLoss(out, scores, tensor.ValuesOf[int64](inputs[1].Data), weights, v, op)
}
