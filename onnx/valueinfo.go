package onnx

import (
	"fmt"
	"strings"

	"vkops/tensor"
)

// Dim is a dimension as a model declares it.
type Dim struct {
	// Size is the extent, or -1 where it is open.
	Size int
	// Param names an open dimension; equal names stand for equal extents.
	Param string
}

// String is the extent, the name, or "?".
func (d Dim) String() string {
	switch {
	case d.Size >= 0:
		return fmt.Sprint(d.Size)
	case d.Param != "":
		return quote(d.Param)
	}
	return "?"
}

// ValueInfo is a model's declared input or output.
type ValueInfo struct {
	Name  string
	DType tensor.DType
	// Dims, outermost first, is nil where not even the rank is declared, and empty for a scalar.
	Dims []Dim
}

func parseValueInfo(data []byte) (ValueInfo, error) {
	var info ValueInfo
	var typ []byte
	err := valueInfoProto.walk(data, func(v value) error {
		switch v.number {
		case valueName:
			info.Name = string(v.bytes)
		case valueType:
			typ = v.bytes
		}
		return nil
	})
	if err != nil {
		return info, err
	}
	if info.Name == "" {
		return info, formatErrorf("ValueInfoProto without a name")
	}
	if err := info.parseType(typ); err != nil {
		return info, fmt.Errorf("value %s: %w", quote(info.Name), err)
	}
	return info, nil
}

func (info *ValueInfo) parseType(data []byte) error {
	var tensorType []byte
	declared := false
	err := typeProto.walk(data, func(v value) error {
		if v.number != typeTensor {
			return unsupportedErrorf("%s; only tensors are read", typeProto.fields[v.number].name)
		}
		tensorType, declared = v.bytes, true
		return nil
	})
	if err != nil {
		return err
	}
	if !declared {
		return formatErrorf("ValueInfoProto without a tensor type")
	}
	var number int64
	var shape []byte
	ranked := false
	err = tensorTypeProto.walk(tensorType, func(v value) error {
		switch v.number {
		case elementType:
			number = int64(v.bits)
		case elementShape:
			shape, ranked = v.bytes, true
		}
		return nil
	})
	if err != nil {
		return err
	}
	if info.DType, err = dtypeOf(number); err != nil {
		return err
	}
	if ranked {
		info.Dims, err = parseDeclaredShape(shape)
	}
	return err
}

func parseDeclaredShape(data []byte) ([]Dim, error) {
	rank := 0
	err := shapeProto.walk(data, func(value) error { rank++; return nil })
	if err != nil {
		return nil, err
	}
	dims := make([]Dim, 0, rank)
	err = shapeProto.walk(data, func(v value) error {
		d, err := parseDim(v.bytes)
		dims = append(dims, d)
		return err
	})
	return dims, err
}

func parseDim(data []byte) (Dim, error) {
	d := Dim{Size: -1}
	err := dimensionProto.walk(data, func(v value) error {
		if v.number == dimensionParam {
			d.Param = string(v.bytes)
			return nil
		}
		n := int64(v.bits)
		if n < 0 || int64(int(n)) != n {
			return formatErrorf("declared dimension %d", n)
		}
		d.Size = int(n)
		return nil
	})
	if err == nil && d.Size >= 0 && d.Param != "" {
		err = formatErrorf("declared dimension is both %d and %s", d.Size, quote(d.Param))
	}
	return d, err
}

// String prints the declaration, such as "x float32[2 N]".
func (info ValueInfo) String() string {
	if info.Dims == nil {
		return fmt.Sprintf("%s %s[...]", quote(info.Name), info.DType)
	}
	parts := make([]string, len(info.Dims))
	for i, d := range info.Dims {
		parts[i] = d.String()
	}
	return fmt.Sprintf("%s %s[%s]", quote(info.Name), info.DType, strings.Join(parts, " "))
}

// check compares a tensor's type with the declaration. params holds the extents
// that named dimensions have taken so far and grows.
func (info ValueInfo) check(t tensor.Type, params map[string]int) error {
	if t.DType != info.DType {
		return fmt.Errorf("%w: tensor of %s, declared %s", tensor.ErrType, t, info)
	}
	if info.Dims == nil {
		return nil
	}
	if len(t.Shape) != len(info.Dims) {
		return fmt.Errorf("%w: tensor of %s, declared %s", tensor.ErrShape, t, info)
	}
	for i, d := range info.Dims {
		n := t.Shape[i]
		if d.Size >= 0 && d.Size != n {
			return fmt.Errorf("%w: tensor of %s, declared %s", tensor.ErrShape, t, info)
		}
		if d.Param == "" {
			continue
		}
		if before, known := params[d.Param]; known && before != n {
			return fmt.Errorf("%w: tensor of %s, declared %s, where %s is %d already", tensor.ErrShape, t, info, d, before)
		}
		params[d.Param] = n
	}
	return nil
}
