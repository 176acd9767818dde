package host

import (
	"fmt"
	"math"

	"github.com/x448/float16"

	"vkops/tensor"
)

// formatBits is the value of an element given by its bits.
func formatBits(t tensor.DType, bits uint64) string {
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
