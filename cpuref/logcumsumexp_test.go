package cpuref

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/x448/float16"

	"vkops/tensor"
)

// expHooks are the sums element by element; their values are checked against the
// oracle, here only the order counts.
func expHooks[T real]() hooks[T, expSum[T]] {
	return hooks[T, expSum[T]]{
		identity: expIdentity[T](),
		take: func(s expSum[T], x T) expSum[T] {
			var e expRun[T]
			e.terms([]T{x})
			return e.sums(s, 1)
		},
		combine: expCombine[T],
		output: func(s expSum[T]) T {
			e := expRun[T]{sum: [radix]expSum[T]{s}}
			var y [1]T
			e.logs(y[:])
			return y[0]
		},
		first: canonical[T],
	}
}

func TestLogCumSumExpFollowsTheTree(t *testing.T) {
	r := newRandom(t)
	for _, v := range boundaryViews() {
		if v.Elements() > 70000 && (testing.Short() || v.Inner == 1) {
			continue
		}
		x := mixed[float32](r, v.Elements())
		checkScan(t, realLogCumSumExp[float32](), expHooks[float32](), v, false, x)
		if v.N < 4097 {
			checkScan(t, realLogCumSumExp[float64](), expHooks[float64](), v, false, mixed[float64](r, v.Elements()))
		}
	}
}

// TestLogCumSumExpHalvesAreRoundedFloats holds for every output: the sums run in
// float32.
func TestLogCumSumExpHalvesAreRoundedFloats(t *testing.T) {
	r := newRandom(t)
	wide := mixed[float32](r, 70001)
	narrow := make([]tensor.BFloat16, len(wide))
	for i, x := range wide {
		narrow[i] = tensor.BFloat16FromFloat32(x)
		wide[i] = narrow[i].Float32()
	}
	v := tensor.View{Outer: 1, N: int64(len(wide)), Inner: 1}
	LogCumSumExp(wide, wide, v)
	want := make([]tensor.BFloat16, len(wide))
	roundRun(want, wide)
	LogCumSumExp(narrow, narrow, v)
	requireSameBits(t, want, narrow, "bfloat16")
}

func logCumSumExp[T tensor.Float](t *testing.T, x ...T) []T {
	t.Helper()
	in, err := tensor.Of(x, len(x))
	require.NoError(t, err)
	out, err := Run(tensor.LogCumSumExp{Axis: -1}, in)
	require.NoError(t, err)
	y, err := tensor.Values[T](out)
	require.NoError(t, err)
	return y
}

func TestLogCumSumExpSpecials(t *testing.T) {
	inf, nan := float32(math.Inf(1)), canonicalNaN[float32]()
	minusZero := float32(math.Copysign(0, -1))
	for _, c := range []struct{ x, want []float32 }{
		{[]float32{-inf, -inf, -inf, 1}, []float32{-inf, -inf, -inf, 1}},
		{[]float32{-inf, 1}, []float32{-inf, 1}},
		{[]float32{2, -inf, -inf}, []float32{2, 2, 2}},
		{[]float32{inf, inf, 1}, []float32{inf, inf, inf}},
		{[]float32{-inf, inf, -inf}, []float32{-inf, inf, inf}},
		{[]float32{1, nan, 2}, []float32{1, nan, nan}},
		{[]float32{nan, inf, -inf}, []float32{nan, nan, nan}},
		{[]float32{inf, nan}, []float32{inf, nan}},
		{[]float32{-inf, math.Float32frombits(0xffc00001), 1}, []float32{-inf, nan, nan}},
		{[]float32{0, 100, 69, 1000}, []float32{0, 100, 100, 1000}},
		{[]float32{-200, -100, 100}, []float32{-200, -100, 100}},
		{[]float32{3e38, 3e38, 3e38}, []float32{3e38, 3e38, 3e38}},
		{[]float32{-3e38, 3e38, 0}, []float32{-3e38, 3e38, 3e38}},
		{[]float32{0, 1 << 28, 1<<28 + 64}, []float32{0, 1 << 28, 1<<28 + 64}},
		{[]float32{minusZero}, []float32{minusZero}},
		{[]float32{1e-45}, []float32{1e-45}},
	} {
		got := logCumSumExp(t, c.x...)
		for i, want := range c.want {
			if isFinite(want) && i > 0 { // a number behind others is as near as the bound says
				require.InDelta(t, want, got[i], 2*0x1p-23*math.Max(1, math.Abs(float64(want))), "%v", c.x)
				got[i] = want
			}
		}
		requireSameBits(t, c.want, got, "%v", c.x)
	}
	// Large numbers come back as they are.
	requireSameBits(t, []float32{3e38, 3e38}, logCumSumExp[float32](t, 3e38, -3e38), "float32")
	wide := math.Inf(1)
	requireSameBits(t, []float64{-wide, 1e300, 1e300, wide}, logCumSumExp(t, -wide, 1e300, -1e300, wide), "float64")
	half := float16.Fromfloat32
	require.Equal(t, []float16.Float16{half(65504), half(65504)}, logCumSumExp(t, half(65504), half(65504)))
	zeros := logCumSumExp(t, make([]float16.Float16, 4096)...)
	require.Equal(t, half(float32(math.Log(4096))), zeros[4095])
	brains := logCumSumExp(t, make([]tensor.BFloat16, 1024)...)
	require.Equal(t, tensor.BFloat16FromFloat32(float32(math.Log(1024))), brains[1023])
}
