package cpuref

import (
	"fmt"

	"github.com/x448/float16"

	"vkops/tensor"
)

// Run checks the inputs against the operator text and computes its output. Errors
// are those of op.Infer, and for NLL of a target out of range.
func Run(op tensor.Op, inputs ...tensor.Dense) (tensor.Dense, error) {
	t, err := infer(op, inputs)
	if err != nil {
		return tensor.Dense{}, err
	}
	dst, err := tensor.NewDense(t)
	if err != nil {
		return tensor.Dense{}, err
	}
	return dst, run(op, dst, inputs)
}

// RunInto is Run with the output in dst, whose type must be the output's. dst may
// be the first input itself, except for NLL; otherwise it overlaps no input. It is
// untouched after an error.
func RunInto(dst tensor.Dense, op tensor.Op, inputs ...tensor.Dense) error {
	t, err := infer(op, inputs)
	if err != nil {
		return err
	}
	if dst.DType != t.DType {
		return tensor.Errorf(op.Name(), tensor.ErrType, "output holds %s; result is %s", dst.DType, t.DType)
	}
	if !dst.Type.Equal(t) {
		return tensor.Errorf(op.Name(), tensor.ErrShape, "output has shape %s; result has %s", dst.Shape, t.Shape)
	}
	if err := checkData(op, "output", dst); err != nil {
		return err
	}
	return run(op, dst, inputs)
}

func infer(op tensor.Op, inputs []tensor.Dense) (tensor.Type, error) {
	if op == nil {
		return tensor.Type{}, fmt.Errorf("cpuref: no operator")
	}
	t, err := op.Infer(tensor.TypesOf(inputs)...)
	if err != nil {
		return tensor.Type{}, err
	}
	for i, in := range inputs {
		if err := checkData(op, tensor.Argument(op, i), in); err != nil {
			return tensor.Type{}, err
		}
	}
	return t, nil
}

// checkData refuses a tensor whose memory does not fit its type.
func checkData(op tensor.Op, arg string, d tensor.Dense) error {
	want, err := d.Bytes()
	if err != nil {
		return err
	}
	if int64(len(d.Data)) != want {
		return tensor.Errorf(op.Name(), tensor.ErrShape, "%s holds %d bytes; %s needs %d", arg, len(d.Data), d.Type, want)
	}
	return nil
}

// run computes an operator whose arguments have been checked.
func run(op tensor.Op, dst tensor.Dense, inputs []tensor.Dense) error {
	var v tensor.View
	if op, ok := op.(tensor.AxisOp); ok {
		var err error
		if v, err = op.View(dst.Shape); err != nil {
			return err
		}
	}
	switch op := op.(type) {
	case tensor.CumSum:
		runCumSum(op, dst, inputs[0], v)
	case tensor.LogCumSumExp:
		runLogCumSumExp(dst, inputs[0], v)
	case tensor.Log1p:
		runLog1p(dst, inputs[0])
	case tensor.LogSoftmax:
		runLogSoftmax(dst, inputs[0], v)
	case tensor.NLL:
		return runNLL(op, dst, inputs)
	case tensor.SoftmaxCrossEntropyLoss:
		return runCrossEntropy(op, dst, inputs)
	default:
		return fmt.Errorf("cpuref: no operator %q", op.Name())
	}
	return nil
}

func runCumSum(op tensor.CumSum, dst, src tensor.Dense, v tensor.View) {
	switch src.DType {
	case tensor.F16:
		CumSum(both[float16.Float16](dst, src, v, op.Exclusive, op.Reverse))
	case tensor.BF16:
		CumSum(both[tensor.BFloat16](dst, src, v, op.Exclusive, op.Reverse))
	case tensor.F32:
		CumSum(both[float32](dst, src, v, op.Exclusive, op.Reverse))
	case tensor.F64:
		CumSum(both[float64](dst, src, v, op.Exclusive, op.Reverse))
	case tensor.I32:
		CumSum(both[int32](dst, src, v, op.Exclusive, op.Reverse))
	case tensor.I64:
		CumSum(both[int64](dst, src, v, op.Exclusive, op.Reverse))
	case tensor.U32:
		CumSum(both[uint32](dst, src, v, op.Exclusive, op.Reverse))
	case tensor.U64:
		CumSum(both[uint64](dst, src, v, op.Exclusive, op.Reverse))
	}
}

// both passes arguments on, the tensors as their elements.
func both[T tensor.Element](dst, src tensor.Dense, v tensor.View, exclusive, reverse bool) ([]T, []T, tensor.View, bool, bool) {
	return tensor.ValuesOf[T](dst.Data), tensor.ValuesOf[T](src.Data), v, exclusive, reverse
}

func runLogCumSumExp(dst, src tensor.Dense, v tensor.View) {
	switch src.DType {
	case tensor.F16:
		LogCumSumExp(tensor.ValuesOf[float16.Float16](dst.Data), tensor.ValuesOf[float16.Float16](src.Data), v)
	case tensor.BF16:
		LogCumSumExp(tensor.ValuesOf[tensor.BFloat16](dst.Data), tensor.ValuesOf[tensor.BFloat16](src.Data), v)
	case tensor.F32:
		LogCumSumExp(tensor.ValuesOf[float32](dst.Data), tensor.ValuesOf[float32](src.Data), v)
	case tensor.F64:
		LogCumSumExp(tensor.ValuesOf[float64](dst.Data), tensor.ValuesOf[float64](src.Data), v)
	}
}

func runLog1p(dst, src tensor.Dense) {
	switch src.DType {
	case tensor.F16:
		Log1p(tensor.ValuesOf[float16.Float16](dst.Data), tensor.ValuesOf[float16.Float16](src.Data))
	case tensor.BF16:
		Log1p(tensor.ValuesOf[tensor.BFloat16](dst.Data), tensor.ValuesOf[tensor.BFloat16](src.Data))
	case tensor.F32:
		Log1p(tensor.ValuesOf[float32](dst.Data), tensor.ValuesOf[float32](src.Data))
	case tensor.F64:
		Log1p(tensor.ValuesOf[float64](dst.Data), tensor.ValuesOf[float64](src.Data))
	}
}

func runNLL(op tensor.NLL, dst tensor.Dense, inputs []tensor.Dense) error {
	switch inputs[0].DType {
	case tensor.F16:
		return runNLLOf[float16.Float16](op, dst, inputs)
	case tensor.F32:
		return runNLLOf[float32](op, dst, inputs)
	default:
		return runNLLOf[float64](op, dst, inputs)
	}
}

func runNLLOf[T tensor.Float](op tensor.NLL, dst tensor.Dense, inputs []tensor.Dense) error {
	v := op.View(inputs[0].Shape)
	out, input := tensor.ValuesOf[T](dst.Data), tensor.ValuesOf[T](inputs[0].Data)
	var weight []T
	if len(inputs) == 3 {
		weight = tensor.ValuesOf[T](inputs[2].Data)
	}
	if inputs[1].DType == tensor.I32 {
		return NLL(out, input, tensor.ValuesOf[int32](inputs[1].Data), weight, v, op)
	}
	return NLL(out, input, tensor.ValuesOf[int64](inputs[1].Data), weight, v, op)
}
