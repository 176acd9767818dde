package tests

import (
	"bytes"
	"context"
	"fmt"
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/x448/float16"

	"vkops/cpuref"
	"vkops/host"
	"vkops/internal/cases"
	"vkops/internal/oracle"
	"vkops/tensor"
)

// A trouble is a fault that users of other libraries reported, by the smallest
// input that shows it.
type trouble struct {
	name      string
	op        tensor.Op
	inputs    []tensor.Dense
	want      tensor.Dense // or byOracle
	tolerance cases.Tolerance
}

// byOracle leaves the judgement to the oracle alone.
var byOracle tensor.Dense

var (
	exact  = cases.Tolerance{NaNEqual: true}
	nan    = math.NaN()
	inf    = math.Inf(1)
	negInf = math.Inf(-1)
)

func within(relative, absolute float64) cases.Tolerance {
	return cases.Tolerance{Relative: relative, Absolute: absolute, NaNEqual: true}
}

// runner computes an operator on the twin or on a device.
type runner func(op tensor.Op, inputs ...tensor.Dense) (tensor.Dense, error)

// everywhere runs a test on the twin and on the device in each setting.
func everywhere(t *testing.T, test func(t *testing.T, run runner)) {
	t.Run("twin", func(t *testing.T) { test(t, cpuref.Run) })
	for i, rt := range someDevices(t) {
		t.Run(settings[i].String(), func(t *testing.T) { test(t, runnerOn(rt)) })
	}
}

// someDevices are all devices, or one of each strategy where time is short.
func someDevices(t *testing.T) []*host.Runtime {
	t.Helper()
	all := devices(t)
	if testing.Short() {
		return all[:2]
	}
	return all
}

func runnerOn(rt *host.Runtime) runner {
	return func(op tensor.Op, inputs ...tensor.Dense) (tensor.Dense, error) {
		return rt.RunDense(context.Background(), op, inputs...)
	}
}

// requireTroubles judges the twin's results and holds the device, in each setting,
// to their bits.
func requireTroubles(t *testing.T, troubles []trouble) {
	t.Helper()
	results := onTwinJudged(t, troubles)
	for i, rt := range someDevices(t) {
		t.Run(settings[i].String(), func(t *testing.T) { requireResults(t, rt, troubles, results) })
	}
}

func onTwinJudged(t *testing.T, troubles []trouble) []tensor.Dense {
	t.Helper()
	results := make([]tensor.Dense, len(troubles))
	for i, c := range troubles {
		got, err := cpuref.Run(c.op, c.inputs...)
		require.NoError(t, err, c.name)
		if c.want.DType != tensor.Invalid {
			assert.NoError(t, cases.Compare(got, c.want, c.tolerance, true), c.name)
		}
		report, err := oracle.Check(c.op, got, c.inputs...)
		require.NoError(t, err, c.name)
		assert.True(t, report.Within, "%s: %+v", c.name, report)
		requireOneNaN(t, c.name, got)
		results[i] = got
	}
	return results
}

func requireResults(t *testing.T, rt *host.Runtime, troubles []trouble, wants []tensor.Dense) {
	t.Helper()
	run := runnerOn(rt)
	for i, c := range troubles {
		got, err := run(c.op, c.inputs...)
		if assert.NoError(t, err, c.name) && !bytes.Equal(wants[i].Data, got.Data) {
			assert.NoError(t, cases.Compare(got, wants[i], exact, true), "%s differs from the twin", c.name)
			assert.Fail(t, "other bits", "%s: element %d", c.name, differing(wants[i], got))
		}
	}
}

// requireOneNaN holds results to the only NaN that they may carry.
func requireOneNaN(t *testing.T, name string, d tensor.Dense) {
	t.Helper()
	if !d.DType.IsFloat() {
		return
	}
	size := d.DType.Size()
	want := filled(d.DType, constant(math.NaN()), 1).Data
	for i := range len(d.Data) / size {
		if v := number(d, i); v != v && !bytes.Equal(d.Data[i*size:][:size], want) {
			assert.Fail(t, "NaN of other bits", "%s: element %d is %x", name, i, d.Data[i*size:][:size])
			return
		}
	}
}

// filled is a tensor whose element i is value(i).
func filled(dtype tensor.DType, value func(i int) float64, shape ...int) tensor.Dense {
	d, err := tensor.NewDense(tensor.Type{DType: dtype, Shape: shape})
	if err != nil {
		panic(err)
	}
	for i := range len(d.Data) / dtype.Size() {
		put(d, i, bitsOf(dtype, value(i)))
	}
	return d
}

