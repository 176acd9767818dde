package main

import (
	"context"
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"vkops/internal/everydevice"
	"vkops/tensor"
)

// The three ways give the same bits, on every device, and what the definition gives.
func TestWaysAgree(t *testing.T) {
	shape := tensor.Shape{5, 300}
	returns := daily(shape)
	var first []float32
	for _, rt := range everydevice.Open(t) {
		leaving, staying, recorded, err := compare(context.Background(), rt, returns, shape, 2)
		require.NoError(t, err)
		if first == nil {
			first = leaving.funds
		}
		for _, way := range []outcome{leaving, staying, recorded} {
			require.Equal(t, first, way.funds)
			require.Positive(t, way.took)
		}
	}

	value := []float64{1, 1, 1, 1, 1}
	for day := range shape[1] {
		fund := 0.0
		for share := range shape[0] {
			value[share] *= 1 + float64(returns[share*shape[1]+day])
			fund += value[share]
			require.InDelta(t, math.Log(fund), first[share*shape[1]+day], 1e-5)
		}
	}
}
