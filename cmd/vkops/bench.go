package main

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"vkops/host"
	"vkops/tensor"
)

func (c *cli) benchCommand() *cobra.Command {
	var f benchFlags
	cmd := &cobra.Command{
		Use:   "bench",
		Short: "measure operators on a device next to a plain copy of the same bytes",
		Long: `bench measures each combination of --op, --dtype, --shape and of the attributes that
the operator has: the kernels by the device's clock, a call with tensors on the
device, a call from slice to slice, the fastest copy shader and vkCmdCopyBuffer over
the same bytes, and the CPU twin; with --times also a plain Go loop. Times are medians
after a warm-up; all kinds take turns.

With --json there is an object a line: op, dtype, shape, attrs, inputs, device,
strategy, and in nanoseconds kernel_ns, resident_ns (submission to fence, tensors
on the device), end_to_end_ns (slice in, slice out), copy_ns, memcpy_ns,
cpuref_ns, empty_ns (an empty submission and its wait) and plain_ns; null is not
measured. On the CPU copy_ns is Go's copy. aims are the speeds that --preset targets
are to have, as multiples.

--plot draws time and bandwidth against size, a row for each operator and device, and
--from draws what an earlier run printed with --json instead of measuring.

--serve lets another program take turns with these measurements. It answers each line
on the standard input with a line of JSON: "next" prepares the next combination,
"round" measures it once, "result" gives the medians so far, "reset" forgets them.`,
		Example: `  vkops bench --op cumsum --dtype float32,float64 --shape 4096x4096 --axis 0,1
  vkops bench --op logcumsumexp --shape 16777216 --strategy lane,workgroup
  vkops bench --op nll --shape 8x19x512x512 --weight=false,true --times resident,copy
  vkops bench --preset targets --json >targets.jsonl
  vkops bench --op log1p --shape 65536,1048576,16777216 --plot log1p.svg`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if f.from != "" {
				return c.plotFile(f.from, f.plot)
			}
			list, err := f.parse()
			if err != nil {
				return badInput{err}
			}
			if f.serve {
				return c.serveBench(cmd.Context(), list, f)
			}
			return c.bench(cmd.Context(), list, f)
		},
	}
	f.register(cmd)
	return cmd
}

func (f *benchFlags) register(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.StringVar(&f.preset, "preset", "", `"targets": the combinations that have aims, instead of the flags below; --op, --dtype and --shape select among them`)
	flags.StringSliceVar(&f.ops, "op", []string{"cumsum"}, "operators: "+strings.Join(operatorNames(), ", "))
	flags.StringSliceVar(&f.dtypes, "dtype", []string{tensor.F32.String()}, "element types")
	flags.StringSliceVar(&f.shapes, "shape", []string{"4096x4096"}, "shapes; for nll and crossentropy those of the first input, N x C x d...")
	flags.IntSliceVar(&f.axes, "axis", []int{0}, "axes of cumsum, logcumsumexp and logsoftmax")
	flags.BoolSliceVar(&f.exclusive, "exclusive", []bool{false}, "exclusive cumsum; false,true measures both")
	flags.BoolSliceVar(&f.reverse, "reverse", []bool{false}, "reverse cumsum; false,true measures both")
	flags.StringSliceVar(&f.reductions, "reduction", []string{tensor.Mean.String()}, "reductions of nll and crossentropy: mean, sum, none")
	flags.StringSliceVar(&f.labels, "target", []string{tensor.I64.String()}, "types of the labels of nll and crossentropy: int32, int64")
	flags.BoolSliceVar(&f.weights, "weight", []bool{false}, "losses with a weight for each class; false,true measures both")
	flags.BoolSliceVar(&f.ignore, "ignore-index", []bool{false}, "losses that leave out one label in four; false,true measures both")
	for _, name := range []string{"exclusive", "reverse", "weight", "ignore-index"} {
		flags.Lookup(name).NoOptDefVal = "true"
	}
	flags.StringSliceVar(&f.strategies, "strategy", []string{string(host.Auto)}, fmt.Sprintf("%s: how scans walk their tree", strings.Join(strategyNames(), ", ")))
	flags.StringSliceVar(&f.times, "times", nil, "only these times: "+strings.Join(timeNames(), ", ")+" (default: all but plain)")
	flags.IntVar(&f.rounds, "rounds", 0, "runs behind each median (default: at least 5, more until 2 s have passed)")
	flags.StringVar(&f.plot, "plot", "", "draw the results as an SVG `FILE`")
	flags.StringVar(&f.from, "from", "", "draw the results in this `FILE` (lines of --json) instead of measuring; - is the standard input")
	flags.BoolVar(&f.serve, "serve", false, "measure a round at a time, as the standard input says")
	cmd.MarkFlagsMutuallyExclusive("serve", "plot")
	cmd.MarkFlagsMutuallyExclusive("serve", "rounds")
	for _, name := range []string{"axis", "exclusive", "reverse", "reduction", "target", "weight", "ignore-index"} {
		cmd.MarkFlagsMutuallyExclusive("preset", name)
	}
	for _, name := range []string{"preset", "op", "dtype", "shape", "axis", "strategy", "serve", "times"} {
		cmd.MarkFlagsMutuallyExclusive("from", name)
	}
	f.changed = flags.Changed
}
