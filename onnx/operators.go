package onnx

import (
	"encoding/binary"
	"fmt"
	"slices"
	"strings"

	"vkops/tensor"
)

// operator is what a node of one of our operators may look like.
type operator struct {
	// since is the first opset that has the operator.
	since int64
	// inputs are its inputs' names in the operator text; those from required on
	// may be absent.
	inputs   []string
	required int
	// attributes are those of the operator text, all optional.
	attributes map[string]attributeKind
	// build makes the operator of the attributes given. An axis that is an input
	// is set later, when its value is known.
	build func(attributes) (tensor.Op, error)
	// outputs is how many outputs a node may have; all but the first are optional.
	outputs int
}

var operators = map[string]operator{
	"CumSum": {11, append(tensor.Arguments(tensor.CumSum{}), "axis"), 2,
		map[string]attributeKind{"exclusive": kindInt, "reverse": kindInt}, buildCumSum, 1},
	"LogCumSumExp": {29, tensor.Arguments(tensor.LogCumSumExp{}), 1,
		map[string]attributeKind{"axis": kindInt}, buildLogCumSumExp, 1},
	"Log1p": {29, tensor.Arguments(tensor.Log1p{}), 1,
		nil, func(attributes) (tensor.Op, error) { return tensor.Log1p{}, nil }, 1},
	"LogSoftmax": {13, tensor.Arguments(tensor.LogSoftmax{}), 1,
		map[string]attributeKind{"axis": kindInt}, buildLogSoftmax, 1},
	"NegativeLogLikelihoodLoss": {12, tensor.Arguments(tensor.NLL{}), 2,
		map[string]attributeKind{"ignore_index": kindInt, "reduction": kindString}, buildNLL, 1},
	"SoftmaxCrossEntropyLoss": {12, tensor.Arguments(tensor.SoftmaxCrossEntropyLoss{}), 2,
		map[string]attributeKind{"ignore_index": kindInt, "reduction": kindString}, buildCrossEntropy, 2},
}

func operatorNames() string {
	names := make([]string, 0, len(operators))
	for name := range operators {
		names = append(names, name)
	}
	slices.Sort(names)
	return strings.Join(names, ", ")
}

func buildCumSum(attrs attributes) (tensor.Op, error) {
	var op tensor.CumSum
	for name, flag := range map[string]*bool{"exclusive": &op.Exclusive, "reverse": &op.Reverse} {
		switch v := attrs.int(name); v {
		case 0, 1:
			*flag = v == 1
		default:
			return nil, tensor.Errorf(op.Name(), tensor.ErrAttribute, "attribute %s is %d, must be 0 or 1", name, v)
		}
	}
	return op, nil
}

func buildLogCumSumExp(attrs attributes) (tensor.Op, error) {
	axis, err := axisOf(tensor.LogCumSumExp{}, attrs.int("axis"))
	return tensor.LogCumSumExp{Axis: axis}, err
}

func buildLogSoftmax(attrs attributes) (tensor.Op, error) {
	op := tensor.LogSoftmax{Axis: -1}
	var err error
	if a, given := attrs.find("axis"); given {
		op.Axis, err = axisOf(op, a.i)
	}
	return op, err
}

func buildNLL(attrs attributes) (tensor.Op, error) {
	return lossOf(attrs, tensor.NLL{}.Name())
}

func buildCrossEntropy(attrs attributes) (tensor.Op, error) {
	op, err := lossOf(attrs, tensor.SoftmaxCrossEntropyLoss{}.Name())
	return tensor.SoftmaxCrossEntropyLoss(op), err
}

// lossOf is the attributes that the losses share; name is the operator's in errors.
func lossOf(attrs attributes, name string) (tensor.NLL, error) {
	var op tensor.NLL
	if a, given := attrs.find("ignore_index"); given {
		op.IgnoreIndex = &a.i
	}
	if a, given := attrs.find("reduction"); given {
		var err error
		if op.Reduction, err = tensor.ParseReduction(name, a.s); err != nil {
			return op, tensor.Errorf(name, tensor.ErrAttribute, "attribute reduction is %s, must be mean, sum or none", quote(a.s))
		}
	}
	return op, nil
}

// axisOf refuses axes that no tensor has and that an int may not hold.
func axisOf(op tensor.Op, v int64) (int, error) {
	if int64(int32(v)) != v {
		return 0, tensor.Errorf(op.Name(), tensor.ErrAxis, "axis %d out of range for any rank", v)
	}
	return int(v), nil
}

// withAxis gives a CumSum its axis, the value of its second input.
func withAxis(op tensor.CumSum, axis tensor.Dense) (tensor.CumSum, error) {
	if axis.DType != tensor.I32 && axis.DType != tensor.I64 {
		return op, tensor.Errorf(op.Name(), tensor.ErrType, "axis has element type %s; allowed: int32, int64", axis.DType)
	}
	if n, err := axis.Shape.Elements(); err != nil || n != 1 || len(axis.Shape) > 1 {
		return op, tensor.Errorf(op.Name(), tensor.ErrShape, "axis has shape %s; must be a scalar", axis.Shape)
	}
	if len(axis.Data) == 0 {
		return op, unsupportedErrorf("axis is an input, without its value the result's type is not known")
	}
	v := int64(0)
	if axis.DType == tensor.I32 {
		v = int64(int32(binary.LittleEndian.Uint32(axis.Data)))
	} else {
		v = int64(binary.LittleEndian.Uint64(axis.Data))
	}
	var err error
	op.Axis, err = axisOf(op, v)
	return op, err
}

// checkOpset refuses element types that the operator gained after the model's
// opset.
func checkOpset(op tensor.Op, opset int64, inputs []tensor.Type) error {
	const sixteenBitCumSum, bfloatCrossEntropy = 14, 13
	if _, isLoss := op.(tensor.SoftmaxCrossEntropyLoss); isLoss && opset < bfloatCrossEntropy && inputs[0].DType == tensor.BF16 {
		return fmt.Errorf("%w: %w", ErrUnsupported, tensor.Errorf(op.Name(), tensor.ErrType,
			"scores has element type %s, which opset %d does not allow; opset %d does", tensor.BF16, opset, bfloatCrossEntropy))
	}
	if _, isCumSum := op.(tensor.CumSum); isCumSum && opset < sixteenBitCumSum {
		if d := inputs[0].DType; d == tensor.F16 || d == tensor.BF16 {
			return fmt.Errorf("%w: %w", ErrUnsupported, tensor.Errorf(op.Name(), tensor.ErrType,
				"x has element type %s, which opset %d does not allow; opset %d does", d, opset, sixteenBitCumSum))
		}
	}
	return nil
}
