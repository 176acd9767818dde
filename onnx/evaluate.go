package onnx

import "vkops/tensor"

// Evaluate computes a bound model somewhere: give brings a tensor there, run
// computes an operator. It gives the model's outputs in order.
//
// On the CPU give returns its tensor and run is cpuref.Run. On a device give is
// Runtime.Upload and run calls Run of a Recording, so that the whole model becomes
// one recorded plan. The error is the first of give or run.
func Evaluate[V any](b *Bound, give func(tensor.Dense) (V, error), run func(op tensor.Op, inputs ...V) (V, error)) ([]V, error) {
	values := make([]V, len(b.Values))
	for i, v := range b.Values {
		if !v.Computed {
			var err error
			if values[i], err = give(v.Dense); err != nil {
				return nil, err
			}
		}
	}
	for _, step := range b.Steps {
		inputs := make([]V, len(step.Inputs))
		for i, at := range step.Inputs {
			inputs[i] = values[at]
		}
		var err error
		if values[step.Output], err = run(step.Op, inputs...); err != nil {
			return nil, err
		}
	}
	outputs := make([]V, len(b.Outputs))
	for i, at := range b.Outputs {
		outputs[i] = values[at]
	}
	return outputs, nil
}
