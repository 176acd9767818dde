package cpuref

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/x448/float16"

	"vkops/tensor"
)

func bitsOf(x any) uint64 {
	switch x := x.(type) {
	case float32:
		return uint64(math.Float32bits(x))
	case float64:
		return math.Float64bits(x)
	case float16.Float16:
		return uint64(x)
	case tensor.BFloat16:
		return uint64(x)
	case int32:
		return uint64(x)
	case int64:
		return uint64(x)
	case uint32:
		return uint64(x)
	default:
		return x.(uint64)
	}
}

// realHooks spells the pair out once more, on purpose.
func realHooks[T real](exclusive bool) hooks[T, [2]T] {
	minus := T(math.Copysign(0, -1))
	h := hooks[T, [2]T]{
		identity: [2]T{minus, minus},
		take: func(s [2]T, x T) [2]T {
			hi := s[0] + x
			bb := hi - s[0]
			return [2]T{hi, s[1] - (((hi - bb) - s[0]) + (bb - x))}
		},
		combine: func(a, b [2]T) [2]T {
			hi := a[0] + b[0]
			bb := hi - a[0]
			return [2]T{hi, (a[1] + b[1]) - (((hi - bb) - a[0]) + (bb - b[0]))}
		},
		output: func(s [2]T) T {
			y := s[0]
			if math.Abs(float64(s[1])) <= math.MaxFloat64 {
				y = s[0] + s[1]
			}
			if exclusive {
				y += 0
			}
			return canonical(y)
		},
	}
	if !exclusive {
		h.first = canonical[T]
	}
	return h
}

// halfHooks are those of float32, rounded once.
func halfHooks[H half](exclusive bool) hooks[H, [2]float32] {
	h := realHooks[float32](exclusive)
	var wide [radix]float32
	return hooks[H, [2]float32]{
		identity: h.identity,
		take:     func(s [2]float32, x H) [2]float32 { return h.take(s, widenRun(&wide, []H{x})[0]) },
		combine:  h.combine,
		output: func(s [2]float32) H {
			y := valueToOdd(pair[float32]{s[0], s[1]})
			if exclusive {
				y += 0
			}
			var half [1]H
			roundRun(half[:], []float32{y})
			return half[0]
		},
	}
}

func integerHooks[T integer](exclusive bool) hooks[T, T] {
	add := func(a, b T) T { return a + b }
	h := hooks[T, T]{take: add, combine: add, output: func(s T) T { return s }}
	if !exclusive {
		h.first = h.output
	}
	return h
}

// mixed are values of many sizes with specials sprinkled in.
func mixed[T real](r *rand.Rand, n int64) []T {
	x := make([]T, n)
	for i := range x {
		switch r.IntN(40) {
		case 0:
			x[i] = T(math.Copysign(0, -1))
		case 1:
			x[i] = T(math.Ldexp(r.Float64()-0.5, r.IntN(60)-30))
		default:
			x[i] = T(r.NormFloat64())
		}
	}
	if n > 40 && r.IntN(3) == 0 {
		specials := []float64{math.Inf(1), math.Inf(-1), math.NaN(), 3e38, -3e38}
		x[r.Int64N(n)] = T(specials[r.IntN(len(specials))])
		x[n-1-r.Int64N(n/8)] = T(specials[r.IntN(len(specials))])
	}
	return x
}

func TestCumSumFollowsTheTree(t *testing.T) {
	r := newRandom(t)
	for _, v := range boundaryViews() {
		if testing.Short() && v.Elements() > 250000 {
			continue
		}
		for mode := range 4 {
			exclusive, reverse := mode&1 != 0, mode&2 != 0
			checkScan(t, realCumSum[float32](exclusive), realHooks[float32](exclusive), v, reverse, mixed[float32](r, v.Elements()))
			if mode == int(v.N%4) {
				checkScan(t, realCumSum[float64](exclusive), realHooks[float64](exclusive), v, reverse, mixed[float64](r, v.Elements()))
				x := make([]uint64, v.Elements())
				for i := range x {
					x[i] = r.Uint64()
				}
				checkScan(t, integerCumSum[uint64](exclusive), integerHooks[uint64](exclusive), v, reverse, x)
			}
		}
	}
}

func TestCumSumOfHalvesFollowsTheTree(t *testing.T) {
	r := newRandom(t)
	for i, v := range boundaryViews() {
		if v.Elements() > 25000 {
			continue
		}
		wide := mixed[float32](r, v.Elements())
		halves, brains := make([]float16.Float16, len(wide)), make([]tensor.BFloat16, len(wide))
		roundRun(halves, wide)
		roundRun(brains, wide)
		exclusive, reverse := i&1 != 0, i&2 != 0
		h, b := halfHooks[float16.Float16](exclusive), halfHooks[tensor.BFloat16](exclusive)
		if !exclusive { // treeScan tells them apart by it
			h.first, b.first = canonicalHalf[float16.Float16], canonicalHalf[tensor.BFloat16]
		}
		checkScan(t, halfCumSum[float16.Float16](exclusive), h, v, reverse, halves)
		checkScan(t, halfCumSum[tensor.BFloat16](exclusive), b, v, reverse, brains)
	}
}

