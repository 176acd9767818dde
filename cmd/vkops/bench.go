package main

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/spf13/cobra"

	"vkops/host"
	"vkops/internal/sample"
	"vkops/tensor"
)

// benchFlags are the flags of bench as they are written.
type benchFlags struct {
	ops, dtypes, shapes []string
	axis                int
	exclusive, reverse  bool
	reduction, target   string
	weight              bool
	strategy            string
}

// measured is one operator on inputs of these types.
type measured struct {
	op     tensor.Op
	inputs []tensor.Type
}

func (c *cli) benchCommand() *cobra.Command {
	var f benchFlags
	cmd := &cobra.Command{
		Use:   "bench",
		Short: "measure operators on a device next to a plain copy of the same bytes",
		Long: `bench measures each combination of --op, --dtype and --shape: the kernels by the
device's clock, a call with tensors on the device, a call from slice to slice,
the fastest copy shader and vkCmdCopyBuffer over the same bytes, and the CPU
twin. Times are medians after a warm-up.

With --json there is an object a line: op, dtype, shape, attrs, inputs, device,
strategy, and in nanoseconds kernel_ns, resident_ns (submission to fence, tensors
on the device), end_to_end_ns (slice in, slice out), copy_ns, memcpy_ns,
cpuref_ns and empty_ns (an empty submission and its wait); null is not measured.
On the CPU copy_ns is Go's copy.`,
		Example: "  vkops bench --op cumsum --dtype float32 --shape 4096x4096 --axis 0",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			list, err := f.parse()
			if err != nil {
				return badInput{err}
			}
			return c.bench(cmd.Context(), list, host.Strategy(f.strategy))
		},
	}
	flags := cmd.Flags()
	flags.StringSliceVar(&f.ops, "op", []string{"cumsum"}, "operators: cumsum, logcumsumexp, log1p, nll")
	flags.StringSliceVar(&f.dtypes, "dtype", []string{"float32"}, "element types")
	flags.StringSliceVar(&f.shapes, "shape", []string{"4096x4096"}, "shapes; of nll's input: N x C x d...")
	flags.IntVar(&f.axis, "axis", 0, "axis of cumsum and logcumsumexp")
	flags.BoolVar(&f.exclusive, "exclusive", false, "exclusive cumsum")
	flags.BoolVar(&f.reverse, "reverse", false, "reverse cumsum")
	flags.StringVar(&f.reduction, "reduction", tensor.Mean.String(), "reduction of nll: mean, sum or none")
	flags.StringVar(&f.target, "target", tensor.I64.String(), "type of nll's labels: int32 or int64")
	flags.BoolVar(&f.weight, "weight", false, "nll with a weight for each class")
	addStrategy(cmd, &f.strategy)
	return cmd
}

// parse gives every combination, checked against the operator texts.
func (f benchFlags) parse() ([]measured, error) {
	var list []measured
	for _, op := range f.ops {
		for _, dtype := range f.dtypes {
			for _, shape := range f.shapes {
				m, err := f.combination(op, dtype, shape)
				if err != nil {
					return nil, err
				}
				list = append(list, m)
			}
		}
	}
	if len(list) == 0 {
		return nil, errors.New("bench: --op, --dtype and --shape need a value each")
	}
	return list, nil
}

func (f benchFlags) combination(name, dtype, shape string) (measured, error) {
	d, err := tensor.ParseDType(dtype)
	if err != nil {
		return measured{}, err
	}
	s, err := parseShape(shape)
	if err != nil {
		return measured{}, err
	}
	m := measured{inputs: []tensor.Type{{DType: d, Shape: s}}}
	switch name {
	case tensor.CumSum{}.Name():
		m.op = tensor.CumSum{Axis: f.axis, Exclusive: f.exclusive, Reverse: f.reverse}
	case tensor.LogCumSumExp{}.Name():
		m.op = tensor.LogCumSumExp{Axis: f.axis}
	case tensor.Log1p{}.Name():
		m.op = tensor.Log1p{}
	case tensor.NLL{}.Name():
		if m, err = f.loss(d, s); err != nil {
			return measured{}, err
		}
	default:
		return measured{}, unknownOp(name)
	}
	_, err = m.op.Infer(m.inputs...)
	return m, err
}

func (f benchFlags) loss(d tensor.DType, input tensor.Shape) (measured, error) {
	reduction, err := tensor.ParseReduction(f.reduction)
	if err != nil {
		return measured{}, err
	}
	labels, err := tensor.ParseDType(f.target)
	if err != nil {
		return measured{}, err
	}
	if len(input) < 2 {
		return measured{}, fmt.Errorf("nll: shape %s is not N x C x d", input)
	}
	m := measured{op: tensor.NLL{Reduction: reduction}, inputs: []tensor.Type{
		{DType: d, Shape: input},
		{DType: labels, Shape: slices.Delete(slices.Clone(input), 1, 2)},
	}}
	if f.weight {
		m.inputs = append(m.inputs, tensor.Type{DType: d, Shape: input[1:2]})
	}
	return m, nil
}

// data makes the inputs: random and, where they are floats, never zero.
func (m measured) data() ([]tensor.Dense, error) {
	r := rand.New(rand.NewPCG(1, 1))
	inputs := make([]tensor.Dense, len(m.inputs))
	for i, t := range m.inputs {
		var err error
		if _, isLoss := m.op.(tensor.NLL); isLoss && i == 1 {
			inputs[i], err = sample.Labels(r, t, m.inputs[0].Shape[1], nil)
		} else {
			inputs[i], err = sample.Tensor(r, t, sample.Uniform)
		}
		if err != nil {
			return nil, err
		}
	}
	return inputs, nil
}
