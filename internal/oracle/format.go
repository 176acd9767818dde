package oracle

import (
	"fmt"
	"math"

	"github.com/x448/float16"

	"vkops/tensor"
)

// format is a binary floating-point type.
type format struct {
	precision  int // bits of the significand
	minE, maxE int // exponents of the smallest normal and of the largest number
}

var formats = map[tensor.DType]format{
	tensor.F16:  {11, -14, 15},
	tensor.BF16: {8, -126, 127},
	tensor.F32:  {24, -126, 127},
	tensor.F64:  {53, -1022, 1023},
}

// working is the format that arithmetic on elements of a type runs in.
func working(d tensor.DType) format {
	if d == tensor.F64 {
		return formats[tensor.F64]
	}
	return formats[tensor.F32]
}

// ulp is the distance of neighbouring numbers around x.
func (f format) ulp(x float64) float64 {
	const bias = 1023 // 0 and subnormal x have a stored exponent of 0, below any minE
	e := int(math.Float64bits(x)>>52&0x7ff) - bias
	e = min(max(e, f.minE), f.maxE) - f.precision + 1
	if e <= -bias {
		return math.Ldexp(1, e)
	}
	return math.Float64frombits(uint64(e+bias) << 52)
}

// overflow is the first power of two that is too large.
func (f format) overflow() float64 {
	if f.maxE == 1023 {
		return math.Inf(1)
	}
	return math.Ldexp(1, f.maxE+1)
}

// finite is whether |x| is in the range of the type.
func (f format) finite(x float64) bool { return math.Abs(x) <= f.largest() }

func (f format) largest() float64 {
	return math.Ldexp(2-math.Ldexp(1, 1-f.precision), f.maxE)
}

// floats are the elements of a tensor of floats, exactly.
func floats(d tensor.Dense) ([]float64, error) {
	if want, err := d.Bytes(); err != nil || want != int64(len(d.Data)) {
		return nil, fmt.Errorf("oracle: %d bytes for %s", len(d.Data), d.Type)
	}
	switch d.DType {
	case tensor.F16:
		return convert(d, func(h float16.Float16) float64 { return float64(h.Float32()) }), nil
	case tensor.BF16:
		return convert(d, func(b tensor.BFloat16) float64 { return float64(b.Float32()) }), nil
	case tensor.F32:
		return convert(d, func(x float32) float64 { return float64(x) }), nil
	case tensor.F64:
		return tensor.ValuesOf[float64](d.Data), nil
	default:
		return nil, fmt.Errorf("oracle: %w: %s", tensor.ErrType, d.DType)
	}
}

func convert[T tensor.Element](d tensor.Dense, to func(T) float64) []float64 {
	values := tensor.ValuesOf[T](d.Data)
	out := make([]float64, len(values))
	for i, v := range values {
		out[i] = to(v)
	}
	return out
}