func cumSum[T tensor.Element](t *testing.T, exclusive, reverse bool, x ...T) []T {
	t.Helper()
	in, err := tensor.Of(x, len(x))
	require.NoError(t, err)
	out, err := Run(tensor.CumSum{Exclusive: exclusive, Reverse: reverse}, in)
	require.NoError(t, err)
	y, err := tensor.Values[T](out)
	require.NoError(t, err)
	return y
}

func TestCumSumModes(t *testing.T) {
	require.Equal(t, []float32{1, 3, 6}, cumSum[float32](t, false, false, 1, 2, 3))
	require.Equal(t, []float32{0, 1, 3}, cumSum[float32](t, true, false, 1, 2, 3))
	require.Equal(t, []float32{6, 5, 3}, cumSum[float32](t, false, true, 1, 2, 3))
	require.Equal(t, []float32{5, 3, 0}, cumSum[float32](t, true, true, 1, 2, 3))
}

func TestCumSumSpecials(t *testing.T) {
	inf, nan := float32(math.Inf(1)), math.Float32frombits(0x7fc00000)
	oddNaN, minusZero := math.Float32frombits(0xffc01234), float32(math.Copysign(0, -1))
	for _, c := range []struct {
		exclusive bool
		x, want   []float32
	}{
		{false, []float32{1, inf, 2, -inf, 3}, []float32{1, inf, inf, nan, nan}},
		{true, []float32{1, inf, 2, -inf, 3}, []float32{0, 1, inf, inf, nan}},
		{true, []float32{1, 1 << 25}, []float32{0, 1}},
		{false, []float32{oddNaN, 1}, []float32{nan, nan}},
		{true, []float32{oddNaN, 1}, []float32{0, nan}},
		{false, []float32{minusZero, minusZero, 0}, []float32{minusZero, minusZero, 0}},
		{true, []float32{minusZero, minusZero, 0}, []float32{0, 0, 0}},
		{false, []float32{3e38, 3e38, -3e38}, []float32{3e38, inf, inf}},
		{false, []float32{0x1p-149, 0x1p-149}, []float32{0x1p-149, 0x1p-148}},
		{false, []float32{1e8, 1, -1e8}, []float32{1e8, 1e8, 1}},
	} {
		requireSameBits(t, c.want, cumSum(t, c.exclusive, false, c.x...), "%v exclusive %v", c.x, c.exclusive)
	}
}

func TestCumSumIntegersWrap(t *testing.T) {
	require.Equal(t, []uint64{1<<32 - 1, 1 << 32}, cumSum[uint64](t, false, false, 1<<32-1, 1))
	require.Equal(t, []int64{-1, 0}, cumSum[int64](t, false, false, -1, 1))
	require.Equal(t, []int32{math.MaxInt32, math.MinInt32}, cumSum[int32](t, false, false, math.MaxInt32, 1))
	x := make([]uint32, 4096)
	for i := range x {
		x[i] = 1 << 20
	}
	y := cumSum(t, false, false, x...)
	require.Equal(t, uint32(1<<30), y[1023])
	require.Equal(t, uint32(0), y[4095])
}

func TestCumSumHalvesAccumulateWide(t *testing.T) {
	half := float16.Fromfloat32
	require.Equal(t, []float16.Float16{half(2048), half(2048), half(2050), half(2052)},
		cumSum(t, false, false, half(2048), half(1), half(1), half(1)))
	brain := tensor.BFloat16FromFloat32
	require.Equal(t, []tensor.BFloat16{brain(256), brain(256), brain(258), brain(260)},
		cumSum(t, false, false, brain(256), brain(1), brain(1), brain(1)))
	ones := make([]float16.Float16, 4096)
	for i := range ones {
		ones[i] = half(1)
	}
	require.Equal(t, half(4096), cumSum(t, false, false, ones...)[4095])
	// A little beside the midpoint of two neighbours the float32 sum is the midpoint
	// itself, which a second rounding would break to even.
	require.Equal(t, half(2050), cumSum(t, false, false, half(2048), half(1), half(0x1p-14))[2])
	require.Equal(t, half(2050), cumSum(t, false, false, half(2050), half(1), half(-0x1p-14))[2])
}

// Negative zeros alone add up to a negative zero, in every run and tile.
func TestCumSumOfNegativeZeros(t *testing.T) {
	negative := float32(math.Copysign(0, -1))
	x := make([]float32, 3*tileSize+5)
	for i := range x {
		x[i] = negative
	}
	y := make([]float32, len(x))
	CumSum(y, x, tensor.View{Outer: 1, N: int64(len(x)), Inner: 1}, false, false)
	for i, v := range y {
		require.Equal(t, math.Float32bits(negative), math.Float32bits(v), i)
	}
}
