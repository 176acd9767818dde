package main

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"vkops/host"
	"vkops/internal/table"
	"vkops/internal/verify"
	"vkops/tensor"
)

func (c *cli) verifyCommand() *cobra.Command {
	var (
		seed        uint64
		ops, dtypes []string
		strategy    string
	)
	cmd := &cobra.Command{
		Use:   "verify",
		Short: "compare a device with the CPU twin, bit for bit, and with high-precision values",
		Long: `verify runs boundary and random shapes of every operator and element type on
the device. Every result must have the bits of the CPU twin; its error against
high-precision values is shown in ULP, next to whether the documented bound holds.`,
		Example: `  vkops verify                                    # everything, on the default device
  vkops verify --op cumsum --dtype float16,float32 --seed 7
  vkops verify --strategy workgroup --json`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			groups, err := selectGroups(ops, dtypes)
			if err != nil {
				return badInput{err}
			}
			return c.verify(cmd.Context(), groups, seed, host.Strategy(strategy))
		},
	}
	cmd.Flags().Uint64Var(&seed, "seed", 1, "seed of shapes and elements; the same seed gives the same run")
	cmd.Flags().StringSliceVar(&ops, "op", nil, "only these operators (default: all)")
	cmd.Flags().StringSliceVar(&dtypes, "dtype", nil, "only these element types (default: all)")
	addStrategy(cmd, &strategy)
	return cmd
}

// addStrategy adds the flag that forces a way to walk the tree.
func addStrategy(cmd *cobra.Command, strategy *string) {
	cmd.Flags().StringVar(strategy, "strategy", string(host.Auto),
		oneOf(strategyNames())+": how scans walk their tree; the bits are the same")
}

// selectGroups keeps the groups of the named operators and types; no name keeps
// all. A name that selects nothing is an error.
func selectGroups(ops, dtypes []string) ([]verify.Group, error) {
	all := verify.Groups()
	for _, name := range ops {
		if !slices.ContainsFunc(all, func(g verify.Group) bool { return g.Op == name }) {
			return nil, unknownOp(name)
		}
	}
	for _, name := range dtypes {
		if _, err := tensor.ParseDType(name); err != nil {
			return nil, err
		}
	}
	groups := slices.DeleteFunc(all, func(g verify.Group) bool {
		return len(ops) > 0 && !slices.Contains(ops, g.Op) ||
			len(dtypes) > 0 && !slices.Contains(dtypes, g.DType.String())
	})
	if len(groups) == 0 {
		return nil, fmt.Errorf("none of %s takes %s", strings.Join(ops, ", "), strings.Join(dtypes, ", "))
	}
	return groups, nil
}

// verifyResult is a line of verify with --json. max_ulp is null if it is not finite.
type verifyResult struct {
	Op         string   `json:"op"`
	DType      string   `json:"dtype"`
	Target     string   `json:"target,omitempty"`
	Device     string   `json:"device"`
	Reason     string   `json:"why_cpu,omitempty"`
	Seed       uint64   `json:"seed"`
	Cases      int64    `json:"cases"`
	Values     int64    `json:"values"`
	Mismatches int64    `json:"mismatches"`
	First      string   `json:"first_mismatch,omitempty"`
	MaxULP     *float64 `json:"max_ulp"`
	Worst      string   `json:"worst_case,omitempty"`
	OutOfBound int64    `json:"out_of_bound"`
	OK         bool     `json:"ok"`
}

func (c *cli) verify(ctx context.Context, groups []verify.Group, seed uint64, strategy host.Strategy) error {
	rt, err := c.open(host.WithStrategy(strategy))
	if err != nil {
		return err
	}
	defer rt.Close()
	device := rt.Device().Name
	c.printf("verifying %s against the CPU twin, seed %d\n", device, seed)

	total := 0
	for _, g := range groups {
		total += len(g.Cases(seed))
	}
	bar := newProgress(c.stderr, total)
	run := func(ctx context.Context, op tensor.Op, inputs ...tensor.Dense) (tensor.Dense, error) {
		return apply(ctx, rt, op, inputs...)
	}
	var found []verified
	for _, g := range groups {
		o, err := verify.Run(ctx, run, g, seed, func() { bar.step(g.String()) })
		if err != nil {
			bar.end()
			return fmt.Errorf("verify: %w", err)
		}
		name, reason := placeOf(rt, g.Cases(seed))
		found = append(found, verified{o, name, reason})
	}
	bar.end()
	return c.reportVerify(found, seed)
}

// placeOf is where a group's cases run: "cpu" if any of them does, since an empty one
// never gets to a device.
func placeOf(rt *host.Runtime, list []verify.Case) (name, reason string) {
	for _, one := range list {
		if name, reason = place(rt, one.Op, one.Inputs); reason != "" {
			break
		}
	}
	return name, reason
}

// verified is what was found of a group, and where it ran.
type verified struct {
	verify.Outcome
	device string
	reason string // why it is the twin, if the device left it to that
}

func (c *cli) reportVerify(found []verified, seed uint64) error {
	t := table.New("operator", "type", ">cases", ">values", ">mismatches", ">max ULP", "within bound", "on")
	ok := true
	for _, o := range found {
		ok = ok && o.OK()
		within := "yes"
		on := "device"
		if o.device == "cpu" {
			on = "cpu"
		}
		if o.OutOfBound > 0 {
			within = fmt.Sprintf("NO, in %d cases", o.OutOfBound)
		}
		t.Row(o.Op, o.Types(), fmt.Sprint(o.Cases), fmt.Sprint(o.Values), fmt.Sprint(o.Mismatches), fmt.Sprintf("%.3f", o.MaxULP), within, on)
		if c.json {
			result := verifyResult{Op: o.Op, DType: o.DType.String(), Device: o.device, Reason: o.reason, Seed: seed, Cases: o.Cases, Values: o.Values,
				Mismatches: o.Mismatches, First: o.First, Worst: o.Worst, OutOfBound: o.OutOfBound, OK: o.OK()}
			if o.Labels != tensor.Invalid {
				result.Target = o.Labels.String()
			}
			if !math.IsInf(o.MaxULP, 0) && !math.IsNaN(o.MaxULP) {
				result.MaxULP = &o.MaxULP
			}
			if err := c.printJSON(result); err != nil {
				return err
			}
		}
	}
	if !c.json {
		t.Fit(widthOf(c.stdout), 2)
		if _, err := t.WriteTo(c.stdout); err != nil {
			return err
		}
		for _, o := range found {
			if o.reason != "" {
				c.printf("%s: %s\n", o.Group, o.reason)
			}
		}
	}
	for _, o := range found {
		if o.First != "" {
			fmt.Fprintf(c.stderr, "%s mismatch: %s\n", paint(c.stderr, red, "vkops:"), o.First)
		}
		if o.OutOfBound > 0 {
			fmt.Fprintf(c.stderr, "%s error bound passed: %s\n", paint(c.stderr, red, "vkops:"), o.Worst)
		}
	}
	if !ok {
		c.printf("verify: %s\n", c.paint(red, "FAILED"))
		return errReported
	}
	c.printf("verify: %s\n", c.paint(green, "every bit is the same"))
	return nil
}
