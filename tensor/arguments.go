package tensor

import "fmt"

// Arguments are the names that an operator's text gives its inputs, optional ones last; an
// axis that ONNX has as an input is none of them.
func Arguments(op Op) []string {
	switch op.(type) {
	case CumSum:
		return []string{"x"}
	case LogCumSumExp:
		return []string{"X"}
	case Log1p, LogSoftmax:
		return []string{"input"}
	case NLL:
		return []string{"input", "target", "weight"}
	case SoftmaxCrossEntropyLoss:
		return []string{"scores", "labels", "weights"}
	}
	return nil
}

// Argument is the name of one input in messages.
func Argument(op Op, i int) string {
	if names := Arguments(op); i < len(names) {
		return names[i]
	}
	return fmt.Sprintf("input %d", i)
}

// TypesOf are the types of tensors, as Infer takes them.
func TypesOf(tensors []Dense) []Type {
	types := make([]Type, len(tensors))
	for i, d := range tensors {
		types[i] = d.Type
	}
	return types
}
