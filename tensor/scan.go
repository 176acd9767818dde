package tensor

// CumSum is the ONNX operator of that name (since version 11): the cumulative
// sum along an axis, of every numeric type. Integers wrap. The operator text:
// https://onnx.ai/onnx/operators/onnx__CumSum.html.
type CumSum struct {
	// Axis is in [-rank, rank-1]; a negative one counts from the back.
	Axis int
	// Exclusive leaves an element out of its own sum, so that the first is 0.
	Exclusive bool
	// Reverse sums from the last element to the first.
	Reverse bool
}

// LogCumSumExp is the ONNX operator of that name (since version 29): the
// inclusive, forward log(cumsum(exp(x))) along an axis, of floating-point types;
// logarithms are natural. The operator text:
// https://onnx.ai/onnx/operators/onnx__LogCumSumExp.html.
type LogCumSumExp struct {
	// Axis is in [-rank, rank-1]; a negative one counts from the back.
	Axis int
}

// Name is "cumsum".
func (CumSum) Name() string { return "cumsum" }

// Name is "logcumsumexp".
func (LogCumSumExp) Name() string { return "logcumsumexp" }

// Infer takes x and gives y of the same type. Errors: [ErrArity], [ErrType], [ErrShape],
// [ErrAxis].
func (op CumSum) Infer(inputs ...Type) (Type, error) {
	return inferScan(op, inputs, op.Axis, AllDTypes())
}

// Infer takes X and gives Y of the same type. Errors: [ErrArity], [ErrType], [ErrShape],
// [ErrAxis].
func (op LogCumSumExp) Infer(inputs ...Type) (Type, error) {
	return inferScan(op, inputs, op.Axis, floatTypes)
}

// View is the input seen along the axis; one that it does not have is [ErrAxis].
func (op CumSum) View(s Shape) (View, error) { return scanView(op.Name(), s, op.Axis) }

// View is the input seen along the axis; one that it does not have is [ErrAxis].
func (op LogCumSumExp) View(s Shape) (View, error) { return scanView(op.Name(), s, op.Axis) }

// OnAxis implements [AxisOp].
func (op CumSum) OnAxis(axis int) AxisOp {
	op.Axis = axis
	return op
}

// OnAxis implements [AxisOp].
func (op LogCumSumExp) OnAxis(axis int) AxisOp {
	op.Axis = axis
	return op
}

var floatTypes = []DType{F16, BF16, F32, F64}

func inferScan(op AxisOp, inputs []Type, axis int, allowed []DType) (Type, error) {
	x, err := inferOne(op, inputs, allowed)
	if err != nil {
		return Type{}, err
	}
	if _, err := scanView(op.Name(), x.Shape, axis); err != nil {
		return Type{}, err
	}
	return x, nil
}

// inferOne takes one input and gives an output of the same type.
func inferOne(op Op, inputs []Type, allowed []DType) (Type, error) {
	name, arg := op.Name(), Argument(op, 0)
	if err := checkArity(name, len(inputs), 1, 1); err != nil {
		return Type{}, err
	}
	x := inputs[0]
	if err := checkType(name, arg, x.DType, allowed...); err != nil {
		return Type{}, err
	}
	return x, checkShape(name, arg, x)
}
