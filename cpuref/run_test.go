package cpuref

import (
	"testing"

	"github.com/stretchr/testify/require"

	"vkops/tensor"
)

func TestRunRefusesWhatDoesNotFit(t *testing.T) {
	x, err := tensor.Of([]float32{1, 2, 3, 4, 5, 6}, 2, 3)
	require.NoError(t, err)
	ints, err := tensor.Of([]int32{1, 2}, 2)
	require.NoError(t, err)
	short := x
	short.Data = short.Data[:20]
	for _, c := range []struct {
		op     tensor.Op
		inputs []tensor.Dense
		kind   error
	}{
		{tensor.CumSum{Axis: 2}, []tensor.Dense{x}, tensor.ErrAxis},
		{tensor.CumSum{}, nil, tensor.ErrArity},
		{tensor.LogCumSumExp{}, []tensor.Dense{ints}, tensor.ErrType},
		{tensor.Log1p{}, []tensor.Dense{ints}, tensor.ErrType},
		{tensor.CumSum{}, []tensor.Dense{short}, tensor.ErrShape},
		{tensor.NLL{}, []tensor.Dense{x, x}, tensor.ErrType},
	} {
		_, err := Run(c.op, c.inputs...)
		require.ErrorIs(t, err, c.kind)
	}
	short = ints
	short.Data = short.Data[:4]
	_, err = Run(tensor.SoftmaxCrossEntropyLoss{}, x, short)
	require.EqualError(t, err, "crossentropy: labels holds 4 bytes; int32[2] needs 8")
	_, err = Run(nil, x)
	require.Error(t, err)
}

func TestRunInto(t *testing.T) {
	values := []float32{1, 2, 3, 4, 5, 6}
	x, err := tensor.Of(values, 2, 3)
	require.NoError(t, err)
	require.NoError(t, RunInto(x, tensor.CumSum{Axis: -1}, x))
	require.Equal(t, []float32{1, 3, 6, 4, 9, 15}, values)

	wrong, err := tensor.Of(make([]float32, 6), 6)
	require.NoError(t, err)
	require.ErrorIs(t, RunInto(wrong, tensor.CumSum{}, x), tensor.ErrShape)
	wrong.DType = tensor.I32
	require.ErrorIs(t, RunInto(wrong, tensor.CumSum{}, x), tensor.ErrType)
	wrong.Type, wrong.Data = x.Type, wrong.Data[:8]
	require.ErrorIs(t, RunInto(wrong, tensor.CumSum{}, x), tensor.ErrShape)
}

func TestRunKeepsRankAndEmptiness(t *testing.T) {
	for _, shape := range [][]int{{0}, {0, 5}, {3, 0, 4}, {2, 0}, {1, 2, 3, 4, 5}, {2, 1, 2, 1, 2, 1}} {
		n, err := tensor.Shape(shape).Elements()
		require.NoError(t, err)
		x, err := tensor.Of(make([]float32, n), shape...)
		require.NoError(t, err)
		for axis := -len(shape); axis < len(shape); axis++ {
			for _, op := range []tensor.Op{tensor.CumSum{Axis: axis}, tensor.LogCumSumExp{Axis: axis}, tensor.Log1p{}} {
				y, err := Run(op, x)
				require.NoError(t, err)
				require.True(t, y.Type.Equal(x.Type))
			}
		}
		_, err = Run(tensor.CumSum{Axis: -46}, x)
		require.ErrorIs(t, err, tensor.ErrAxis)
	}
	scalar, err := tensor.Of([]float64{1})
	require.NoError(t, err)
	y, err := Run(tensor.Log1p{}, scalar)
	require.NoError(t, err)
	require.Empty(t, y.Shape)
}
