package main

import (
	"context"
	"testing"

	"github.com/gomlx/gomlx/pkg/core/tensors"
	"github.com/stretchr/testify/require"

	"vkops/host"
	"vkops/tensor"
)

func TestCumSumOfGoMLXTensors(t *testing.T) {
	ctx := context.Background()
	rt, err := host.Open(host.WithDevice("cpu"))
	require.NoError(t, err)
	defer rt.Close()

	y, err := CumSum[float32](ctx, rt, tensors.FromValue([][]float32{{1, 2, 3}, {4, 5, 6}}), tensor.CumSum{Axis: 0})
	require.NoError(t, err)
	require.Equal(t, [][]float32{{1, 2, 3}, {5, 7, 9}}, y.Value())

	z, err := CumSum[int64](ctx, rt, tensors.FromValue([]int64{1, 2, 3}), tensor.CumSum{Reverse: true})
	require.NoError(t, err)
	require.Equal(t, []int64{6, 5, 3}, z.Value())

	_, err = CumSum[float64](ctx, rt, tensors.FromValue([]float32{1}), tensor.CumSum{})
	require.ErrorContains(t, err, "GoMLX tensor (Float32)[1]")
	_, err = CumSum[float32](ctx, rt, tensors.FromValue([]float32{1}), tensor.CumSum{Axis: 2})
	require.ErrorIs(t, err, host.ErrAxis)
}
