package main

import (
	"context"
	"fmt"
	"strings"

	"vkops/host"
	"vkops/internal/attributes"
	"vkops/internal/table"
)

// benchResult is a line of bench with --json. Times are nanoseconds, null where
// they do not exist.
type benchResult struct {
	Op       string         `json:"op"`
	DType    string         `json:"dtype"`
	Shape    []int          `json:"shape"`
	Attrs    map[string]any `json:"attrs"`
	Inputs   []string       `json:"inputs"`
	Device   string         `json:"device"`
	Strategy string         `json:"strategy"` // "twin" on the CPU
	Kernel   *int64         `json:"kernel_ns"`
	Resident *int64         `json:"resident_ns"`
	EndToEnd *int64         `json:"end_to_end_ns"`
	Copy     *int64         `json:"copy_ns"`
	Memcpy   *int64         `json:"memcpy_ns"`
	Cpuref   *int64         `json:"cpuref_ns"`
	Empty    *int64         `json:"empty_ns"` // an empty submission and its wait
	Bytes    int64          `json:"bytes"`    // read and written at least
	Rounds   int            `json:"rounds"`   // runs behind each median
	// SlicesOnTwin says that end_to_end_ns is the twin's, because the work is small
	// and no device was named.
	SlicesOnTwin bool `json:"slices_on_twin"`
}

func (c *cli) bench(ctx context.Context, list []measured, strategy host.Strategy) error {
	rt, err := c.open(host.WithStrategy(strategy))
	if err != nil {
		return err
	}
	defer rt.Close()
	c.printf("on %s; medians\n", rt.Device().Name)
	t := table.New("operator", "type", "shape", "strategy", ">kernel", ">resident", ">of copy", ">end to end", ">copy", ">memcpy", ">twin")
	bar := newProgress(c.stderr, len(list))
	for _, m := range list {
		bar.step(m.op.Name() + " " + m.inputs[0].String())
		r, err := measure(ctx, rt, m)
		if err != nil {
			bar.end()
			return err
		}
		if c.json {
			if err := c.printJSON(r); err != nil {
				return err
			}
		}
		ratio := ""
		if r.Resident != nil && r.Copy != nil {
			ratio = fmt.Sprintf("%.1fx", float64(*r.Resident)/float64(*r.Copy))
		}
		t.Row(r.Op, r.DType, strings.Trim(strings.ReplaceAll(fmt.Sprint(r.Shape), " ", "x"), "[]"), r.Strategy,
			duration(r.Kernel), duration(r.Resident), ratio, duration(r.EndToEnd), duration(r.Copy), duration(r.Memcpy), duration(r.Cpuref))
	}
	bar.end()
	if c.json {
		return nil
	}
	_, err = t.WriteTo(c.stdout)
	return err
}

func measure(ctx context.Context, rt *host.Runtime, m measured) (benchResult, error) {
	e, err := rt.Explain(m.op, m.inputs...)
	if err != nil {
		return benchResult{}, err
	}
	inputs, err := m.data()
	if err != nil {
		return benchResult{}, err
	}
	took, err := host.Measure(ctx, rt, m.op, inputs...)
	if err != nil {
		return benchResult{}, err
	}
	r := benchResult{
		Op: m.op.Name(), DType: m.inputs[0].DType.String(), Shape: append([]int{}, m.inputs[0].Shape...), Attrs: attributes.Of(m.op),
		Device: where(rt, m.op, m.inputs), Strategy: string(e.Strategy), SlicesOnTwin: e.SlicesOnTwin,
		Kernel: known(took.KernelNs), Resident: known(took.ResidentNs), EndToEnd: known(took.EndToEndNs),
		Copy: known(took.CopyNs), Memcpy: known(took.MemcpyNs), Cpuref: known(took.CpurefNs), Empty: known(took.EmptyNs),
		Bytes: took.Bytes, Rounds: took.Rounds,
	}
	if e.Twin {
		r.Strategy = "twin"
	}
	for _, t := range m.inputs {
		r.Inputs = append(r.Inputs, t.String())
	}
	return r, nil
}

// known is nil for a time that was not measured.
func known(ns int64) *int64 {
	if ns == 0 {
		return nil
	}
	return &ns
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
