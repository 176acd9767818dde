// Command bigram scores a text with a letter model made of four of the operators:
// how likely is each letter, given the one before it? It runs on the default
// device and writes what it feeds to the operators into a folder, as .npy.
//
//	go run ./examples/bigram FOLDER
package main

import (
	"context"
	_ "embed"
	"fmt"
	"log"
	"math"
	"os"
	"path/filepath"

	"vkops/host"
	"vkops/onnx"
	"vkops/tensor"
)

// The beginning of "Alice's Adventures in Wonderland", Lewis Carroll, 1865.
//
//go:embed text.txt
var text string

func main() {
	if len(os.Args) != 2 {
		log.Fatal("usage: bigram FOLDER")
	}
	rt, err := host.Open()
	if err != nil {
		log.Fatal(err)
	}
	defer rt.Close()
	s, err := score(context.Background(), rt, text)
	if err != nil {
		log.Fatal(err)
	}
	if err := s.write(os.Args[1]); err != nil {
		log.Fatal(err)
	}
	fmt.Printf("on %s: %d letter pairs of an alphabet of %d\n", rt.Device().Name, len(s.labels), s.alphabet)
	fmt.Printf("loss %.6f nats a letter, perplexity %.3f; the last running total is %.3f\n",
		s.loss, math.Exp(float64(s.loss)), s.running[len(s.running)-1])
}

// scores are the model, what it was asked, and its answers.
type scores struct {
	alphabet int
	counts   []float32 // [alphabet, alphabet]: how often the second letter follows the first
	logProbs []float32 // [pairs, alphabet]: of every letter, given the one before
	labels   []int64   // [pairs]: the letter that came
	losses   []float32 // [pairs]: -log of the probability of the letter that came
	running  []float32 // [pairs]: the losses so far
	loss     float32   // their mean
}

func score(ctx context.Context, rt *host.Runtime, text string) (*scores, error) {
	s := &scores{}
	letters := s.count(text)
	square := tensor.Shape{s.alphabet, s.alphabet}

	// Every pair counts once more than it was seen, so that none is impossible.
	logits, err := host.Log1p(ctx, rt, nil, s.counts)
	if err != nil {
		return nil, err
	}
	// The last sum of a row is the logarithm of what its counts are divided by.
	sums, err := host.LogCumSumExp(ctx, rt, nil, logits, square, tensor.LogCumSumExp{Axis: 1})
	if err != nil {
		return nil, err
	}
	for i := 1; i < len(letters); i++ {
		row := letters[i-1] * s.alphabet
		for j := range s.alphabet {
			s.logProbs = append(s.logProbs, logits[row+j]-sums[row+s.alphabet-1])
		}
		s.labels = append(s.labels, int64(letters[i]))
	}

	shape := tensor.Shape{len(s.labels), s.alphabet}
	mean, err := host.NLL(ctx, rt, nil, s.logProbs, s.labels, nil, shape, tensor.NLL{})
	if err != nil {
		return nil, err
	}
	s.loss = mean[0]
	s.losses, err = host.NLL(ctx, rt, nil, s.logProbs, s.labels, nil, shape, tensor.NLL{Reduction: tensor.None})
	if err != nil {
		return nil, err
	}
	s.running, err = host.CumSum(ctx, rt, nil, s.losses, tensor.Shape{len(s.losses)}, tensor.CumSum{Axis: 0})
	return s, err
}

// count numbers the letters by first appearance and counts the pairs.
func (s *scores) count(text string) []int {
	number := map[rune]int{}
	var letters []int
	for _, r := range text {
		if _, known := number[r]; !known {
			number[r] = len(number)
		}
		letters = append(letters, number[r])
	}
	s.alphabet = len(number)
	s.counts = make([]float32, s.alphabet*s.alphabet)
	for i := 1; i < len(letters); i++ {
		s.counts[letters[i-1]*s.alphabet+letters[i]]++
	}
	return letters
}

// write leaves the operators' inputs in a folder.
func (s *scores) write(folder string) error {
	pairs := len(s.labels)
	counts, err := tensor.Of(s.counts, s.alphabet, s.alphabet)
	if err != nil {
		return err
	}
	logProbs, err := tensor.Of(s.logProbs, pairs, s.alphabet)
	if err != nil {
		return err
	}
	labels, err := tensor.Of(s.labels, pairs)
	if err != nil {
		return err
	}
	losses, err := tensor.Of(s.losses, pairs)
	if err != nil {
		return err
	}
	for name, d := range map[string]tensor.Dense{"counts": counts, "logprobs": logProbs, "labels": labels, "losses": losses} {
		if err := onnx.WriteFile(filepath.Join(folder, name+".npy"), d, name); err != nil {
			return err
		}
	}
	return nil
}
