package tensor

import "slices"

// Reduction says what becomes of the losses of all samples.
type Reduction uint8

// The zero value is the operator text's default.
const (
	Mean Reduction = iota
	Sum
	None
)

var reductions = [...]string{Mean: "mean", Sum: "sum", None: "none"}

// String is the attribute's text: "mean", "sum" or "none".
func (r Reduction) String() string {
	if int(r) < len(reductions) {
		return reductions[r]
	}
	return "unknown"
}

// ParseReduction finds a reduction by its attribute text; another one is
// [ErrAttribute] of the operator named.
func ParseReduction(op, s string) (Reduction, error) {
	if i := slices.Index(reductions[:], s); i >= 0 {
		return Reduction(i), nil
	}
	return 0, Errorf(op, ErrAttribute, "reduction %q is not mean, sum or none", s)
}

// NLL is the ONNX operator NegativeLogLikelihoodLoss (since version 12): minus the
// log-probability that the input has at each target, times the weight of its class. Of
// natural logarithms the loss is in nats. The operator text:
// https://onnx.ai/onnx/operators/onnx__NegativeLogLikelihoodLoss.html.
type NLL struct {
	Reduction Reduction // the zero value is Mean
	// IgnoreIndex is the label whose samples contribute nothing; it may lie
	// outside [0, C). The operator text gives it no default: nil is none.
	IgnoreIndex *int64
}

// NLLView is the input seen as [N, C, D], the target as [N, D].
type NLLView struct {
	N, C, D int64
}

// Samples is the number of targets.
func (v NLLView) Samples() int64 { return v.N * v.D }

// Name is "nll".
func (NLL) Name() string { return "nll" }

// Infer takes the input [N, C, d1...], the target [N, d1...] and, optionally,
// the weight [C]. The loss is a scalar, or shaped like the target for None. Errors:
// [ErrArity], [ErrType], [ErrShape], [ErrAttribute] for a Reduction that is none.
func (op NLL) Infer(inputs ...Type) (Type, error) {
	return inferLoss(op, op.Reduction, []DType{F16, F32, F64}, inputs)
}

// View is the input's shape as [N, C, D]. The shape has passed Infer.
func (op NLL) View(input Shape) NLLView {
	v := input.along(1)
	return NLLView{v.Outer, v.N, v.Inner}
}

// ErrorAt is the error for the smallest target position that is out of range.
func (op NLL) ErrorAt(position, value, classes int64) error {
	return Errorf(op.Name(), ErrTarget, "target[%d] = %d is outside [0, %d) and is not ignore_index", position, value, classes)
}
