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

// widenHalves is exact: dst holds the elements of src at a span.
func widenHalves[H half](dst []float32, src []H, at span) {
	i := at.start
	switch src := any(src).(type) {
	case []float16.Float16:
		for k := range dst {
			dst[k] = float32FromHalf(src[i])
			i += at.step
		}
	case []tensor.BFloat16:
		for k := range dst {
			dst[k] = src[i].Float32()
			i += at.step
		}
	}
}

// roundHalves rounds to nearest, ties to even; a NaN becomes 7e00 or 7fc0.
func roundHalves[H half](dst []H, at span, src []float32) {
	i := at.start
	switch dst := any(dst).(type) {
	case []float16.Float16:
		for _, x := range src {
			dst[i] = halfFromFloat32(x)
			i += at.step
		}
	case []tensor.BFloat16:
		for _, x := range src {
			dst[i] = tensor.BFloat16FromFloat32(x)
			i += at.step
		}
	}
}

// widenRun and roundRun are the same for a run in one piece.
func widenRun[H half](dst *[radix]float32, src []H) []float32 {
	out := dst[:len(src)]
	widenHalves(out, src, span{0, 1, len(src)})
	return out
}

func roundRun[H half](dst []H, src []float32) { roundHalves(dst, span{0, 1, len(dst)}, src) }

// canonicalHalf is the element itself, a NaN as results carry it.
func canonicalHalf[H half](x H) H {
	var wide [radix]float32
	in := [1]H{x}
	roundRun(in[:], widenRun(&wide, in[:]))
	return in[0]
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
