package onnx

import (
	"fmt"

	"vkops/tensor"
)

// Bound is a model with its inputs: operators with all their attributes on values
// whose types are known. It is not to be changed.
type Bound struct {
	// Values are the tensors that take part: those that are given, in the order of
	// their first use, and the results of the steps.
	Values []Value
	// Steps are the operators in the order in which they run.
	Steps []Step
	// Outputs are the model's outputs in order, as indices of Values.
	Outputs []int
}

// Value is a tensor of a bound model. The result of a step has no data. What is
// given shares memory with the model and its inputs and is not to be written to.
type Value struct {
	Name string
	tensor.Dense
	// Computed says that a step gives the value.
	Computed bool
}

// Step is an operator of a bound model on indices of Values; an absent optional
// input is left out.
type Step struct {
	Node   *Node
	Op     tensor.Op
	Inputs []int
	Output int
}

// Bind gives the model its inputs: in the order of Model.Inputs, either all of them
// or those without a default (Model.Required).
//
// Element types and shapes are checked from node to node against the model's
// declarations and against the operator texts. Errors name the node and wrap a sentinel
// of package tensor, such as [tensor.ErrShape], or [ErrUnsupported].
func (m *Model) Bind(inputs []tensor.Dense) (*Bound, error) {
	b, err := m.bind(inputs, true)
	return b, m.naming(err)
}

// BindTypes is Bind of inputs whose data is not at hand. The axis of a CumSum has to
// be a constant of the model; one that is not is [ErrUnsupported].
func (m *Model) BindTypes(inputs []tensor.Type) (*Bound, error) {
	given := make([]tensor.Dense, len(inputs))
	for i, t := range inputs {
		given[i].Type = t
	}
	b, err := m.bind(given, false)
	return b, m.naming(err)
}

// naming puts the model's path in front of an error.
func (m *Model) naming(err error) error {
	if err == nil || m.path == "" {
		return err
	}
	return fmt.Errorf("%s: %w", m.path, err)
}

func (m *Model) bind(inputs []tensor.Dense, hasData bool) (*Bound, error) {
	given, err := m.takeInputs(inputs, hasData)
	if err != nil {
		return nil, err
	}
	b := &binding{model: m, given: given, index: map[string]int{}, params: map[string]int{}}
	for i, info := range m.Inputs {
		if err := info.check(b.source(info.Name).Type, b.params); err != nil {
			return nil, fmt.Errorf("input %d, %s: %w", i, quote(info.Name), err)
		}
	}
	for i := range m.Nodes {
		if err := b.add(&m.Nodes[i]); err != nil {
			return nil, err
		}
	}
	for _, out := range m.Outputs {
		i := b.value(out.Name)
		if err := out.check(b.Values[i].Type, b.params); err != nil {
			return nil, fmt.Errorf("output %s: %w", quote(out.Name), err)
		}
		b.Outputs = append(b.Outputs, i)
	}
	return &b.Bound, nil
}

// takeInputs gives the inputs by their names.
func (m *Model) takeInputs(inputs []tensor.Dense, hasData bool) (map[string]tensor.Dense, error) {
	declared := m.Inputs
	if required := m.Required(); len(inputs) != len(declared) {
		if len(inputs) != len(required) {
			return nil, fmt.Errorf("%w: %d inputs given; the model takes %s", tensor.ErrArity, len(inputs), counts(len(required), len(declared)))
		}
		declared = required
	}
	given := make(map[string]tensor.Dense, len(inputs))
	for i, info := range declared {
		if n, err := inputs[i].Bytes(); err != nil || hasData && n != int64(len(inputs[i].Data)) {
			return nil, fmt.Errorf("%w: input %d, %s: %s with %d bytes of data", tensor.ErrShape, i, quote(info.Name), inputs[i].Type, len(inputs[i].Data))
		}
		given[info.Name] = inputs[i]
	}
	return given, nil
}

func counts(required, all int) string {
	if required == all {
		return fmt.Sprint(all)
	}
	return fmt.Sprintf("%d, or %d with those that have defaults", required, all)
}

// binding is a Bound that grows node by node.
type binding struct {
	Bound
	model  *Model
	given  map[string]tensor.Dense
	index  map[string]int // of Values
	params map[string]int // extents of named dimensions
}

// value is the index of a value that is given or was computed.
func (b *binding) value(name string) int {
	if i, ok := b.index[name]; ok {
		return i
	}
	return b.append(Value{Name: name, Dense: b.source(name)})
}

// source is a value that no node computes.
func (b *binding) source(name string) tensor.Dense {
	if d, ok := b.given[name]; ok {
		return d
	}
	return b.model.constants[name]
}

func (b *binding) append(v Value) int {
	i := len(b.Values)
	b.index[v.Name] = i
	b.Values = append(b.Values, v)
	return i
}

// add resolves a node. Where there are several its errors name it.
func (b *binding) add(n *Node) error {
	err := b.resolve(n)
	if err != nil && len(b.model.Nodes) > 1 {
		return fmt.Errorf("%s: %w", n, err)
	}
	return err
}

func (b *binding) resolve(n *Node) error {
	op, inputs := n.op, n.Inputs
	if cumsum, ok := op.(tensor.CumSum); ok {
		axis := inputs[1]
		if i, ok := b.index[axis]; ok && b.Values[i].Computed {
			return unsupportedErrorf("axis %s is the result of a node; it must be an input or a constant of the model", quote(axis))
		}
		var err error
		if op, err = withAxis(cumsum, b.source(axis)); err != nil {
			return err
		}
		inputs = inputs[:1]
	}
	step := Step{Node: n, Op: op}
	var types []tensor.Type
	for _, name := range inputs {
		if name != "" {
			i := b.value(name)
			step.Inputs = append(step.Inputs, i)
			types = append(types, b.Values[i].Type)
		}
	}
	out, err := op.Infer(types...)
	if err != nil {
		return err
	}
	if err := checkOpset(op, b.model.Opset, types); err != nil {
		return err
	}
	if len(n.Outputs) > 1 && n.Outputs[1] != "" {
		if err := b.logProbabilities(n, step); err != nil {
			return err
		}
	}
	step.Output = b.append(Value{Name: n.Outputs[0], Dense: tensor.Dense{Type: out}, Computed: true})
	b.Steps = append(b.Steps, step)
	return nil
}

// logProbabilities adds the step for the second output of a SoftmaxCrossEntropyLoss.
// The loss is computed from the scores all the same, which gives the same bits.
func (b *binding) logProbabilities(n *Node, loss Step) error {
	step := Step{Node: n, Op: tensor.LogSoftmax{Axis: 1}, Inputs: loss.Inputs[:1]}
	out, err := step.Op.Infer(b.Values[step.Inputs[0]].Type)
	if err != nil {
		return err
	}
	step.Output = b.append(Value{Name: n.Outputs[1], Dense: tensor.Dense{Type: out}, Computed: true})
	b.Steps = append(b.Steps, step)
	return nil
}
