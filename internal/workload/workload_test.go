package workload

import (
	"testing"

	"github.com/stretchr/testify/require"

	"vkops/cpuref"
	"vkops/tensor"
)

func TestTargetsAreRight(t *testing.T) {
	for _, w := range Targets() {
		out, err := w.Op.Infer(w.Inputs...)
		require.NoError(t, err)
		require.NotZero(t, w.Aims, out)
	}
}

func TestDataFollowsTheTypes(t *testing.T) {
	ignored := int64(-1)
	w, err := NewLoss(tensor.NLL{IgnoreIndex: &ignored}, tensor.F16, tensor.I32, true, 50, 7, 3)
	require.NoError(t, err)
	data, err := w.Data()
	require.NoError(t, err)
	require.Len(t, data, 3)
	for i, d := range data {
		require.True(t, d.Type.Equal(w.Inputs[i]), d.Type)
	}
	labels := tensor.ValuesOf[int32](data[1].Data)
	require.Contains(t, labels, int32(-1))
	_, err = cpuref.Run(w.Op, data...)
	require.NoError(t, err)

	_, err = NewLoss(tensor.NLL{}, tensor.F32, tensor.I64, false, 5)
	require.ErrorIs(t, err, tensor.ErrShape)
	_, err = New(tensor.Log1p{}, tensor.I32, 5)
	require.ErrorIs(t, err, tensor.ErrType)
}

// The plain loops compute what they are compared with.
func TestPlainLoops(t *testing.T) {
	for _, c := range []struct {
		op    tensor.Op
		d     tensor.DType
		shape tensor.Shape
		delta float64
	}{
		{tensor.CumSum{}, tensor.F32, tensor.Shape{1000}, 1e-4},
		{tensor.CumSum{Axis: 1}, tensor.F64, tensor.Shape{3, 50, 4}, 1e-12},
		{tensor.CumSum{Axis: -1}, tensor.U64, tensor.Shape{3, 50}, 0},
		{tensor.CumSum{}, tensor.I32, tensor.Shape{50, 3}, 0},
		{tensor.LogCumSumExp{}, tensor.F32, tensor.Shape{1000}, 1e-5},
		{tensor.LogCumSumExp{Axis: 1}, tensor.F64, tensor.Shape{2, 50, 3}, 1e-12},
		{tensor.Log1p{}, tensor.F32, tensor.Shape{100, 2}, 1e-6},
	} {
		w, err := New(c.op, c.d, c.shape...)
		require.NoError(t, err)
		data, err := w.Data()
		require.NoError(t, err)
		want, err := cpuref.Run(c.op, data...)
		require.NoError(t, err)
		got, err := tensor.NewDense(want.Type)
		require.NoError(t, err)
		run, ok := w.Plain(got, data[0])
		require.True(t, ok, c.op)
		run()
		switch c.d {
		case tensor.F32:
			require.InDeltaSlice(t, tensor.ValuesOf[float32](want.Data), tensor.ValuesOf[float32](got.Data), c.delta, c.op)
		case tensor.F64:
			require.InDeltaSlice(t, tensor.ValuesOf[float64](want.Data), tensor.ValuesOf[float64](got.Data), c.delta, c.op)
		default:
			require.Equal(t, want.Data, got.Data, c.op)
		}
	}
	half, err := New(tensor.CumSum{}, tensor.F16, 8)
	require.NoError(t, err)
	data, err := half.Data()
	require.NoError(t, err)
	_, ok := half.Plain(data[0], data[0])
	require.False(t, ok)
}
