package onnx

import (
	"fmt"

	"vkops/tensor"
)

// node is a NodeProto whose attributes are not decoded yet: which ones may be
// there depends on the operator.
type node struct {
	name, opType, domain string
	inputs, outputs      []string
	data                 []byte
}

// maxValues bounds the names kept of a node; no operator here has more inputs.
const maxValues = 8

func parseNode(data []byte) (node, error) {
	n := node{data: data}
	overload := ""
	err := nodeProto.walk(data, func(v value) error {
		switch v.number {
		case nodeInput:
			n.inputs = append(n.inputs, string(v.bytes))
		case nodeOutput:
			n.outputs = append(n.outputs, string(v.bytes))
		case nodeName:
			n.name = string(v.bytes)
		case nodeOpType:
			n.opType = string(v.bytes)
		case nodeDomain:
			n.domain = string(v.bytes)
		case nodeOverload:
			overload = string(v.bytes)
		}
		if len(n.inputs) > maxValues || len(n.outputs) > maxValues {
			return unsupportedErrorf("more than %d inputs or outputs", maxValues)
		}
		return nil
	})
	if err == nil && n.opType == "" {
		err = formatErrorf("NodeProto without an op_type")
	}
	if err == nil && overload != "" {
		err = unsupportedErrorf("overload %s", quote(overload))
	}
	return n, err
}

// nodeTitle names a node in messages.
func nodeTitle(index int, opType, domain, name string) string {
	s := fmt.Sprintf("node %d (%s", index, quote(opType))
	if !isStandardDomain(domain) {
		s += " of domain " + quote(domain)
	}
	if name != "" {
		s += " named " + quote(name)
	}
	return s + ")"
}

func (n node) isStandard() bool { return isStandardDomain(n.domain) }

// build makes the operator of a node that must be one of ours.
func (n node) build(opset int64) (tensor.Op, error) {
	spec, ours := operators[n.opType]
	if !ours || !n.isStandard() {
		return nil, unsupportedErrorf("operator %s; supported: %s", quote(n.opType), operatorNames())
	}
	if opset < spec.since {
		return nil, unsupportedErrorf("%s in opset %d; it exists since %d", n.opType, opset, spec.since)
	}
	if len(n.inputs) < spec.required || len(n.inputs) > len(spec.inputs) {
		return nil, fmt.Errorf("%w: %d inputs, takes %d to %d", tensor.ErrArity, len(n.inputs), spec.required, len(spec.inputs))
	}
	for i, name := range n.inputs[:spec.required] {
		if name == "" {
			return nil, fmt.Errorf("%w: input %s is absent", tensor.ErrArity, spec.inputs[i])
		}
	}
	attrs, err := n.attributes(spec.attributes)
	if err != nil {
		return nil, err
	}
	return spec.build(attrs)
}

// attributes decodes the attributes and refuses those not in allowed.
func (n node) attributes(allowed map[string]attributeKind) (attributes, error) {
	var attrs attributes
	err := nodeProto.walk(n.data, func(v value) error {
		if v.number != nodeAttribute {
			return nil
		}
		name, err := parseAttributeName(v.bytes)
		if err != nil {
			return err
		}
		kind, ok := allowed[name]
		if !ok {
			return fmt.Errorf("%w: unknown attribute %s", tensor.ErrAttribute, quote(name))
		}
		if _, twice := attrs.find(name); twice {
			return fmt.Errorf("%w: attribute %s twice", tensor.ErrAttribute, name)
		}
		a, err := parseAttribute(v.bytes, kind)
		if err != nil {
			return fmt.Errorf("attribute %s: %w", name, err)
		}
		attrs = append(attrs, a)
		return nil
	})
	return attrs, err
}

// Scalars and lists of Constant came with opset 12; before, there was value.
const constantScalarsSince = 12

var (
	constantAttributes = map[string]attributeKind{
		"value": kindTensor, "value_int": kindInt, "value_ints": kindInts,
		"value_float": kindFloat, "value_floats": kindFloats,
	}
	oldConstantAttributes = map[string]attributeKind{"value": kindTensor}
)

// constant is the value of a Constant node.
func (n node) constant(opset int64) (tensor.Dense, error) {
	if len(n.inputs) != 0 {
		return tensor.Dense{}, fmt.Errorf("%w: %d inputs, takes 0", tensor.ErrArity, len(n.inputs))
	}
	allowed := constantAttributes
	if opset < constantScalarsSince {
		allowed = oldConstantAttributes
	}
	attrs, err := n.attributes(allowed)
	if err != nil {
		return tensor.Dense{}, err
	}
	if len(attrs) != 1 {
		return tensor.Dense{}, fmt.Errorf("%w: Constant with %d values, must have 1", tensor.ErrAttribute, len(attrs))
	}
	return attrs[0].dense()
}

// dense is the value as the tensor that a Constant node gives.
func (a attribute) dense() (tensor.Dense, error) {
	switch a.kind {
	case kindTensor:
		d, _, err := ParseTensor(a.t)
		return d, err
	case kindInt:
		return tensor.Of([]int64{a.i})
	case kindInts:
		return tensor.Of(a.ints, len(a.ints))
	case kindFloat:
		return tensor.Of([]float32{a.f})
	default:
		return tensor.Of(a.floats, len(a.floats))
	}
}
