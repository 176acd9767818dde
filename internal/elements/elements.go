// Package elements compares tensors by their bits, and shows elements with theirs.
package elements

import (
	"bytes"
	"fmt"
	"math"

	"github.com/x448/float16"

	"vkops/tensor"
)

// Differing counts the elements of two tensors of one type that differ in bits. first is the
// flat index of the first, -1 if there is none.
func Differing(a, b tensor.Dense) (count, first int64) {
	first = -1
	if bytes.Equal(a.Data, b.Data) {
		return 0, first
	}
	size := a.DType.Size()
	for i := 0; i < len(a.Data); i += size {
		if !bytes.Equal(a.Data[i:i+size], b.Data[i:i+size]) {
			if count++; first < 0 {
				first = int64(i / size)
			}
		}
	}
	return count, first
}

// Text is the value and the bits of one element: "1.5 (0x3fc00000)".
func Text(d tensor.Dense, i int64) string {
	size := int64(d.DType.Size())
	var bits uint64
	for k := size - 1; k >= 0; k-- {
		bits = bits<<8 | uint64(d.Data[i*size+k])
	}
	return fmt.Sprintf("%s (0x%0*x)", value(d.DType, bits), 2*size, bits)
}

// value is the value of an element given by its bits.
func value(t tensor.DType, bits uint64) string {
	switch t {
	case tensor.F16:
		return fmt.Sprint(float16.Frombits(uint16(bits)).Float32())
	case tensor.BF16:
		return tensor.BFloat16(bits).String()
	case tensor.F32:
		return fmt.Sprint(math.Float32frombits(uint32(bits)))
	case tensor.F64:
		return fmt.Sprint(math.Float64frombits(bits))
	case tensor.I32:
		return fmt.Sprint(int32(bits))
	case tensor.I64:
		return fmt.Sprint(int64(bits))
	}
	return fmt.Sprint(bits)
}
