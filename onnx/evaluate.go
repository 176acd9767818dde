package onnx

import "vkops/tensor"

// Evaluate computes a bound model somewhere: give brings a tensor there, run
// computes an operator, and drop is told of each result that neither an operator nor
// an output needs any more; it may be nil. It gives the model's outputs in order.
//
// On the CPU give returns its tensor and run is cpuref.Run. On a device give is
// Runtime.Upload, run calls Run of a Recording, so that the whole model becomes one
// recorded plan, and drop calls Free. The error is the first of give or run.
func Evaluate[V any](b *Bound, give func(tensor.Dense) (V, error), run func(op tensor.Op, inputs ...V) (V, error), drop func(V)) ([]V, error) {
	values := make([]V, len(b.Values))
	for i, v := range b.Values {
		if !v.Computed {
			var err error
			if values[i], err = give(v.Dense); err != nil {
				return nil, err
			}
		}
	}
	unneeded := b.unneeded()
	for k, step := range b.Steps {
		inputs := make([]V, len(step.Inputs))
		for i, at := range step.Inputs {
			inputs[i] = values[at]
		}
		var err error
		if values[step.Output], err = run(step.Op, inputs...); err != nil {
			return nil, err
		}
		for _, at := range unneeded[k] {
			if drop != nil {
				drop(values[at])
			}
			var none V
			values[at] = none // for the collector
		}
	}
	outputs := make([]V, len(b.Outputs))
	for i, at := range b.Outputs {
		outputs[i] = values[at]
	}
	return outputs, nil
}

// unneeded lists, for each step, the results that nothing after it needs.
func (b *Bound) unneeded() [][]int {
	last := make([]int, len(b.Values)) // the step that is the last to need a value
	for k, step := range b.Steps {
		for _, at := range append([]int{step.Output}, step.Inputs...) {
			last[at] = k
		}
	}
	for _, at := range b.Outputs {
		last[at] = len(b.Steps)
	}
	steps := make([][]int, len(b.Steps)+1)
	for at, v := range b.Values {
		if v.Computed {
			steps[last[at]] = append(steps[last[at]], at)
		}
	}
	return steps
}
