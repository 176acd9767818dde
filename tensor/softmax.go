package tensor

// LogSoftmax is the ONNX operator of that name (since version 13): the logarithm of
// exp(x) divided by the sum of exp(x) along an axis, of floating-point types; logarithms
// are natural. The operator text:
// https://onnx.ai/onnx/operators/onnx__LogSoftmax.html.
type LogSoftmax struct {
	// Axis is in [-rank, rank-1]; a negative one counts from the back. The operator
	// text's default is -1.
	Axis int
}

// Name is "logsoftmax".
func (LogSoftmax) Name() string { return "logsoftmax" }

// Infer takes the input and gives an output of the same type. Errors: [ErrArity],
// [ErrType], [ErrShape], [ErrAxis].
func (op LogSoftmax) Infer(inputs ...Type) (Type, error) {
	return inferScan(op, inputs, op.Axis, floatTypes)
}

// View is the input seen along the axis; one that it does not have is [ErrAxis].
func (op LogSoftmax) View(s Shape) (View, error) { return scanView(op.Name(), s, op.Axis) }

// OnAxis implements [AxisOp].
func (op LogSoftmax) OnAxis(axis int) AxisOp {
	op.Axis = axis
	return op
}

// SoftmaxCrossEntropyLoss is the ONNX operator of that name (since version 12): what
// NLL gives for the LogSoftmax of the scores along their second axis. The loss is in
// nats. The operator text:
// https://onnx.ai/onnx/operators/onnx__SoftmaxCrossEntropyLoss.html.
type SoftmaxCrossEntropyLoss struct {
	Reduction Reduction // the zero value is Mean
	// IgnoreIndex is the label whose samples contribute nothing; it may lie
	// outside [0, C). The operator text gives it no default: nil is none.
	IgnoreIndex *int64
}

// Name is "crossentropy".
func (SoftmaxCrossEntropyLoss) Name() string { return "crossentropy" }

// Infer takes the scores [N, C, d1...], the labels [N, d1...] and, optionally, the
// weights [C]. The loss is a scalar, or shaped like the labels for None. Errors:
// [ErrArity], [ErrType], [ErrShape], [ErrAttribute] for a Reduction that is none.
func (op SoftmaxCrossEntropyLoss) Infer(inputs ...Type) (Type, error) {
	return inferLoss(op, op.Reduction, floatTypes, inputs)
}

// View is the scores' shape as [N, C, D]. The shape has passed Infer.
func (op SoftmaxCrossEntropyLoss) View(scores Shape) NLLView { return op.NLL().View(scores) }

// NLL is what follows the LogSoftmax.
func (op SoftmaxCrossEntropyLoss) NLL() NLL { return NLL(op) }

// ErrorAt is the error for the smallest label position that is out of range.
func (op SoftmaxCrossEntropyLoss) ErrorAt(position, value, classes int64) error {
	return Errorf(op.Name(), ErrTarget, "labels[%d] = %d is outside [0, %d) and is not ignore_index", position, value, classes)
}
