package main

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"vkops/internal/everydevice"
)

// Each word comes as often as its weight says, within five standard deviations; a
// word of weight 0 never comes. The draws are the same on every device.
func TestSampleFollowsTheWeights(t *testing.T) {
	weights := append([]float32{0, 3, 0, 0, 1, 2, 0}, zipf(1000)...)
	weights = append(weights, 0)
	const draws = 100000
	total := 0.0
	for _, w := range weights {
		total += float64(w)
	}
	var first []int
	for _, rt := range everydevice.Open(t) {
		drawn, err := sample(context.Background(), rt, weights, draws, rand.New(rand.NewPCG(1, 2)))
		require.NoError(t, err)
		if first == nil {
			first = drawn
		}
		require.Equal(t, first, drawn)
		counts := make([]int, len(weights))
		for _, word := range drawn {
			counts[word]++
		}
		for word, count := range counts {
			p := float64(weights[word]) / total
			require.InDelta(t, draws*p, count, 5*math.Sqrt(draws*p*(1-p)), "word %d", word)
		}
	}
}
