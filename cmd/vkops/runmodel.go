package main

import (
	"context"
	"fmt"
	"strings"

	"vkops/host"
	"vkops/internal/attributes"
	"vkops/onnx"
	"vkops/tensor"
)

// runModel runs an ONNX model on files. A model of one operator runs and reports
// like the command of that operator.
func (c *cli) runModel(ctx context.Context, path string, f files) error {
	if err := f.check(c); err != nil {
		return err
	}
	model, err := await(ctx, func() (*onnx.Model, error) { return onnx.ReadModel(path) })
	if err != nil {
		return err
	}
	inputs, err := f.read(ctx, c.stdin)
	if err != nil {
		return err
	}
	bound, err := model.Bind(inputs)
	if err != nil {
		return badInput{err}
	}
	if j, ok := onlyOperator(bound); ok {
		return c.runJob(ctx, f, func() (job, error) { return j, nil })
	}
	return c.runGraph(ctx, path, bound, f)
}

// onlyOperator is a model of one operator whose result is its output as a job.
func onlyOperator(b *onnx.Bound) (job, bool) {
	if len(b.Steps) != 1 || len(b.Outputs) != 1 || b.Outputs[0] != b.Steps[0].Output {
		return job{}, false
	}
	step := b.Steps[0]
	return job{step.Op, given(b, step), []string{b.Values[step.Output].Name}}, true
}

// given are the inputs of a step, of which computed ones have no data.
func given(b *onnx.Bound, step onnx.Step) []tensor.Dense {
	inputs := make([]tensor.Dense, len(step.Inputs))
	for i, at := range step.Inputs {
		inputs[i] = b.Values[at].Dense
	}
	return inputs
}

// runGraph runs several operators as one recording.
func (c *cli) runGraph(ctx context.Context, path string, b *onnx.Bound, f files) error {
	if err := f.checkOutputs(path, len(b.Outputs)); err != nil {
		return err
	}
	for _, step := range b.Steps {
		if _, isLoss := step.Op.(tensor.Loss); isLoss && !b.Values[step.Inputs[1]].Computed {
			if err := checkLabels(step.Op, given(b, step)); err != nil {
				return badInput{fmt.Errorf("%s: %s: %w", path, step.Node, err)}
			}
		}
	}
	rt, err := c.open()
	if err != nil {
		return err
	}
	defer rt.Close()
	outputs, err := recordedRun(ctx, rt, b)
	if err != nil {
		return err
	}
	for i, y := range outputs {
		if err := c.write(f.outputs[i], y, b.Values[b.Outputs[i]].Name); err != nil {
			return err
		}
	}
	return c.reportGraph(rt, path, b, f.outputs)
}

// recordedRun computes a bound model as one recording. The runtime's end frees what
// it takes.
func recordedRun(ctx context.Context, rt *host.Runtime, b *onnx.Bound) ([]tensor.Dense, error) {
	var results []*host.Buffer
	recorded, err := rt.Record(func(r *host.Recording) (err error) {
		results, err = onnx.Evaluate(b, rt.Upload, func(op tensor.Op, inputs ...*host.Buffer) (*host.Buffer, error) {
			return r.Run(op, nil, inputs...)
		}, (*host.Buffer).Free)
		return err
	})
	if err != nil {
		return nil, err
	}
	if err := recorded.Run(); err != nil {
		return nil, err
	}
	if err := recorded.Wait(ctx); err != nil {
		return nil, err
	}
	outputs := make([]tensor.Dense, len(results))
	for i, y := range results {
		if outputs[i], err = y.Download(ctx); err != nil {
			return nil, err
		}
	}
	return outputs, nil
}

// graphResult is what run prints with --json for a model of several operators.
type graphResult struct {
	Model   string        `json:"model"`
	Steps   []graphStep   `json:"steps"`
	Outputs []graphOutput `json:"outputs"`
}

type graphStep struct {
	Op     string         `json:"op"`
	Attrs  map[string]any `json:"attrs"`
	Inputs []string       `json:"inputs"`
	Output string         `json:"output"`
	Device string         `json:"device"`
}

type graphOutput struct {
	Name string `json:"name"`
	Type string `json:"type"`
	File string `json:"file"`
}

func (c *cli) reportGraph(rt *host.Runtime, path string, b *onnx.Bound, outputs []string) error {
	result := graphResult{Model: path}
	for _, step := range b.Steps {
		inputs := tensor.TypesOf(given(b, step))
		s := graphStep{Op: step.Op.Name(), Attrs: attributes.Of(step.Op), Inputs: typeNames(inputs), Output: b.Values[step.Output].Type.String(), Device: where(rt, step.Op, inputs)}
		c.printf("%s: %s -> %s on %s\n", attributes.String(step.Op), strings.Join(s.Inputs, ", "), s.Output, s.Device)
		result.Steps = append(result.Steps, s)
	}
	for i, file := range outputs {
		v := b.Values[b.Outputs[i]]
		c.printf("%q %s: %s\n", v.Name, v.Type, file)
		result.Outputs = append(result.Outputs, graphOutput{v.Name, v.Type.String(), file})
	}
	if c.json {
		return c.printJSON(result)
	}
	return nil
}
