package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"

	"vkops/host"
	"vkops/tensor"
)

// open opens the device of --device. What deserves a warning goes to the
// standard error.
func (c *cli) open(opts ...host.Option) (*host.Runtime, error) {
	warnings := slog.NewTextHandler(c.stderr, &slog.HandlerOptions{
		Level: slog.LevelWarn,
		ReplaceAttr: func(_ []string, a slog.Attr) slog.Attr {
			if a.Key == slog.TimeKey {
				return slog.Attr{}
			}
			return a
		},
	})
	return host.Open(append(opts, host.WithDevice(c.device), host.WithLogger(slog.New(warnings)))...)
}

// apply runs an operator from host memory to host memory, on the device even where
// [host.Runtime.RunDense] would leave small work to the twin; what the device has no
// room for goes through it in parts.
func apply(ctx context.Context, rt *host.Runtime, op tensor.Op, inputs ...tensor.Dense) (tensor.Dense, error) {
	y, err := applyWhole(ctx, rt, op, inputs)
	if errors.Is(err, host.ErrOutOfMemory) {
		return rt.RunDense(ctx, op, inputs...)
	}
	return y, err
}

// applyWhole has all tensors on the device at once.
func applyWhole(ctx context.Context, rt *host.Runtime, op tensor.Op, inputs []tensor.Dense) (tensor.Dense, error) {
	buffers := make([]*host.Buffer, len(inputs))
	for i, d := range inputs {
		b, err := rt.Upload(d)
		if err != nil {
			return tensor.Dense{}, err
		}
		defer b.Free()
		buffers[i] = b
	}
	y, err := rt.Run(op, nil, buffers...)
	if err != nil {
		return tensor.Dense{}, err
	}
	defer y.Free()
	return y.Download(ctx)
}

// place is where a runtime computes an operator: the device's name, or "cpu" with
// the reason why the device leaves it to the twin.
func place(rt *host.Runtime, op tensor.Op, inputs []tensor.Type) (name, reason string) {
	e, err := rt.Explain(op, inputs...)
	if err == nil && e.Twin && !rt.Device().Twin {
		return "cpu", fmt.Sprintf("not on %s: %s", rt.Device().Name, e.Reason)
	}
	return rt.Device().Name, ""
}

// where is place in one text.
func where(rt *host.Runtime, op tensor.Op, inputs []tensor.Type) string {
	name, reason := place(rt, op, inputs)
	if reason != "" {
		return name + ", " + reason
	}
	return name
}

// typeNames are types as they are printed.
func typeNames(list []tensor.Type) []string {
	names := make([]string, len(list))
	for i, t := range list {
		names[i] = t.String()
	}
	return names
}
