package tensor

// Log1p is the ONNX operator of that name (since version 29): ln(1+x) of each
// element, of floating-point types and any shape. The operator text:
// https://onnx.ai/onnx/operators/onnx__Log1p.html.
type Log1p struct{}

// Name is "log1p".
func (Log1p) Name() string { return "log1p" }

// Infer takes the input and gives an output of the same type. Errors: [ErrArity],
// [ErrType], [ErrShape].
func (op Log1p) Infer(inputs ...Type) (Type, error) {
	return inferOne(op, inputs, floatTypes)
}
