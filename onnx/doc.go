// Package onnx reads what the operators of vkops meet in files: ONNX models of
// their nodes, TensorProto files (.pb) and NumPy arrays (.npy); it writes the last
// two. Files are taken as hostile: reading never panics, takes memory in
// proportion to the file and follows no path that a file names.
package onnx

import (
	"fmt"
	"strconv"

	"vkops/internal/npy"
	"vkops/tensor"
)

// Sentinels for errors.Is. An error about an operator's argument wraps the
// sentinel of package tensor instead.
var (
	// ErrFormat: a file is truncated, foreign or contradicts itself.
	ErrFormat = npy.ErrFormat
	// ErrUnsupported: a file is well formed but holds what is not read here, such
	// as another operator, another element type or data kept in a second file.
	ErrUnsupported = npy.ErrUnsupported
)

func formatErrorf(format string, args ...any) error {
	return fmt.Errorf("%w: %s", ErrFormat, fmt.Sprintf(format, args...))
}

func unsupportedErrorf(format string, args ...any) error {
	return fmt.Errorf("%w: %s", ErrUnsupported, fmt.Sprintf(format, args...))
}

// quote makes a name out of a file fit to print, whatever it holds.
func quote(s string) string {
	const longest = 64
	if len(s) > longest {
		return strconv.QuoteToASCII(s[:longest]) + "..."
	}
	return strconv.QuoteToASCII(s)
}

// dataTypes are the element types of TensorProto.DataType by number; those
// without a DType are known by name only.
var dataTypes = [...]struct {
	name  string
	dtype tensor.DType
}{
	0: {"undefined", tensor.Invalid}, 1: {"float32", tensor.F32}, 2: {name: "uint8"}, 3: {name: "int8"},
	4: {name: "uint16"}, 5: {name: "int16"}, 6: {"int32", tensor.I32}, 7: {"int64", tensor.I64},
	8: {name: "string"}, 9: {name: "bool"}, 10: {"float16", tensor.F16}, 11: {"float64", tensor.F64},
	12: {"uint32", tensor.U32}, 13: {"uint64", tensor.U64}, 14: {name: "complex64"}, 15: {name: "complex128"},
	16: {"bfloat16", tensor.BF16}, 17: {name: "float8e4m3fn"}, 18: {name: "float8e4m3fnuz"},
	19: {name: "float8e5m2"}, 20: {name: "float8e5m2fnuz"}, 21: {name: "uint4"}, 22: {name: "int4"},
	23: {name: "float4e2m1"}, 24: {name: "float8e8m0"}, 25: {name: "uint2"}, 26: {name: "int2"},
}

// dtypeOf finds an element type by its number in files.
func dtypeOf(number int64) (tensor.DType, error) {
	switch {
	case number == 0:
		return tensor.Invalid, formatErrorf("no element type")
	case number < 0 || number >= int64(len(dataTypes)):
		return tensor.Invalid, fmt.Errorf("%w: %w: unknown element type %d", ErrUnsupported, tensor.ErrType, number)
	case dataTypes[number].dtype == tensor.Invalid:
		return tensor.Invalid, fmt.Errorf("%w: %w: %s", ErrUnsupported, tensor.ErrType, dataTypes[number].name)
	}
	return dataTypes[number].dtype, nil
}

// numberOf is the number of an element type in files.
func numberOf(d tensor.DType) (uint64, bool) {
	for i, t := range dataTypes {
		if t.dtype == d && d != tensor.Invalid {
			return uint64(i), true
		}
	}
	return 0, false
}
