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
	types := make([]tensor.Type, len(inputs))
	for i, in := range inputs {
		types[i] = in.Type
	}
	t, err := op.Infer(types...)
	if err != nil {
		return tensor.Type{}, err
	}
	for i, in := range inputs {
		if err := checkData(op, fmt.Sprintf("input %d", i), in); err != nil {
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
	switch op := op.(type) {
	case tensor.CumSum:
		return runCumSum(op, dst, inputs[0])
	default:
		return fmt.Errorf("cpuref: no operator %q", op.Name())
	}
}

func runCumSum(op tensor.CumSum, dst, src tensor.Dense) error {
	v, err := op.View(src.Shape)
	if err != nil {
		return err
	}
	switch src.DType {
	case tensor.F16:
		cumSumDense[float16.Float16](op, dst, src, v)
	case tensor.BF16:
		cumSumDense[tensor.BFloat16](op, dst, src, v)
	case tensor.F32:
		cumSumDense[float32](op, dst, src, v)
	case tensor.F64:
		cumSumDense[float64](op, dst, src, v)
	case tensor.I32:
		cumSumDense[int32](op, dst, src, v)
	case tensor.I64:
		cumSumDense[int64](op, dst, src, v)
	case tensor.U32:
		cumSumDense[uint32](op, dst, src, v)
	case tensor.U64:
		cumSumDense[uint64](op, dst, src, v)
	}
	return nil
}

func cumSumDense[T tensor.Element](op tensor.CumSum, dst, src tensor.Dense, v tensor.View) {
	CumSum(tensor.ValuesOf[T](dst.Data), tensor.ValuesOf[T](src.Data), v, op.Exclusive, op.Reverse)
}
