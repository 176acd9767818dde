package cpuref

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/x448/float16"

	"vkops/tensor"
)

func TestEveryHalfWidensExactly(t *testing.T) {
	for i := range 1 << 16 {
		h := float16.Float16(i)
		got, want := float32FromHalf(h), h.Float32()
		if h.IsNaN() {
			require.True(t, got != got)
			require.Equal(t, float16.Float16(0x7e00), halfFromFloat32(got))
			continue
		}
		require.Equal(t, math.Float32bits(want), math.Float32bits(got), "%#x", i)
		require.Equal(t, h, halfFromFloat32(got))
	}
}

// nearest rounds by trying the two neighbours in float64.
func nearest(x float32, below, above float16.Float16) float16.Float16 {
	lo, hi := float64(x)-float64(below.Float32()), float64(above.Float32())-float64(x)
	switch {
	case lo < hi, lo == hi && below&1 == 0:
		return below
	default:
		return above
	}
}

func TestHalvesRoundToNearest(t *testing.T) {
	for i := range 0x7bff { // each finite gap: its ends, middle, and beside them
		below, above := float16.Float16(i), float16.Float16(i+1)
		a, b := below.Float32(), above.Float32()
		middle := a + (b-a)/2
		for _, x := range []float32{a, math.Nextafter32(a, b), math.Nextafter32(middle, a), middle, math.Nextafter32(middle, b), math.Nextafter32(b, a)} {
			want := nearest(x, below, above)
			require.Equal(t, want, halfFromFloat32(x), "%v", x)
			require.Equal(t, want|0x8000, halfFromFloat32(-x), "%v", -x)
		}
	}
	for x, want := range map[float32]float16.Float16{
		65519.99: 0x7bff, 65520: 0x7c00, 1 + 0x1p-11: 0x3c00, 1 + 3*0x1p-11: 0x3c02,
		0x1p-25: 0, 0x1.000002p-25: 1, 1e-40: 0, 3e38: 0x7c00, float32(math.Inf(-1)): 0xfc00,
	} {
		require.Equal(t, want, halfFromFloat32(x), "%v", x)
	}
	require.Equal(t, float16.Float16(0x7e00), halfFromFloat32(math.Float32frombits(0xff800001)))
}

// TestOddRounding: rounding the odd value to 16 bits is rounding the exact sum.
func TestOddRounding(t *testing.T) {
	r := newRandom(t)
	for range 200000 {
		hi := float32(math.Ldexp(float64(1<<11+r.IntN(1<<12))/2, r.IntN(20)-15))
		lo := float32(0)
		if r.IntN(4) > 0 {
			lo = hi * float32(math.Ldexp(r.Float64()-0.5, -r.IntN(60)))
		}
		if r.IntN(2) == 0 {
			hi, lo = -hi, -lo
		}
		odd := valueToOdd(pair[float32]{hi, lo})
		exact := float64(hi) + float64(lo) // may be rounded, but not to a midpoint
		if float64(hi)+float64(lo)-float64(hi) != float64(lo) {
			continue
		}
		got := tensor.BFloat16FromFloat32(odd)
		below := tensor.BFloat16FromFloat32(float32(exact))
		// No bfloat16 is nearer.
		for _, other := range []tensor.BFloat16{below - 1, below, below + 1} {
			require.LessOrEqual(t, math.Abs(float64(got.Float32())-exact), math.Abs(float64(other.Float32())-exact), "%v + %v", hi, lo)
		}
	}
	inf := float32(math.Inf(1))
	require.Equal(t, inf, valueToOdd(pair[float32]{inf, canonicalNaN[float32]()}))
	require.Equal(t, inf, valueToOdd(pair[float32]{math.MaxFloat32, 0x1p103}))
}
