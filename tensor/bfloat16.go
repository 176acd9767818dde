package tensor

import (
	"math"
	"strconv"
)

// BFloat16 is a brain floating-point number: the upper 16 bits of a float32.
type BFloat16 uint16

// BFloat16FromFloat32 rounds to nearest, ties to even. Every NaN becomes the
// quiet NaN 0x7fc0, also one whose payload sits in the low 16 bits only.
func BFloat16FromFloat32(f float32) BFloat16 {
	u := math.Float32bits(f)
	if u&0x7fffffff > 0x7f800000 {
		return 0x7fc0
	}
	return BFloat16((u + 0x7fff + u>>16&1) >> 16)
}

// Float32 is the exact value as a float32.
func (b BFloat16) Float32() float32 { return math.Float32frombits(uint32(b) << 16) }

// Bits is the bit pattern.
func (b BFloat16) Bits() uint16 { return uint16(b) }

// String is the shortest decimal that reads back as the float32 of the same value.
func (b BFloat16) String() string {
	return strconv.FormatFloat(float64(b.Float32()), 'g', -1, 32)
}
