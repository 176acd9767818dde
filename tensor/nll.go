package tensor

import "slices"

// Reduction says what NLL does with the losses.
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

// ParseReduction finds a reduction by its attribute text.
func ParseReduction(s string) (Reduction, error) {
	if i := slices.Index(reductions[:], s); i >= 0 {
		return Reduction(i), nil
	}
	return 0, Errorf("nll", ErrAttribute, "reduction %q is not mean, sum or none", s)
}

// NLL is the ONNX operator NegativeLogLikelihoodLoss (since version 12).
type NLL struct {
	Reduction Reduction
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
// the weight [C]. The loss is a scalar, or shaped like the target for None.
func (op NLL) Infer(inputs ...Type) (Type, error) {
	const name = "nll"
	if err := checkArity(name, len(inputs), 2, 3); err != nil {
		return Type{}, err
	}
	if int(op.Reduction) >= len(reductions) {
		return Type{}, Errorf(name, ErrAttribute, "reduction %d is not mean, sum or none", op.Reduction)
	}
	input, target := inputs[0], inputs[1]
	if err := checkType(name, "input", input.DType, F16, F32, F64); err != nil {
		return Type{}, err
	}
	if err := checkType(name, "target", target.DType, I32, I64); err != nil {
		return Type{}, err
	}
	for i, arg := range []string{"input", "target"} {
		if err := checkShape(name, arg, inputs[i]); err != nil {
			return Type{}, err
		}
	}
	if len(input.Shape) < 2 {
		return Type{}, Errorf(name, ErrShape, "input %s has rank %d; must be at least 2", input.Shape, len(input.Shape))
	}
	want := slices.Delete(slices.Clone(input.Shape), 1, 2)
	if !slices.Equal(target.Shape, want) {
		return Type{}, Errorf(name, ErrShape, "target has shape %s; input %s needs %s", target.Shape, input.Shape, want)
	}
	if len(inputs) == 3 {
		weight := inputs[2]
		if weight.DType != input.DType {
			return Type{}, Errorf(name, ErrType, "weight has element type %s; input has %s", weight.DType, input.DType)
		}
		if c := input.Shape[1]; !slices.Equal(weight.Shape, Shape{c}) {
			return Type{}, Errorf(name, ErrShape, "weight has shape %s; %d classes need [%d]", weight.Shape, c, c)
		}
	}
	out := Type{input.DType, Shape{}}
	if op.Reduction == None {
		out.Shape = want
	}
	return out, nil
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