// row is a 1-D tensor of values.
func row(dtype tensor.DType, values ...float64) tensor.Dense {
	return shaped(dtype, tensor.Shape{len(values)}, values...)
}

func shaped(dtype tensor.DType, shape tensor.Shape, values ...float64) tensor.Dense {
	return filled(dtype, func(i int) float64 { return values[i] }, shape...)
}

func bitsOf(dtype tensor.DType, v float64) uint64 {
	switch dtype {
	case tensor.F16:
		return uint64(float16.Fromfloat32(float32(v)).Bits())
	case tensor.BF16:
		return uint64(tensor.BFloat16FromFloat32(float32(v)))
	case tensor.F32:
		return uint64(math.Float32bits(float32(v)))
	case tensor.F64:
		if math.IsNaN(v) {
			return 0x7ff8 << 48 // Go's own NaN has a 1 at its end
		}
		return math.Float64bits(v)
	}
	return uint64(int64(v))
}

func constant(v float64) func(int) float64 { return func(int) float64 { return v } }

// ramp is 1, 2, 3, ...: the cumulative sum of ones.
func ramp(i int) float64 { return float64(i + 1) }

func integers[T tensor.Element](values ...T) tensor.Dense {
	d, err := tensor.Of(values, len(values))
	if err != nil {
		panic(err)
	}
	return d
}

// number is element i of a float tensor.
func number(d tensor.Dense, i int) float64 {
	switch d.DType {
	case tensor.F16:
		return float64(tensor.ValuesOf[float16.Float16](d.Data)[i].Float32())
	case tensor.BF16:
		return float64(tensor.ValuesOf[tensor.BFloat16](d.Data)[i].Float32())
	case tensor.F32:
		return float64(tensor.ValuesOf[float32](d.Data)[i])
	}
	return tensor.ValuesOf[float64](d.Data)[i]
}

// What must be an error, and reach the caller as one.
func TestRefusedTroubles(t *testing.T) {
	f32 := tensor.F32
	ignored := int64(1 << 32)
	everywhere(t, func(t *testing.T, run runner) {
		for i, c := range []struct {
			op     tensor.Op
			inputs []tensor.Dense
			want   error
			text   string
		}{
			{tensor.CumSum{Axis: -46}, []tensor.Dense{filled(f32, nil, 3, 0, 4)}, tensor.ErrAxis, "cumsum: axis -46 out of range for rank 3"},
			{tensor.CumSum{Axis: 2}, []tensor.Dense{filled(f32, constant(0), 2, 2)}, tensor.ErrAxis, "cumsum: axis 2 out of range for rank 2"},
			{tensor.CumSum{}, []tensor.Dense{filled(f32, constant(0))}, tensor.ErrAxis, "cumsum: "},
			{tensor.LogCumSumExp{}, []tensor.Dense{row(tensor.I32, 1)}, tensor.ErrType, "int32"},
			{tensor.NLL{}, []tensor.Dense{shaped(f32, tensor.Shape{1, 2}, -1, -2), integers[int64](3)}, tensor.ErrTarget, "target[0] = 3"},
			{tensor.NLL{}, []tensor.Dense{filled(f32, constant(0), 3, 5), integers[int32](0, 5, -1)}, tensor.ErrTarget, "target[1] = 5"},
			{tensor.NLL{Reduction: tensor.Sum}, []tensor.Dense{filled(f32, constant(0), 3, 5), integers[int32](0, 4, -31)}, tensor.ErrTarget, "target[2] = -31"},
			{tensor.NLL{Reduction: tensor.None}, []tensor.Dense{filled(f32, constant(0), 3, 5), integers[int64](-1481, 4, 7)}, tensor.ErrTarget, "target[0] = -1481"},
			{tensor.NLL{}, []tensor.Dense{filled(f32, constant(0), 2, 5), integers[int64](0, 1<<32)}, tensor.ErrTarget, "target[1] = 4294967296"},
			{tensor.NLL{IgnoreIndex: &ignored}, []tensor.Dense{filled(f32, constant(0), 2, 5), integers[int64](1<<32, -1<<63)}, tensor.ErrTarget, "target[1] = -9223372036854775808"},
			{tensor.NLL{}, []tensor.Dense{filled(tensor.BF16, constant(0), 1, 2), integers[int64](0)}, tensor.ErrType, "bfloat16"},
			{tensor.NLL{}, []tensor.Dense{filled(f32, constant(0), 1, 2), integers[int64](0), row(f32, 1)}, tensor.ErrShape, "weight"},
		} {
			_, err := run(c.op, c.inputs...)
			name := fmt.Sprintf("row %d", i)
			assert.ErrorIs(t, err, c.want, name)
			assert.ErrorContains(t, err, c.text, name)
		}
	})
}
