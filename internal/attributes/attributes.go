// Package attributes shows an operator's attributes, as text and as JSON.
package attributes

import (
	"fmt"
	"strings"

	"vkops/tensor"
)

// Of is the operator's attributes under their ONNX names. An absent
// ignore_index is left out.
func Of(op tensor.Op) map[string]any {
	m := map[string]any{}
	for _, a := range list(op) {
		m[a.name] = a.value
	}
	return m
}

// String prints the operator with the attributes that are not at their default:
// "cumsum axis=1 exclusive".
func String(op tensor.Op) string {
	parts := []string{op.Name()}
	for _, a := range list(op) {
		switch a.value {
		case false:
		case true:
			parts = append(parts, a.name)
		default:
			parts = append(parts, fmt.Sprintf("%s=%v", a.name, a.value))
		}
	}
	return strings.Join(parts, " ")
}

type attribute struct {
	name  string
	value any
}

func list(op tensor.Op) []attribute {
	switch op := op.(type) {
	case tensor.CumSum:
		return []attribute{{"axis", op.Axis}, {"exclusive", op.Exclusive}, {"reverse", op.Reverse}}
	case tensor.LogCumSumExp:
		return []attribute{{"axis", op.Axis}}
	case tensor.LogSoftmax:
		return []attribute{{"axis", op.Axis}}
	case tensor.Loss:
		reduction, ignored := op.Attributes()
		attrs := []attribute{{"reduction", reduction.String()}}
		if ignored != nil {
			attrs = append(attrs, attribute{"ignore_index", *ignored})
		}
		return attrs
	default:
		return nil
	}
}
