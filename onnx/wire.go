package onnx

import (
	"encoding/binary"
	"fmt"

	"google.golang.org/protobuf/encoding/protowire"
)

// fieldNumber names a field of a message in files.
type fieldNumber = protowire.Number

// kind is how a field's value is encoded.
type kind uint8

const (
	integer kind = iota // varint
	fixed32
	fixed64
	blob // string, bytes or message
)

var wireTypes = [...]protowire.Type{integer: protowire.VarintType, fixed32: protowire.Fixed32Type, fixed64: protowire.Fixed64Type, blob: protowire.BytesType}

// fieldSpec describes a field of a message.
type fieldSpec struct {
	name     string
	kind     kind
	repeated bool
}

// schema describes a message. Fields that it lacks are skipped when read.
type schema struct {
	name   string
	fields map[fieldNumber]fieldSpec
}

// value is one value of a field; a repeated field gives one for each element,
// packed or not.
type value struct {
	number fieldNumber
	bits   uint64 // of integer, fixed32 and fixed64
	bytes  []byte // of blob; shares the message's memory
}

// walk visits the known fields of a message in the order of the file. What
// protobuf libraries let pass but no writer produces, a second value of a single
// field or a field of another wire type, is an error: the file is foreign.
func (s *schema) walk(data []byte, visit func(value) error) error {
	var seen uint64
	for len(data) > 0 {
		number, wire, n := protowire.ConsumeTag(data)
		if n < 0 {
			return s.malformed("tag", n)
		}
		data = data[n:]
		spec, known := s.fields[number]
		if !known {
			if n = protowire.ConsumeFieldValue(number, wire, data); n < 0 {
				return s.malformed(fmt.Sprintf("field %d", number), n)
			}
			data = data[n:]
			continue
		}
		if !spec.repeated {
			bit := uint64(1) << (number % 64)
			if seen&bit != 0 {
				return formatErrorf("%s.%s appears twice", s.name, spec.name)
			}
			seen |= bit
		}
		var err error
		if spec.repeated && spec.kind != blob && wire == protowire.BytesType {
			data, err = s.walkPacked(data, number, spec, visit)
		} else if wire == wireTypes[spec.kind] {
			data, err = s.walkOne(data, number, spec, visit)
		} else {
			err = formatErrorf("%s.%s has wire type %d", s.name, spec.name, wire)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// walkPacked visits the elements of a packed field and gives what follows it.
func (s *schema) walkPacked(data []byte, number fieldNumber, spec fieldSpec, visit func(value) error) ([]byte, error) {
	packed, n := protowire.ConsumeBytes(data)
	if n < 0 {
		return nil, s.malformed(spec.name, n)
	}
	for len(packed) > 0 {
		var err error
		if packed, err = s.walkOne(packed, number, spec, visit); err != nil {
			return nil, err
		}
	}
	return data[n:], nil
}

// walkOne visits one value and gives what follows it.
func (s *schema) walkOne(data []byte, number fieldNumber, spec fieldSpec, visit func(value) error) ([]byte, error) {
	v := value{number: number}
	var n int
	switch spec.kind {
	case integer:
		v.bits, n = protowire.ConsumeVarint(data)
	case fixed32:
		if n = 4; len(data) < n {
			return nil, formatErrorf("%s.%s is truncated", s.name, spec.name)
		}
		v.bits = uint64(binary.LittleEndian.Uint32(data))
	case fixed64:
		v.bits, n = protowire.ConsumeFixed64(data)
	default:
		v.bytes, n = protowire.ConsumeBytes(data)
	}
	if n < 0 {
		return nil, s.malformed(spec.name, n)
	}
	if err := visit(v); err != nil {
		return nil, err
	}
	return data[n:], nil
}

func (s *schema) malformed(part string, n int) error {
	return formatErrorf("%s.%s: %v", s.name, part, protowire.ParseError(n))
}
