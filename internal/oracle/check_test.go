package oracle

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/x448/float16"

	"vkops/tensor"
)

func of[T tensor.Element](t *testing.T, values ...T) tensor.Dense {
	t.Helper()
	d, err := tensor.Of(values, len(values))
	require.NoError(t, err)
	return d
}

func check(t *testing.T, op tensor.Op, got tensor.Dense, inputs ...tensor.Dense) Report {
	t.Helper()
	r, err := Check(op, got, inputs...)
	require.NoError(t, err)
	return r
}

func TestCheckCumSum(t *testing.T) {
	x := of[float32](t, 1, 2, 3)
	for _, c := range []struct {
		op   tensor.CumSum
		want []float32
	}{
		{tensor.CumSum{}, []float32{1, 3, 6}},
		{tensor.CumSum{Exclusive: true}, []float32{0, 1, 3}},
		{tensor.CumSum{Reverse: true}, []float32{6, 5, 3}},
		{tensor.CumSum{Exclusive: true, Reverse: true}, []float32{5, 3, 0}},
	} {
		r := check(t, c.op, of(t, c.want...), x)
		require.True(t, r.Within)
		require.Zero(t, r.MaxULP)
		require.EqualValues(t, 3, r.Elements)
		wrong := append([]float32{}, c.want...)
		wrong[1] = math.Nextafter32(math.Nextafter32(wrong[1], 9), 9)
		r = check(t, c.op, of(t, wrong...), x)
		require.False(t, r.Within)
		require.EqualValues(t, 1, r.Worst)
		require.InDelta(t, 2, r.MaxULP, 1e-9)
	}
}

func TestCheckSpecials(t *testing.T) {
	inf, nan := float32(math.Inf(1)), float32(math.NaN())
	x := of(t, 1, inf, 2, -inf, 3)
	require.True(t, check(t, tensor.CumSum{}, of(t, 1, inf, inf, nan, nan), x).Within)
	r := check(t, tensor.CumSum{}, of(t, 1, inf, inf, nan, inf), x)
	require.False(t, r.Within)
	require.EqualValues(t, 4, r.Worst)
	require.False(t, check(t, tensor.CumSum{}, of(t, 1, -inf, inf, nan, nan), x).Within)

	x = of(t, -inf, 0, nan)
	require.True(t, check(t, tensor.LogCumSumExp{}, of(t, -inf, 0, nan), x).Within)
	require.False(t, check(t, tensor.LogCumSumExp{}, of(t, nan, 0, nan), x).Within)
	require.False(t, check(t, tensor.LogCumSumExp{}, of(t, -inf, 0, 0), x).Within)

	minusZero := float32(math.Copysign(0, -1))
	x = of(t, minusZero, -1, -2, inf, 1e-10)
	require.True(t, check(t, tensor.Log1p{}, of(t, minusZero, -inf, nan, inf, 1e-10), x).Within)
	require.False(t, check(t, tensor.Log1p{}, of(t, 0, -inf, nan, inf, 1e-10), x).Within)
	require.False(t, check(t, tensor.Log1p{}, of(t, minusZero, -inf, nan, inf, 0), x).Within)
}

func TestCheckOverflow(t *testing.T) {
	half := float16.Fromfloat32
	x := of(t, half(65504), half(65504))
	require.True(t, check(t, tensor.CumSum{}, of(t, half(65504), float16.Inf(1)), x).Within)
	require.False(t, check(t, tensor.CumSum{}, of(t, half(65504), half(65504)), x).Within)
	require.True(t, check(t, tensor.LogCumSumExp{}, x, x).Within)
	require.False(t, check(t, tensor.LogCumSumExp{}, of(t, half(65504), float16.Inf(1)), x).Within)
}

func TestCheckCancellation(t *testing.T) {
	x := of[float32](t, 1e8, 1, -1e8)
	require.True(t, check(t, tensor.CumSum{}, of[float32](t, 1e8, 1e8, 1), x).Within)
	require.False(t, check(t, tensor.CumSum{}, of[float32](t, 1e8, 1e8, 0), x).Within)
}

func TestCheckIntegers(t *testing.T) {
	x := of[int64](t, -1, 1, math.MaxInt64, 1)
	require.True(t, check(t, tensor.CumSum{}, of[int64](t, -1, 0, math.MaxInt64, math.MinInt64), x).Within)
	r := check(t, tensor.CumSum{}, of[int64](t, -1, 1<<32, math.MaxInt64, math.MinInt64), x)
	require.False(t, r.Within)
	require.EqualValues(t, 1, r.Worst)
}

func TestCheckLogarithms(t *testing.T) {
	zeros := of(t, make([]float64, 4)...)
	exact := []float64{0, math.Ln2, math.Log(3), 2 * math.Ln2}
	require.True(t, check(t, tensor.LogCumSumExp{}, of(t, exact...), zeros).Within)
	exact[1] += 0x1p-50
	r := check(t, tensor.LogCumSumExp{}, of(t, exact...), zeros)
	require.False(t, r.Within)
	require.InDelta(t, 4, r.MaxULP, 0.6)

	half := of(t, float16.Fromfloat32(0.5))
	right := float16.Fromfloat32(0.4054651)
	require.True(t, check(t, tensor.Log1p{}, of(t, right), half).Within)
	require.False(t, check(t, tensor.Log1p{}, of(t, right+1), half).Within)
}

func TestCheckNLL(t *testing.T) {
	input, err := tensor.Of([]float32{-1, -2, -3, -4}, 2, 2)
	require.NoError(t, err)
	target, weight := of[int32](t, 0, 1), of[float32](t, 1, 3)
	scalar := func(x float32) tensor.Dense {
		d, err := tensor.Of([]float32{x})
		require.NoError(t, err)
		return d
	}
	require.True(t, check(t, tensor.NLL{}, scalar(2.5), input, target).Within)
	require.True(t, check(t, tensor.NLL{}, scalar(13./4), input, target, weight).Within)
	require.False(t, check(t, tensor.NLL{}, scalar(13./2), input, target, weight).Within)
	require.True(t, check(t, tensor.NLL{Reduction: tensor.Sum}, scalar(13), input, target, weight).Within)
	one := int64(1)
	require.True(t, check(t, tensor.NLL{Reduction: tensor.None, IgnoreIndex: &one}, of[float32](t, 1, 0), input, target).Within)
	require.False(t, check(t, tensor.NLL{Reduction: tensor.None, IgnoreIndex: &one}, of[float32](t, 1, 4), input, target).Within)
	_, err = Check(tensor.NLL{}, scalar(1), input, of[int32](t, 0, 2))
	require.ErrorIs(t, err, tensor.ErrTarget)
}

func TestCheckRefusesWhatDoesNotFit(t *testing.T) {
	x := of[float32](t, 1, 2)
	_, err := Check(tensor.Log1p{}, of[float32](t, 1), x)
	require.ErrorIs(t, err, tensor.ErrShape)
	short := x
	short.Data = short.Data[:4]
	_, err = Check(tensor.Log1p{}, short, x)
	require.Error(t, err)
	_, err = Check(tensor.CumSum{Axis: 3}, x, x)
	require.ErrorIs(t, err, tensor.ErrAxis)
}
