package onnx

import (
	"math"

	"google.golang.org/protobuf/encoding/protowire"

	"vkops/tensor"
)

// message builds protobuf messages field by field, wrong ones too.
type message []byte

func (m message) int(field int, v int64) message {
	m = protowire.AppendTag(m, protowire.Number(field), protowire.VarintType)
	return protowire.AppendVarint(m, uint64(v))
}

func (m message) bytes(field int, v []byte) message {
	m = protowire.AppendTag(m, protowire.Number(field), protowire.BytesType)
	return protowire.AppendBytes(m, v)
}

func (m message) text(field int, v string) message { return m.bytes(field, []byte(v)) }

func (m message) fixed32(field int, v uint32) message {
	m = protowire.AppendTag(m, protowire.Number(field), protowire.Fixed32Type)
	return protowire.AppendFixed32(m, v)
}

func (m message) fixed64(field int, v uint64) message {
	m = protowire.AppendTag(m, protowire.Number(field), protowire.Fixed64Type)
	return protowire.AppendFixed64(m, v)
}

func (m message) and(parts ...message) message {
	for _, p := range parts {
		m = append(m, p...)
	}
	return m
}

// packed joins varints into the value of a packed field.
func packed(values ...int64) []byte {
	var b []byte
	for _, v := range values {
		b = protowire.AppendVarint(b, uint64(v))
	}
	return b
}

func dims(ns ...int64) message {
	var m message
	for _, n := range ns {
		m = m.int(tensorDims, n)
	}
	return m
}

// Attributes.
func intAttr(name string, v int64) message {
	return message{}.text(attributeName, name).int(attributeI, v).int(attributeType, int64(kindInt))
}

func stringAttr(name, v string) message {
	return message{}.text(attributeName, name).text(attributeS, v).int(attributeType, int64(kindString))
}

func floatAttr(name string, v float32) message {
	return message{}.text(attributeName, name).fixed32(attributeF, math.Float32bits(v)).int(attributeType, int64(kindFloat))
}

func tensorAttr(name string, v message) message {
	return message{}.text(attributeName, name).bytes(attributeT, v).int(attributeType, int64(kindTensor))
}

func intsAttr(name string, vs ...int64) message {
	return message{}.text(attributeName, name).bytes(attributeInts, packed(vs...)).int(attributeType, int64(kindInts))
}

// nodeOf builds a node; an attribute goes with .bytes(nodeAttribute, ...).
func nodeOf(opType string, inputs []string, outputs ...string) message {
	var m message
	for _, name := range inputs {
		m = m.text(nodeInput, name)
	}
	for _, name := range outputs {
		m = m.text(nodeOutput, name)
	}
	return m.text(nodeOpType, opType)
}

func (m message) attr(a message) message { return m.bytes(nodeAttribute, a) }

// declare builds a ValueInfoProto; a dimension is an int or a name, "?" is open.
func declare(name string, number int64, ds ...any) message {
	var shape message
	for _, d := range ds {
		var dim message
		switch d := d.(type) {
		case int:
			dim = dim.int(dimensionValue, int64(d))
		case string:
			if d != "?" {
				dim = dim.text(dimensionParam, d)
			}
		}
		shape = shape.bytes(shapeDim, dim)
	}
	return valueInfo(name, message{}.int(elementType, number).bytes(elementShape, shape))
}

func valueInfo(name string, tensorType message) message {
	return message{}.text(valueName, name).bytes(valueType, message{}.bytes(typeTensor, tensorType))
}

// graph parts.
func inputPart(v message) message  { return message{}.bytes(graphInput, v) }
func outputPart(v message) message { return message{}.bytes(graphOutput, v) }
func nodePart(v message) message   { return message{}.bytes(graphNode, v) }
func initPart(v message) message   { return message{}.bytes(graphInitializer, v) }

func opset(domain string, version int64) message {
	return message{}.bytes(modelOpsetImport, message{}.text(opsetDomain, domain).int(opsetVersion, version))
}

// modelOf builds a model of IR version 8 with the opset and graph parts.
func modelOf(version int64, parts ...message) message {
	return message{}.int(modelIRVersion, 8).bytes(modelGraph, message{}.and(parts...)).and(opset("", version))
}

// named is the TensorProto of d, with raw data.
func named(name string, d tensor.Dense) message {
	number, _ := numberOf(d.DType)
	m := message{}
	for _, n := range d.Shape {
		m = m.int(tensorDims, int64(n))
	}
	return m.int(tensorDataType, int64(number)).text(tensorName, name).bytes(tensorRawData, d.Data)
}

func of[T tensor.Element](values []T, shape ...int) tensor.Dense {
	d, err := tensor.Of(values, shape...)
	if err != nil {
		panic(err)
	}
	return d
}

// Element type numbers of onnx.proto.
const (
	numF32 = 1
	numI32 = 6
	numI64 = 7
	numF16 = 10
	numF64 = 11
)
