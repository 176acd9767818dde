package onnx

import (
	"encoding/binary"
	"fmt"
	"math"

	"vkops/tensor"
)

// typedFields says which field besides raw_data may hold each type's elements.
var typedFields = map[tensor.DType]fieldNumber{
	tensor.F16: tensorInt32Data, tensor.BF16: tensorInt32Data, tensor.I32: tensorInt32Data,
	tensor.F32: tensorFloatData, tensor.F64: tensorDoubleData, tensor.I64: tensorInt64Data,
	tensor.U32: tensorUint64Data, tensor.U64: tensorUint64Data,
}

// tensorHead is a TensorProto without its elements: they are counted first, so
// that memory is taken only for those that are there.
type tensorHead struct {
	name   string
	typ    tensor.Type
	raw    []byte
	hasRaw bool
	counts [16]int64 // elements by field number
}

// ParseTensor reads one TensorProto and gives its name beside it. The result shares none of
// data. Elements may be raw or in the typed fields; what is kept in a second file, or not
// read here for another reason, is [ErrUnsupported], what is no whole TensorProto [ErrFormat].
func ParseTensor(data []byte) (tensor.Dense, string, error) {
	head, err := parseTensorHead(data)
	if err != nil {
		return tensor.Dense{}, "", err
	}
	t := head.typ
	size, err := t.Bytes()
	if err != nil {
		return tensor.Dense{}, "", formatErrorf("TensorProto.dims: %v", err)
	}
	if err := head.checkData(size); err != nil {
		return tensor.Dense{}, "", err
	}
	d, err := tensor.NewDense(t)
	if err != nil {
		return tensor.Dense{}, "", err
	}
	if head.hasRaw {
		copy(d.Data, head.raw)
	} else if err := fillTyped(d, data); err != nil {
		return tensor.Dense{}, "", err
	}
	return d, head.name, nil
}

func parseTensorHead(data []byte) (tensorHead, error) {
	var h tensorHead
	var dataType, location int64
	err := tensorProto.walk(data, func(v value) error {
		h.counts[v.number]++
		switch v.number {
		case tensorDataType:
			dataType = int64(v.bits)
		case tensorDataLocation:
			location = int64(v.bits)
		case tensorName:
			h.name = string(v.bytes)
		case tensorRawData:
			h.raw, h.hasRaw = v.bytes, true
		}
		return nil
	})
	if err != nil {
		return h, err
	}
	if location != 0 || h.counts[tensorExternalData] > 0 {
		return h, unsupportedErrorf("TensorProto %s keeps its data in another file", quote(h.name))
	}
	if h.counts[tensorSegment] > 0 {
		return h, unsupportedErrorf("TensorProto %s is a segment of a larger tensor", quote(h.name))
	}
	if h.typ.DType, err = dtypeOf(dataType); err != nil {
		return h, fmt.Errorf("TensorProto.data_type: %w", err)
	}
	h.typ.Shape, err = parseDims(data, h.counts[tensorDims])
	return h, err
}

func parseDims(data []byte, rank int64) (tensor.Shape, error) {
	shape := make(tensor.Shape, 0, rank)
	err := tensorProto.walk(data, func(v value) error {
		if v.number != tensorDims {
			return nil
		}
		n := int64(v.bits)
		if int64(int(n)) != n {
			return formatErrorf("TensorProto.dims[%d] is %d", len(shape), n)
		}
		shape = append(shape, int(n))
		return nil
	})
	return shape, err
}

// checkData compares what the dimensions ask for with what is there.
func (h *tensorHead) checkData(size int64) error {
	field := typedFields[h.typ.DType]
	for number := range h.counts {
		switch number := fieldNumber(number); number {
		case tensorFloatData, tensorInt32Data, tensorStringData, tensorInt64Data, tensorDoubleData, tensorUint64Data:
			if h.counts[number] == 0 {
				continue
			}
			if number != field || h.hasRaw {
				return formatErrorf("TensorProto.%s in a tensor of %s (raw_data: %t)", tensorProto.fields[number].name, h.typ.DType, h.hasRaw)
			}
		}
	}
	if h.hasRaw {
		if int64(len(h.raw)) != size {
			return formatErrorf("TensorProto.raw_data has %d bytes; %s needs %d", len(h.raw), h.typ, size)
		}
		return nil
	}
	if need := size / int64(h.typ.DType.Size()); h.counts[field] != need {
		return formatErrorf("TensorProto.%s has %d elements; %s needs %d", tensorProto.fields[field].name, h.counts[field], h.typ, need)
	}
	return nil
}

// fillTyped decodes the elements of the typed field; their count has been checked.
func fillTyped(d tensor.Dense, data []byte) error {
	field, size, at := typedFields[d.DType], d.DType.Size(), 0
	return tensorProto.walk(data, func(v value) error {
		if v.number != field {
			return nil
		}
		if !fits(d.DType, v.bits) {
			return formatErrorf("TensorProto.%s[%d] = %d does not fit %s", tensorProto.fields[field].name, at/size, int64(v.bits), d.DType)
		}
		switch size {
		case 2:
			binary.LittleEndian.PutUint16(d.Data[at:], uint16(v.bits))
		case 4:
			binary.LittleEndian.PutUint32(d.Data[at:], uint32(v.bits))
		default:
			binary.LittleEndian.PutUint64(d.Data[at:], v.bits)
		}
		at += size
		return nil
	})
}

// fits reports whether the value of a field wider than the type is one of its.
func fits(dtype tensor.DType, bits uint64) bool {
	switch dtype {
	case tensor.F16, tensor.BF16: // stored as their bits
		return bits <= math.MaxUint16
	case tensor.I32:
		return int64(int32(bits)) == int64(bits)
	case tensor.U32:
		return bits <= math.MaxUint32
	default:
		return true
	}
}
