package main

import (
	"context"
	"fmt"
	"slices"

	"vkops/host"
	"vkops/internal/attributes"
	"vkops/internal/workload"
	"vkops/tensor"
)

// bench measures a list with every strategy.
func (c *cli) bench(ctx context.Context, list []workload.Workload, f benchFlags) error {
	bar := newProgress(c.stderr, len(list)*len(f.strategies))
	defer bar.end()
	var results []benchResult
	for _, strategy := range f.strategies {
		rt, err := c.open(host.WithStrategy(host.Strategy(strategy)))
		if err != nil {
			return err
		}
		defer rt.Close()
		for _, w := range list {
			bar.step(w.Op.Name() + " " + w.Inputs[0].String())
			r, err := measure(ctx, rt, w, f)
			if err != nil {
				return err
			}
			results = append(results, r)
			if c.json {
				if err := c.printJSON(r); err != nil {
					return err
				}
			}
		}
	}
	bar.end()
	if !c.json {
		if err := c.benchTable(results); err != nil {
			return err
		}
	}
	if f.plot != "" {
		return plotResults(f.plot, results)
	}
	return nil
}

func measure(ctx context.Context, rt *host.Runtime, w workload.Workload, f benchFlags) (benchResult, error) {
	r, err := describeBench(rt, w)
	if err != nil {
		return benchResult{}, err
	}
	meter, err := newMeter(rt, w, f.times)
	if err != nil {
		return benchResult{}, err
	}
	defer meter.Close()
	took, err := meter.Take(ctx, f.rounds)
	if err != nil {
		return benchResult{}, err
	}
	r.add(took)
	return r, nil
}

// newMeter prepares the times that are asked for; none is all but plain.
func newMeter(rt *host.Runtime, w workload.Workload, times []string) (*host.Meter, error) {
	inputs, err := w.Data()
	if err != nil {
		return nil, err
	}
	meter, err := host.NewMeter(rt, w.Op, inputs...)
	if err != nil || len(times) == 0 {
		return meter, err
	}
	if slices.Contains(times, string(timePlain)) {
		if err := addPlain(meter, w, inputs[0]); err != nil {
			meter.Close()
			return nil, err
		}
	}
	only := make([]host.Timing, len(times))
	for i, name := range times {
		only[i] = host.Timing(name)
	}
	meter.Only(only...)
	return meter, nil
}

func addPlain(meter *host.Meter, w workload.Workload, src tensor.Dense) error {
	dst, err := tensor.NewDense(src.Type)
	if err != nil {
		return err
	}
	if run, ok := w.Plain(dst, src); ok {
		meter.Also(timePlain, run)
	}
	return nil
}

// describeBench is a result without times.
func describeBench(rt *host.Runtime, w workload.Workload) (benchResult, error) {
	e, err := rt.Explain(w.Op, w.Inputs...)
	if err != nil {
		return benchResult{}, err
	}
	r := benchResult{
		Op: w.Op.Name(), DType: w.Inputs[0].DType.String(), Shape: append([]int{}, w.Inputs[0].Shape...), Attrs: attributes.Of(w.Op),
		Inputs: typeNames(w.Inputs), Device: where(rt, w.Op, w.Inputs), Strategy: string(e.Strategy), SlicesOnTwin: e.SlicesOnTwin,
	}
	if e.Twin {
		r.Strategy = "twin"
	}
	if w.Aims != (workload.Aims{}) {
		r.Aims = &w.Aims
	}
	return r, nil
}

// duration prints a time with three or four digits.
func duration(ns *int64) string {
	switch {
	case ns == nil:
		return "-"
	case *ns < 10_000:
		return fmt.Sprintf("%d ns", *ns)
	case *ns < 10_000_000:
		return fmt.Sprintf("%.1f us", float64(*ns)/1e3)
	default:
		return fmt.Sprintf("%.1f ms", float64(*ns)/1e6)
	}
}
