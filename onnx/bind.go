package onnx

import (
	"fmt"

	"vkops/tensor"
)

// Bind gives the model its inputs and resolves the node: the operator with all
// its attributes, the tensors it takes (an absent optional one is left out) and
// the names of the model's outputs. inputs are, in the order of Model.Inputs,
// either all of them or those without a default (Model.Required).
//
// Element types and shapes are checked against the model's declarations and
// against the operator text. The results share memory with inputs and with the
// model and are not to be written to.
func (m *Model) Bind(inputs []tensor.Dense) (op tensor.Op, args []tensor.Dense, outputs []string, err error) {
	defer func() {
		if err != nil && m.path != "" {
			err = fmt.Errorf("%s: %w", m.path, err)
		}
	}()
	values, params, err := m.takeInputs(inputs)
	if err != nil {
		return nil, nil, nil, err
	}
	for _, name := range m.nodeInput {
		if name != "" {
			args = append(args, values(name))
		}
	}
	op = m.op
	if cumsum, ok := op.(tensor.CumSum); ok {
		if op, err = withAxis(cumsum, args[1]); err != nil {
			return nil, nil, nil, err
		}
		args = args[:1]
	}
	out, err := op.Infer(types(args)...)
	if err != nil {
		return nil, nil, nil, err
	}
	if err := checkOpset(op, m.Opset, args); err != nil {
		return nil, nil, nil, err
	}
	if err := m.Outputs[0].check(out, params); err != nil {
		return nil, nil, nil, fmt.Errorf("output %s: %w", quote(m.Outputs[0].Name), err)
	}
	return op, args, []string{m.Outputs[0].Name}, nil
}

// takeInputs checks the inputs against their declarations. It gives the look-up
// of every value the node may take and the extents of named dimensions.
func (m *Model) takeInputs(inputs []tensor.Dense) (values func(string) tensor.Dense, params map[string]int, err error) {
	declared := m.Inputs
	if required := m.Required(); len(inputs) != len(declared) {
		if len(inputs) != len(required) {
			return nil, nil, fmt.Errorf("%w: %d inputs given; the model takes %s", tensor.ErrArity, len(inputs), counts(len(required), len(declared)))
		}
		declared = required
	}
	given := make(map[string]tensor.Dense, len(inputs))
	for i, info := range declared {
		if n, err := inputs[i].Bytes(); err != nil || n != int64(len(inputs[i].Data)) {
			return nil, nil, fmt.Errorf("%w: input %d, %s: %s with %d bytes of data", tensor.ErrShape, i, quote(info.Name), inputs[i].Type, len(inputs[i].Data))
		}
		given[info.Name] = inputs[i]
	}
	values = func(name string) tensor.Dense {
		if d, ok := given[name]; ok {
			return d
		}
		return m.constants[name]
	}
	params = map[string]int{}
	for i, info := range m.Inputs {
		if err := info.check(values(info.Name).Type, params); err != nil {
			return nil, nil, fmt.Errorf("input %d, %s: %w", i, quote(info.Name), err)
		}
	}
	return values, params, nil
}

func counts(required, all int) string {
	if required == all {
		return fmt.Sprint(all)
	}
	return fmt.Sprintf("%d, or %d with those that have defaults", required, all)
}

func types(args []tensor.Dense) []tensor.Type {
	ts := make([]tensor.Type, len(args))
	for i, d := range args {
		ts[i] = d.Type
	}
	return ts
}
