package tensor

import "slices"

// Loss is an operator on class labels, its second input: NLL or
// SoftmaxCrossEntropyLoss.
type Loss interface {
	Op
	// Attributes are the reduction and the label that is ignored, or nil.
	Attributes() (Reduction, *int64)
	// View is the first input's shape as [N, C, D]. The shape has passed Infer.
	View(input Shape) NLLView
	// ErrorAt is the error for the smallest label position that is out of range.
	ErrorAt(position, value, classes int64) error
}

// Attributes are those of the operator text.
func (op NLL) Attributes() (Reduction, *int64) { return op.Reduction, op.IgnoreIndex }

// Attributes are those of the operator text.
func (op SoftmaxCrossEntropyLoss) Attributes() (Reduction, *int64) {
	return op.Reduction, op.IgnoreIndex
}

// inferLoss takes values [N, C, d1...], labels [N, d1...] and, optionally, weights [C].
func inferLoss(op Op, reduction Reduction, types []DType, inputs []Type) (Type, error) {
	name, arguments := op.Name(), Arguments(op)
	if err := checkArity(name, len(inputs), 2, 3); err != nil {
		return Type{}, err
	}
	if int(reduction) >= len(reductions) {
		return Type{}, Errorf(name, ErrAttribute, "reduction %d is not mean, sum or none", reduction)
	}
	values, labels := inputs[0], inputs[1]
	if err := checkType(name, arguments[0], values.DType, types...); err != nil {
		return Type{}, err
	}
	if err := checkType(name, arguments[1], labels.DType, I32, I64); err != nil {
		return Type{}, err
	}
	for i, arg := range arguments[:2] {
		if err := checkShape(name, arg, inputs[i]); err != nil {
			return Type{}, err
		}
	}
	if len(values.Shape) < 2 {
		return Type{}, Errorf(name, ErrShape, "%s %s has rank %d; must be at least 2", arguments[0], values.Shape, len(values.Shape))
	}
	want := slices.Delete(slices.Clone(values.Shape), 1, 2)
	if !slices.Equal(labels.Shape, want) {
		return Type{}, Errorf(name, ErrShape, "%s has shape %s; %s %s needs %s", arguments[1], labels.Shape, arguments[0], values.Shape, want)
	}
	if len(inputs) == 3 {
		weight := inputs[2]
		if weight.DType != values.DType {
			return Type{}, Errorf(name, ErrType, "%s has element type %s; %s has %s", arguments[2], weight.DType, arguments[0], values.DType)
		}
		if c := values.Shape[1]; !slices.Equal(weight.Shape, Shape{c}) {
			return Type{}, Errorf(name, ErrShape, "%s has shape %s; %d classes need [%d]", arguments[2], weight.Shape, c, c)
		}
	}
	out := Type{values.DType, Shape{}}
	if reduction == None {
		out.Shape = want
	}
	return out, nil
}
