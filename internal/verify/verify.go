package verify

import (
	"context"
	"fmt"
	"math"

	"vkops/cpuref"
	"vkops/internal/elements"
	"vkops/internal/oracle"
	"vkops/tensor"
)

// Runner runs an operator on what is to be verified.
type Runner func(ctx context.Context, op tensor.Op, inputs ...tensor.Dense) (tensor.Dense, error)

// Outcome is what was found in a group.
type Outcome struct {
	Group
	Cases  int64
	Values int64 // elements of all results
	// Mismatches is the number of cases whose bits differ from the twin's, or
	// that failed; First describes the first of them.
	Mismatches int64
	First      string
	// MaxULP is the largest error against high-precision values, in the unit of
	// the error bound; Worst is the case that has it. OutOfBound is the number of
	// cases where the bound is passed somewhere.
	MaxULP     float64
	Worst      string
	OutOfBound int64
}

// OK reports whether bits and error bounds hold.
func (o Outcome) OK() bool { return o.Mismatches == 0 && o.OutOfBound == 0 }

// Run verifies a group. step is called after every case. The error is that of a
// context that ended, or of the twin: a runner's own errors are mismatches.
func Run(ctx context.Context, run Runner, g Group, seed uint64, step func()) (Outcome, error) {
	o := Outcome{Group: g}
	for _, c := range g.Cases(seed) {
		if err := ctx.Err(); err != nil {
			return o, err
		}
		if err := o.check(ctx, run, c); err != nil {
			return o, fmt.Errorf("%s: %w", c, err)
		}
		step()
	}
	return o, nil
}

func (o *Outcome) check(ctx context.Context, run Runner, c Case) error {
	inputs, err := c.Make()
	if err != nil {
		return err
	}
	want, err := cpuref.Run(c.Op, inputs...)
	if err != nil {
		return err
	}
	got, err := run(ctx, c.Op, inputs...)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	o.Cases++
	if n, err := want.Shape.Elements(); err == nil {
		o.Values += n
	}
	difference := ""
	if err != nil {
		difference = err.Error()
	} else {
		difference = Compare(got, want)
	}
	if difference != "" {
		o.Mismatches++
		if o.First == "" {
			o.First = fmt.Sprintf("%s: %s", c, difference)
		}
		return nil
	}
	report, err := oracle.Check(c.Op, got, inputs...)
	if err != nil {
		return err
	}
	if !report.Within {
		o.OutOfBound++
	}
	if report.MaxULP > o.MaxULP || o.Worst == "" || math.IsNaN(report.MaxULP) {
		o.MaxULP, o.Worst = report.MaxULP, c.String()
	}
	return nil
}

// Compare says where two tensors first differ in bits, or nothing.
func Compare(got, want tensor.Dense) string {
	if !got.Type.Equal(want.Type) {
		return fmt.Sprintf("result is %s, must be %s", got.Type, want.Type)
	}
	differing, at := elements.Differing(got, want)
	if differing == 0 {
		return ""
	}
	return fmt.Sprintf("%d of %d elements differ, the first at %d: %s, must be %s",
		differing, len(want.Data)/want.DType.Size(), at, elements.Text(got, at), elements.Text(want, at))
}
