package onnx

import (
	"fmt"
	"slices"

	"vkops/tensor"
)

// Model is an ONNX model whose nodes are CumSum, LogCumSumExp, Log1p, LogSoftmax,
// NegativeLogLikelihoodLoss and SoftmaxCrossEntropyLoss, fed by the model's inputs, by
// initializers, by Constant nodes and by each other. It may be used by many goroutines
// at once.
type Model struct {
	// IRVersion is the version of the file format, Opset that of the operators.
	IRVersion, Opset int64
	// Nodes are the operators in the order of the file, in which they can run.
	// Constant nodes are not among them.
	Nodes []Node
	// Inputs are the graph's declared inputs in order, those with a default (an
	// initializer of the same name) included.
	Inputs []ValueInfo
	// Outputs are the graph's declared outputs in order.
	Outputs []ValueInfo

	path      string                  // for messages; empty for models from memory
	constants map[string]tensor.Dense // initializers and outputs of Constant nodes
}

// Node is an operator of a model.
type Node struct {
	// OpType is the operator's ONNX name, Name the node's own, often empty.
	OpType, Name string
	// Inputs and Outputs name values; the empty name is an absent input.
	Inputs, Outputs []string

	index int       // in the file, Constant nodes counted
	op    tensor.Op // without CumSum's axis
}

// String names the node in messages.
func (n Node) String() string { return nodeTitle(n.index, n.OpType, "", n.Name) }

// The file format before version 3 has no opset_import.
const oldestIR = 3

// ReadModel reads and checks a model file. Messages name the file. Errors are the
// system's, [ErrFormat], and [ErrUnsupported] or [tensor.ErrAttribute] for a node that
// is not one of ours, which they name.
func ReadModel(path string) (*Model, error) {
	data, err := readMessage(path)
	if err != nil {
		return nil, naming(path, err)
	}
	m, err := ParseModel(data)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	m.path = path
	return m, nil
}

// ParseModel is ReadModel from memory, with the same errors.
func ParseModel(data []byte) (*Model, error) {
	m := &Model{constants: map[string]tensor.Dense{}}
	var graph []byte
	hasGraph := false
	err := modelProto.walk(data, func(v value) error {
		switch v.number {
		case modelIRVersion:
			m.IRVersion = int64(v.bits)
		case modelGraph:
			graph, hasGraph = v.bytes, true
		case modelOpsetImport:
			return m.parseOpset(v.bytes)
		case modelFunctions:
			return unsupportedErrorf("model with functions of its own")
		}
		return nil
	})
	switch {
	case err != nil:
		return nil, err
	case !hasGraph:
		return nil, formatErrorf("not an ONNX model: no graph")
	case m.IRVersion < oldestIR:
		return nil, formatErrorf("ModelProto.ir_version is %d; must be at least %d", m.IRVersion, oldestIR)
	case m.Opset == 0:
		return nil, formatErrorf("ModelProto.opset_import lacks the domain ai.onnx")
	}
	if err := m.parseGraph(graph); err != nil {
		return nil, err
	}
	return m, nil
}

func isStandardDomain(domain string) bool { return domain == "" || domain == "ai.onnx" }

func (m *Model) parseOpset(data []byte) error {
	var domain string
	var version int64
	err := opsetProto.walk(data, func(v value) error {
		if v.number == opsetDomain {
			domain = string(v.bytes)
		} else {
			version = int64(v.bits)
		}
		return nil
	})
	if err != nil || !isStandardDomain(domain) {
		return err
	}
	if version < 1 {
		return formatErrorf("opset_import has version %d", version)
	}
	if m.Opset != 0 && m.Opset != version {
		return formatErrorf("opset_import names versions %d and %d of ai.onnx", m.Opset, version)
	}
	m.Opset = version
	return nil
}

