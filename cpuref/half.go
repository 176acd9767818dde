package cpuref

import (
	"math"

	"github.com/x448/float16"

	"vkops/tensor"
)

// half is an element type that is stored in 16 bits and widened to float32.
// Twin: shaders/include/pack16.glsl.
type half interface {
	float16.Float16 | tensor.BFloat16
}

// widenHalves is exact: dst[i] = src[i]. src is at most a run.
func widenHalves[H half](dst *[radix]float32, src []H) []float32 {
	out := dst[:len(src)]
	switch src := any(src).(type) {
	case []float16.Float16:
		for i, h := range src {
			out[i] = float32FromHalf(h)
		}
	case []tensor.BFloat16:
		for i, b := range src {
			out[i] = b.Float32()
		}
	}
	return out
}

// roundHalves rounds to nearest, ties to even; a NaN becomes 7e00 or 7fc0.
func roundHalves[H half](dst []H, src []float32) {
	switch dst := any(dst).(type) {
	case []float16.Float16:
		for i, x := range src {
			dst[i] = halfFromFloat32(x)
		}
	case []tensor.BFloat16:
		for i, x := range src {
			dst[i] = tensor.BFloat16FromFloat32(x)
		}
	}
}

func float32FromHalf(h float16.Float16) float32 {
	sign, magnitude := uint32(h&0x8000)<<16, uint32(h&0x7fff)
	switch {
	case magnitude < 0x400: // subnormals: units of 2^-24
		return math.Float32frombits(sign | math.Float32bits(float32(magnitude)*0x1p-24))
	case magnitude < 0x7c00:
		return math.Float32frombits(sign | magnitude<<13 + 0x38000000)
	default:
		return math.Float32frombits(sign | magnitude<<13 + 0x70000000)
	}
}

func halfFromFloat32(x float32) float16.Float16 {
	bits := math.Float32bits(x)
	sign, magnitude := bits>>16&0x8000, bits&0x7fffffff
	switch {
	case magnitude > 0x7f800000:
		return 0x7e00
	case magnitude >= 0x477ff000: // 65520
		return float16.Float16(sign | 0x7c00)
	case magnitude >= 0x38800000: // 2^-14
		return float16.Float16(sign | (magnitude-0x38000000+0xfff+magnitude>>13&1)>>13)
	default: // units of 2^-24; 2^-25 and below give 0
		significand := magnitude&0x7fffff | 0x800000
		shift := min(126-magnitude>>23, 25)
		return float16.Float16(sign | (significand+1<<(shift-1)-1+significand>>shift&1)>>shift)
	}
}
