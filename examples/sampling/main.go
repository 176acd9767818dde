// Command sampling draws from a discrete distribution of a million words: the
// running sums of the weights cut the line from 0 to their total into pieces, and a
// point thrown at the line falls into the piece of word i with the probability of
// word i.
//
//	go run ./examples/sampling
package main

import (
	"context"
	"fmt"
	"log"
	"math/rand/v2"
	"sort"

	"vkops/host"
	"vkops/tensor"
)

func main() {
	rt, err := host.Open()
	if err != nil {
		log.Fatal(err)
	}
	defer rt.Close()
	const words, draws = 1 << 20, 1 << 20
	weights := zipf(words)
	drawn, err := sample(context.Background(), rt, weights, draws, rand.New(rand.NewPCG(1, 2)))
	if err != nil {
		log.Fatal(err)
	}

	counts := make([]int, words)
	for _, word := range drawn {
		counts[word]++
	}
	total := 0.0
	for _, w := range weights {
		total += float64(w)
	}
	fmt.Printf("on %s: %d draws of %d words\n", rt.Device().Name, draws, words)
	for _, word := range []int{0, 1, 2, 9, 99, 999} {
		fmt.Printf("word %4d: %6d times, expected %8.1f\n", word+1, counts[word], draws*float64(weights[word])/total)
	}
}

// zipf gives word i the weight 1/(i+1), as words have in many languages.
func zipf(words int) []float32 {
	weights := make([]float32, words)
	for i := range weights {
		weights[i] = 1 / float32(i+1)
	}
	return weights
}

// sample draws n numbers of words, each word as often as its weight tells.
// Weights are not negative, and not all of them zero.
//
// A plain float32 loop over a million weights would give the rare words at the end
// sums that are wrong by more than their weights. CumSum carries its rounding errors
// along, so that each sum is the exact one, rounded once.
func sample(ctx context.Context, rt *host.Runtime, weights []float32, n int, random *rand.Rand) ([]int, error) {
	sums, err := host.CumSum(ctx, rt, nil, weights, tensor.Shape{len(weights)}, tensor.CumSum{Axis: 0})
	if err != nil {
		return nil, err
	}
	total := float64(sums[len(sums)-1])
	drawn := make([]int, n)
	for i := range drawn {
		point := random.Float64() * total
		drawn[i] = sort.Search(len(sums), func(word int) bool { return float64(sums[word]) > point })
	}
	return drawn, nil
}
