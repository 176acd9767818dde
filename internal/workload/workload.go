// Package workload holds what is measured: operators on inputs of given types,
// the data for them, plain Go loops to compare with, and the speeds aimed at.
package workload

import (
	"fmt"
	"math/rand/v2"
	"slices"

	"vkops/internal/sample"
	"vkops/tensor"
)

// Workload is an operator on inputs of these types.
type Workload struct {
	Op     tensor.Op
	Inputs []tensor.Type
	// Aims are the speeds it is meant to have; zero where there is none.
	Aims Aims
}

// Aims are the speeds a workload is meant to have. 0 is no aim.
type Aims struct {
	// OfCopy is the most time, as a multiple of a copy's of the same bytes.
	OfCopy float64 `json:"of_copy,omitempty"`
	// OfTorch is the least speed, as a multiple of PyTorch's on the CPU.
	OfTorch float64 `json:"of_torch,omitempty"`
	// OfEmpty is the most time, as a multiple of an empty submission's and its wait's.
	OfEmpty float64 `json:"of_empty,omitempty"`
	// EndToEnd is the most time from slice to slice, as a multiple of the time with
	// tensors on the device.
	EndToEnd float64 `json:"end_to_end,omitempty"`
	// TwinOfPlain is the least speed of the twin, as a multiple of a plain Go loop's.
	TwinOfPlain float64 `json:"twin_of_plain,omitempty"`
}

// New checks an operator on an input of a type.
func New(op tensor.Op, d tensor.DType, shape ...int) (Workload, error) {
	w := Workload{Op: op, Inputs: []tensor.Type{{DType: d, Shape: shape}}}
	_, err := op.Infer(w.Inputs...)
	return w, err
}

// NewLoss checks a loss on an input N x C x d..., with labels of a type and, if asked,
// a weight for each class.
func NewLoss(op tensor.Loss, d, labels tensor.DType, weighted bool, input ...int) (Workload, error) {
	if len(input) < 2 {
		return Workload{}, fmt.Errorf("%s: %w: %s is not N x C x d", op.Name(), tensor.ErrShape, tensor.Shape(input))
	}
	w := Workload{Op: op, Inputs: []tensor.Type{
		{DType: d, Shape: input},
		{DType: labels, Shape: slices.Delete(slices.Clone(input), 1, 2)},
	}}
	if weighted {
		w.Inputs = append(w.Inputs, tensor.Type{DType: d, Shape: input[1:2]})
	}
	_, err := op.Infer(w.Inputs...)
	return w, err
}

// Data makes the inputs: random and, where they are floats, never zero.
func (w Workload) Data() ([]tensor.Dense, error) {
	r := rand.New(rand.NewPCG(1, 1))
	inputs := make([]tensor.Dense, len(w.Inputs))
	for i, t := range w.Inputs {
		var err error
		if loss, ok := w.Op.(tensor.Loss); ok && i == 1 {
			_, ignored := loss.Attributes()
			inputs[i], err = sample.Labels(r, t, w.Inputs[0].Shape[1], ignored)
		} else {
			inputs[i], err = sample.Tensor(r, t, sample.Uniform)
		}
		if err != nil {
			return nil, err
		}
	}
	return inputs, nil
}
