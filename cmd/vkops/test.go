package main

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"vkops/host"
	"vkops/internal/cases"
	"vkops/tensor"
)

func (c *cli) testCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "test DIR...",
		Short: "run test cases in the layout of ONNX's node tests",
		Long: `test runs every case in each DIR, which is a case or a tree of cases: a folder
with model.onnx and test_data_set_*/input_N.pb and output_N.pb. Tolerances come
from case.json beside the model, else they are ONNX's: rtol 1e-3, atol 1e-7.`,
		Example: `  vkops test tests/testdata
  vkops test --device cpu --json tests/testdata/spec/test_cumsum_1d`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, dirs []string) error {
			found, err := cases.Find(dirs...)
			if err != nil {
				return badInputf("test: %w", err)
			}
			rt, err := c.open()
			if err != nil {
				return err
			}
			defer rt.Close()
			return c.test(cmd.Context(), rt, found)
		},
	}
}

// testResult is a line of test with --json; the last line is a testSummary.
type testResult struct {
	Case   string `json:"case"`
	Dir    string `json:"dir"`
	Passed bool   `json:"passed"`
	Where  string `json:"where,omitempty"`
	Error  string `json:"error,omitempty"`
}

type testSummary struct {
	Passed int `json:"passed"`
	Failed int `json:"failed"`
}

func (c *cli) test(ctx context.Context, rt *host.Runtime, found []cases.Case) error {
	var sum testSummary
	width := widthOf(c.stdout)
	c.printf("%d cases on %s\n", len(found), rt.Device().Name)
	for _, one := range found {
		if err := ctx.Err(); err != nil {
			return fmt.Errorf("test: %w", err)
		}
		r := one.Run(func(op tensor.Op, inputs []tensor.Dense) (tensor.Dense, string, error) {
			y, err := apply(ctx, rt, op, inputs...)
			return y, where(rt, op, tensor.TypesOf(inputs)), err
		})
		line := testResult{Case: r.Name, Dir: r.Dir, Passed: r.Passed(), Where: r.Where}
		if r.Passed() {
			sum.Passed++
			c.printf("%s\n", wrapped(c.paint(green, "PASS")+" "+r.Name+elsewhere(rt, r.Where), width, 5))
		} else {
			sum.Failed++
			line.Error = r.Err.Error()
			c.printf("%s\n", wrapped(fmt.Sprintf("%s %s%s: %v", c.paint(red, "FAIL"), r.Name, elsewhere(rt, r.Where), r.Err), width, 5))
		}
		if c.json {
			if err := c.printJSON(line); err != nil {
				return err
			}
		}
	}
	if c.json {
		if err := c.printJSON(sum); err != nil {
			return err
		}
	}
	how := green
	if sum.Failed > 0 {
		how = red
	}
	c.printf("%s\n", c.paint(how, fmt.Sprintf("%d passed, %d failed", sum.Passed, sum.Failed)))
	if sum.Failed > 0 {
		return errReported
	}
	return nil
}

// elsewhere says where a case ran if not on the device that all cases are for.
func elsewhere(rt *host.Runtime, where string) string {
	if where == "" || where == rt.Device().Name { // "": it failed before it could run
		return ""
	}
	return " on " + where
}
