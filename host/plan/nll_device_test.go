package plan_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"vkops/cpuref"
	"vkops/gpu"
	"vkops/host/plan"
	"vkops/tensor"
)

// nllCase is an NLL with random inputs.
type nllCase struct {
	n, c, d  int
	dtype    tensor.DType
	long     bool // int64 targets
	weighted bool
	op       tensor.NLL
}

// inputs makes the case's tensors. Some targets are ignored, where that is asked for.
func (c nllCase) inputs(t *testing.T, rng *rand.Rand) []tensor.Dense {
	input := randomTensor(t, rng, tensor.Type{DType: c.dtype, Shape: tensor.Shape{c.n, c.c, c.d}})
	targets := make([]int64, c.n*c.d)
	for i := range targets {
		targets[i] = rng.Int64N(int64(c.c))
		if c.op.IgnoreIndex != nil && rng.IntN(5) == 0 {
			targets[i] = *c.op.IgnoreIndex
		}
	}
	target, err := tensor.Of(targets, c.n, c.d)
	require.NoError(t, err)
	if !c.long {
		short := make([]int32, len(targets))
		for i, v := range targets {
			short[i] = int32(v)
		}
		target, err = tensor.Of(short, c.n, c.d)
		require.NoError(t, err)
	}
	all := []tensor.Dense{input, target}
	if c.weighted {
		all = append(all, randomTensor(t, rng, tensor.Type{DType: c.dtype, Shape: tensor.Shape{c.c}}))
	}
	return all
}

func typesOf(inputs []tensor.Dense) []tensor.Type {
	var types []tensor.Type
	for _, in := range inputs {
		types = append(types, in.Type)
	}
	return types
}

func ptr(v int64) *int64 { return &v }

func nllCases(shapes [][3]int) []nllCase {
	var all []nllCase
	for i, s := range shapes {
		for _, dtype := range []tensor.DType{tensor.F16, tensor.F32, tensor.F64} {
			if testing.Short() && dtype != tensor.F16 {
				continue
			}
			for _, reduction := range []tensor.Reduction{tensor.Mean, tensor.Sum, tensor.None} {
				all = append(all,
					nllCase{s[0], s[1], s[2], dtype, i%2 == 0, true, tensor.NLL{Reduction: reduction}},
					nllCase{s[0], s[1], s[2], dtype, i%2 == 1, false, tensor.NLL{Reduction: reduction, IgnoreIndex: ptr(-100)}},
					nllCase{s[0], s[1], s[2], dtype, i%2 == 1, true, tensor.NLL{Reduction: reduction, IgnoreIndex: ptr(0)}})
			}
		}
	}
	return all
}

// check runs a case on the device, within limits, and on the twin.
func (c nllCase) check(t *testing.T, r *rig, lim plan.Limits, strategy plan.Strategy) {
	name := fmt.Sprintf("%s %+v %s", r.device.Info().Name, c, strategy)
	inputs := c.inputs(t, rand.New(rand.NewPCG(2, uint64(c.n*c.d))))
	want, err := cpuref.Run(c.op, inputs...)
	require.NoError(t, err, name)
	p, err := plan.New(c.op, typesOf(inputs), lim, strategy)
	if c.dtype == tensor.F64 && !lim.Caps.Float64 && c.n > 0 {
		require.ErrorIs(t, err, gpu.ErrUnsupported, name)
		return
	}
	require.NoError(t, err, name)
	got, status := r.run(t, p, false, inputs...)
	requireSame(t, want, got, name)
	if want.Shape == nil || len(want.Data) > 0 {
		if len(status) > 0 {
			assert.Zero(t, status[0], name)
		}
	}
}

func TestNLLMatchesTwin(t *testing.T) {
	t.Parallel()
	// From 32,768 samples on a lane walks several runs, here within rows, across them and
	// over many.
	shapes := [][3]int{{0, 3, 2}, {1, 1, 1}, {15, 2, 3}, {2, 7, 4097}, {3, 2, 11003}, {33000, 2, 1}, {4096, 3, 1}, {70000, 2, 1}, {33, 1, 17}}
	if testing.Short() {
		shapes = shapes[:6]
	}
	for _, r := range rigs(t) {
		for _, c := range nllCases(shapes) {
			for _, strategy := range []plan.Strategy{plan.Lane, plan.Workgroup} {
				c.check(t, r, r.limits, strategy)
			}
		}
	}
}

// Inputs, targets and results beyond the range of a binding.
func TestNLLInWindowsMatchesTwin(t *testing.T) {
	t.Parallel()
	for _, r := range rigs(t) {
		lim := r.limits
		lim.MaxRange = 65536
		shapes := [][3]int{{1000, 50, 3}, {3, 7, 4097}, {1, 8000, 5}, {2, 3, 20001}, {20000, 5, 1}}
		if testing.Short() {
			shapes = shapes[:2]
		}
		for _, c := range nllCases(shapes) {
			c.check(t, r, lim, plan.Lane)
			few := lim
			few.Caps.MaxTexelElements = 64 // vectors are not loaded then
			c.check(t, r, few, plan.Lane)
			far := r.limits
			far.Caps.MaxRange = 65536 // while texels reach farther
			c.check(t, r, far, plan.Lane)
		}
	}
}

func TestNLLReportsFirstBadTarget(t *testing.T) {
	t.Parallel()
	for _, r := range rigs(t) {
		for _, maxRange := range []int64{0, 65536} {
			for _, strategy := range []plan.Strategy{plan.Lane, plan.Workgroup} {
				for _, reduction := range []tensor.Reduction{tensor.Mean, tensor.None} {
					for _, value := range []int64{3, -1, 1 << 40, -1 << 63} {
						lim := r.limits
						lim.MaxRange = maxRange
						c := nllCase{20001, 3, 1, tensor.F32, true, false, tensor.NLL{Reduction: reduction, IgnoreIndex: ptr(-7)}}
						inputs := c.inputs(t, rand.New(rand.NewPCG(3, 4)))
						targets, err := tensor.Values[int64](inputs[1])
						require.NoError(t, err)
						targets[20000], targets[12345] = 99, value
						p, err := plan.New(c.op, typesOf(inputs), lim, strategy)
						require.NoError(t, err)
						_, status := r.run(t, p, false, inputs...)
						want := []uint32{1, 12345, 0, uint32(value), uint32(value >> 32)}
						assert.Equal(t, want, status[:5], "%v %v %v %v", maxRange, strategy, reduction, value)
					}
				}
			}
		}
	}
}
