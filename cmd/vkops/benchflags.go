package main

import (
	"fmt"
	"slices"

	"vkops/host"
	"vkops/internal/workload"
	"vkops/tensor"
)

// benchFlags are the flags of bench as they are written.
type benchFlags struct {
	preset              string
	ops, dtypes, shapes []string
	axes                []int
	exclusive, reverse  []bool
	reductions, labels  []string
	weights, ignore     []bool
	strategies, times   []string
	rounds              int
	plot, from          string
	serve               bool
	changed             func(flag string) bool
}

// timePlain is the time of a plain Go loop, beside those of package host.
const timePlain host.Timing = "plain"

// parse gives every combination, checked against the operator texts.
func (f benchFlags) parse() ([]workload.Workload, error) {
	if err := f.check(); err != nil {
		return nil, err
	}
	if f.preset != "" {
		return f.selected()
	}
	var list []workload.Workload
	for _, op := range f.ops {
		for _, dtype := range f.dtypes {
			d, err := tensor.ParseDType(dtype)
			if err != nil {
				return nil, err
			}
			for _, shape := range f.shapes {
				s, err := parseShape(shape)
				if err != nil {
					return nil, err
				}
				some, err := f.combinations(op, d, s)
				if err != nil {
					return nil, err
				}
				list = append(list, some...)
			}
		}
	}
	if len(list) == 0 || len(f.strategies) == 0 {
		return nil, fmt.Errorf("bench: --op, --dtype, --shape, --strategy and the attributes need a value each")
	}
	return list, nil
}

func (f benchFlags) check() error {
	if f.rounds < 0 {
		return fmt.Errorf("bench: --rounds %d is negative", f.rounds)
	}
	if f.plot != "" {
		if err := checkPlot(f.plot); err != nil {
			return err
		}
	}
	for _, name := range f.times {
		if !slices.Contains(timeNames(), name) {
			return fmt.Errorf("bench: --times %q is not %s", name, oneOf(timeNames()))
		}
	}
	for _, name := range f.strategies {
		if !slices.Contains(strategyNames(), name) {
			return fmt.Errorf("bench: strategy %q is not %s", name, oneOf(strategyNames()))
		}
	}
	return nil
}

// selected gives the combinations of the preset that --op, --dtype and --shape leave.
func (f benchFlags) selected() ([]workload.Workload, error) {
	if f.preset != presetTargets {
		return nil, fmt.Errorf("bench: --preset %q is not %q", f.preset, presetTargets)
	}
	list := slices.DeleteFunc(workload.Targets(), func(w workload.Workload) bool {
		return f.changed("op") && !slices.Contains(f.ops, w.Op.Name()) ||
			f.changed("dtype") && !slices.Contains(f.dtypes, w.Inputs[0].DType.String()) ||
			f.changed("shape") && !slices.Contains(f.shapes, joined(w.Inputs[0].Shape))
	})
	if len(list) == 0 {
		return nil, fmt.Errorf("bench: --preset %s has nothing of these operators, types and shapes", f.preset)
	}
	return list, nil
}

const presetTargets = "targets"

// combinations are the operator with every combination of its attributes.
func (f benchFlags) combinations(name string, d tensor.DType, shape tensor.Shape) ([]workload.Workload, error) {
	switch name {
	case tensor.NLL{}.Name():
		return f.losses(d, shape, func(op tensor.NLL) tensor.Loss { return op })
	case tensor.SoftmaxCrossEntropyLoss{}.Name():
		return f.losses(d, shape, func(op tensor.NLL) tensor.Loss { return tensor.SoftmaxCrossEntropyLoss(op) })
	}
	var ops []tensor.Op
	switch name {
	case tensor.CumSum{}.Name():
		for _, axis := range f.axes {
			for _, exclusive := range f.exclusive {
				for _, reverse := range f.reverse {
					ops = append(ops, tensor.CumSum{Axis: axis, Exclusive: exclusive, Reverse: reverse})
				}
			}
		}
	case tensor.LogCumSumExp{}.Name():
		for _, axis := range f.axes {
			ops = append(ops, tensor.LogCumSumExp{Axis: axis})
		}
	case tensor.LogSoftmax{}.Name():
		for _, axis := range f.axes {
			ops = append(ops, tensor.LogSoftmax{Axis: axis})
		}
	case tensor.Log1p{}.Name():
		ops = append(ops, tensor.Log1p{})
	default:
		return nil, unknownOp(name)
	}
	var list []workload.Workload
	for _, op := range ops {
		w, err := workload.New(op, d, shape...)
		if err != nil {
			return nil, err
		}
		list = append(list, w)
	}
	return list, nil
}

func (f benchFlags) losses(d tensor.DType, input tensor.Shape, of func(tensor.NLL) tensor.Loss) ([]workload.Workload, error) {
	ignored := int64(-1)
	var list []workload.Workload
	for _, reduction := range f.reductions {
		r, err := tensor.ParseReduction(of(tensor.NLL{}).Name(), reduction)
		if err != nil {
			return nil, err
		}
		for _, dtype := range f.labels {
			labels, err := tensor.ParseDType(dtype)
			if err != nil {
				return nil, err
			}
			for _, weighted := range f.weights {
				for _, ignore := range f.ignore {
					op := tensor.NLL{Reduction: r}
					if ignore {
						op.IgnoreIndex = &ignored
					}
					w, err := workload.NewLoss(of(op), d, labels, weighted, input...)
					if err != nil {
						return nil, err
					}
					list = append(list, w)
				}
			}
		}
	}
	return list, nil
}
