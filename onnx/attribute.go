package onnx

import (
	"fmt"
	"math"

	"vkops/tensor"
)

// attributeKind is AttributeProto.AttributeType.
type attributeKind int64

const (
	kindFloat  attributeKind = 1
	kindInt    attributeKind = 2
	kindString attributeKind = 3
	kindTensor attributeKind = 4
	kindFloats attributeKind = 6
	kindInts   attributeKind = 7
)

var kindNames = map[attributeKind]string{
	kindFloat: "FLOAT", kindInt: "INT", kindString: "STRING", kindTensor: "TENSOR", 5: "GRAPH",
	kindFloats: "FLOATS", kindInts: "INTS", 8: "STRINGS", 9: "TENSORS", 10: "GRAPHS",
	11: "SPARSE_TENSOR", 12: "SPARSE_TENSORS", 13: "TYPE_PROTO", 14: "TYPE_PROTOS",
}

func (k attributeKind) String() string {
	if name, ok := kindNames[k]; ok {
		return name
	}
	return fmt.Sprintf("type %d", int64(k))
}

// kindOfField says which kind each value field belongs to.
var kindOfField = map[fieldNumber]attributeKind{
	attributeF: kindFloat, attributeI: kindInt, attributeS: kindString,
	attributeT: kindTensor, attributeFloats: kindFloats, attributeInts: kindInts,
}

// attribute is an AttributeProto of a kind that one of our nodes can have.
type attribute struct {
	name   string
	kind   attributeKind
	f      float32
	i      int64
	s      string
	t      []byte // an undecoded TensorProto
	floats []float32
	ints   []int64
}

// attributes are those of one node, a handful.
type attributes []attribute

// find is the attribute of that name, or a zero one.
func (as attributes) find(name string) (attribute, bool) {
	for _, a := range as {
		if a.name == name {
			return a, true
		}
	}
	return attribute{}, false
}

// int is the value of an INT attribute, 0 if absent.
func (as attributes) int(name string) int64 {
	a, _ := as.find(name)
	return a.i
}

// parseAttributeName reads no more than the name, so that an unknown attribute
// is refused before memory is spent on its value.
func parseAttributeName(data []byte) (string, error) {
	name := ""
	err := attributeProto.walk(data, func(v value) error {
		switch v.number {
		case attributeName:
			name = string(v.bytes)
		case attributeRefName:
			return unsupportedErrorf("attribute that refers to a function's attribute %s", quote(string(v.bytes)))
		}
		return nil
	})
	if err == nil && name == "" {
		err = formatErrorf("AttributeProto without a name")
	}
	return name, err
}

// parseAttribute reads an attribute that must be of kind want.
func parseAttribute(data []byte, want attributeKind) (attribute, error) {
	a, present := attribute{}, 0
	err := attributeProto.walk(data, func(v value) error {
		if k, ok := kindOfField[v.number]; ok {
			if k != want {
				return wrongKind(k, want)
			}
			present++
		}
		switch v.number {
		case attributeName:
			a.name = string(v.bytes)
		case attributeType:
			a.kind = attributeKind(v.bits)
		case attributeI:
			a.i = int64(v.bits)
		case attributeF:
			a.f = math.Float32frombits(uint32(v.bits))
		case attributeS:
			a.s = string(v.bytes)
		case attributeT:
			a.t = v.bytes
		case attributeG:
			return wrongKind(5, want)
		}
		return nil
	})
	if err != nil {
		return a, err
	}
	if a.kind != want {
		return a, wrongKind(a.kind, want)
	}
	if a.kind == kindFloats || a.kind == kindInts {
		return a, a.parseLists(data, present)
	}
	if present == 0 && a.kind == kindTensor { // writers by proto3 leave out 0 and ""
		return a, formatErrorf("AttributeProto of type %s without a value", a.kind)
	}
	return a, nil
}

// parseLists collects floats or ints, of which there are count.
func (a *attribute) parseLists(data []byte, count int) error {
	if a.kind == kindFloats {
		a.floats = make([]float32, 0, count)
	} else {
		a.ints = make([]int64, 0, count)
	}
	return attributeProto.walk(data, func(v value) error {
		switch v.number {
		case attributeFloats:
			a.floats = append(a.floats, math.Float32frombits(uint32(v.bits)))
		case attributeInts:
			a.ints = append(a.ints, int64(v.bits))
		}
		return nil
	})
}

func wrongKind(got, want attributeKind) error {
	return fmt.Errorf("%w: is %s, must be %s", tensor.ErrAttribute, got, want)
}