// parseGraph takes the declarations first, since a file may hold the parts of a
// message in any order.
func (m *Model) parseGraph(data []byte) error {
	isInput := map[string]bool{}
	err := graphProto.walk(data, func(v value) error {
		switch v.number {
		case graphInput:
			info, err := parseValueInfo(v.bytes)
			if err == nil && isInput[info.Name] {
				err = formatErrorf("%s twice", quote(info.Name))
			}
			if err != nil {
				return fmt.Errorf("graph input %d: %w", len(m.Inputs), err)
			}
			isInput[info.Name] = true
			m.Inputs = append(m.Inputs, info)
		case graphOutput:
			info, err := parseValueInfo(v.bytes)
			if err != nil {
				return fmt.Errorf("graph output %d: %w", len(m.Outputs), err)
			}
			m.Outputs = append(m.Outputs, info)
		case graphInitializer:
			d, name, err := ParseTensor(v.bytes)
			if err == nil && name == "" {
				err = formatErrorf("no name")
			}
			if err != nil {
				return fmt.Errorf("initializer %s: %w", quote(name), err)
			}
			return m.define(name, d)
		case graphSparseInitializer:
			return unsupportedErrorf("sparse initializer")
		}
		return nil
	})
	if err != nil {
		return err
	}
	if err := m.checkDefaults(); err != nil {
		return err
	}
	return m.parseNodes(data, isInput)
}

// define adds a constant under a name that no other constant has.
func (m *Model) define(name string, d tensor.Dense) error {
	if _, taken := m.constants[name]; taken {
		return formatErrorf("value %s is defined twice", quote(name))
	}
	m.constants[name] = d
	return nil
}

// checkDefaults compares initializers with the inputs they are the default of.
func (m *Model) checkDefaults() error {
	for _, in := range m.Inputs {
		if d, has := m.constants[in.Name]; has {
			if err := in.check(d.Type, map[string]int{}); err != nil {
				return fmt.Errorf("initializer %s: %w", quote(in.Name), err)
			}
		}
	}
	return nil
}

// parseNodes takes the nodes in the order of the file: each may use what is known
// by then.
func (m *Model) parseNodes(data []byte, isInput map[string]bool) error {
	known := isInput // and so are the constants
	for name := range m.constants {
		known[name] = true
	}
	index := 0
	err := graphProto.walk(data, func(v value) error {
		if v.number != graphNode {
			return nil
		}
		n, err := parseNode(v.bytes)
		if err == nil {
			err = m.addNode(n, index, known)
		}
		if err != nil {
			return fmt.Errorf("%s: %w", nodeTitle(index, n.opType, n.domain, n.name), err)
		}
		index++
		return nil
	})
	if err == nil && len(m.Nodes) == 0 {
		err = unsupportedErrorf("no node of %s", operatorNames())
	}
	if err != nil {
		return err
	}
	return m.checkOutputs(known)
}

func (m *Model) addNode(n node, index int, known map[string]bool) error {
	most := 1
	if spec, ours := operators[n.opType]; ours && n.isStandard() {
		most = spec.outputs
	}
	if len(n.outputs) == 0 || len(n.outputs) > most || n.outputs[0] == "" {
		if most > 1 {
			return fmt.Errorf("%w: %d outputs, must be 1 to %d with a name", tensor.ErrArity, len(n.outputs), most)
		}
		return fmt.Errorf("%w: %d outputs, must be 1 with a name", tensor.ErrArity, len(n.outputs))
	}
	for _, output := range n.outputs {
		if known[output] {
			return formatErrorf("value %s is defined twice", quote(output))
		}
		known[output] = output != "" // the empty name is an absent output
	}
	if n.isStandard() && n.opType == "Constant" {
		d, err := n.constant(m.Opset)
		if err != nil {
			return err
		}
		return m.define(n.outputs[0], d)
	}
	op, err := n.build(m.Opset)
	if err != nil {
		return err
	}
	for i, name := range n.inputs {
		if name != "" && (!known[name] || slices.Contains(n.outputs, name)) {
			return formatErrorf("input %d is %s, which no input, initializer or earlier node gives", i, quote(name))
		}
	}
	m.Nodes = append(m.Nodes, Node{OpType: n.opType, Name: n.name, Inputs: n.inputs, Outputs: n.outputs, index: index, op: op})
	return nil
}

func (m *Model) checkOutputs(known map[string]bool) error {
	if len(m.Outputs) == 0 {
		return formatErrorf("graph without outputs")
	}
	seen := map[string]bool{}
	for i, out := range m.Outputs {
		if !known[out.Name] {
			return formatErrorf("graph output %d is %s, which nothing in the graph gives", i, quote(out.Name))
		}
		if seen[out.Name] {
			return formatErrorf("graph output %d: %s twice", i, quote(out.Name))
		}
		seen[out.Name] = true
	}
	return nil
}

// Required are the inputs that have no default, in order.
func (m *Model) Required() []ValueInfo {
	return slices.DeleteFunc(slices.Clone(m.Inputs), func(in ValueInfo) bool {
		_, hasDefault := m.constants[in.Name]
		return hasDefault
	})
}
