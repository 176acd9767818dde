package host_test

import (
	"context"
	"fmt"
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"vkops/cpuref"
	"vkops/host"
	"vkops/tensor"
)

var ctx = context.Background()

// sample is one operator on inputs.
type sample struct {
	name   string
	op     tensor.Op
	inputs []tensor.Dense
}

// samples are small cases of all operators in every mode and element type.
func samples(t testing.TB) []sample {
	var all []sample
	add := func(op tensor.Op, inputs ...tensor.Dense) {
		name := fmt.Sprintf("%s %+v %s", op.Name(), op, inputs[0].Type)
		all = append(all, sample{name, op, inputs})
	}
	for _, dtype := range tensor.AllDTypes() {
		x := random(t, uint64(dtype), dtype, 3, 17, 5)
		for mode := range 4 {
			add(tensor.CumSum{Axis: mode%3 - 1, Exclusive: mode&1 != 0, Reverse: mode&2 != 0}, x)
		}
		if dtype.IsFloat() {
			add(tensor.LogCumSumExp{Axis: 0}, x)
			add(tensor.LogCumSumExp{Axis: 1}, x)
			add(tensor.LogCumSumExp{Axis: -1}, x)
			add(tensor.Log1p{}, x)
			add(tensor.LogSoftmax{Axis: 1}, x)
			add(tensor.LogSoftmax{Axis: -1}, x)
		}
	}
	for _, dtype := range []tensor.DType{tensor.F16, tensor.BF16, tensor.F32, tensor.F64} {
		input, weight := random(t, 20, dtype, 4, 7, 9), random(t, 21, dtype, 7)
		target64, err := tensor.Of(labels[int64](1, 36, 7), 4, 9)
		require.NoError(t, err)
		target32, err := tensor.Of(labels[int32](2, 36, 7), 4, 9)
		require.NoError(t, err)
		for _, reduction := range []tensor.Reduction{tensor.Mean, tensor.Sum, tensor.None} {
			add(tensor.SoftmaxCrossEntropyLoss{Reduction: reduction}, input, target64)
			add(tensor.SoftmaxCrossEntropyLoss{Reduction: reduction, IgnoreIndex: pointer[int64](3)}, input, target32, weight)
			if dtype == tensor.BF16 { // NLL's text has none
				continue
			}
			add(tensor.NLL{Reduction: reduction}, input, target64)
			add(tensor.NLL{Reduction: reduction, IgnoreIndex: pointer[int64](3)}, input, target32, weight)
		}
	}
	return all
}

func TestEveryTierGivesTheTwinsBits(t *testing.T) {
	onEach(t, func(t *testing.T, rt *host.Runtime) {
		for _, s := range samples(t) {
			t.Run(s.name, func(t *testing.T) {
				want, err := cpuref.Run(s.op, s.inputs...)
				require.NoError(t, err)

				got, err := rt.RunDense(ctx, s.op, s.inputs...)
				require.NoError(t, err)
				assertSame(t, want, got, "dense tensors")

				inputs := make([]*host.Buffer, len(s.inputs))
				for i, d := range s.inputs {
					inputs[i], err = rt.Upload(d)
					require.NoError(t, err)
					defer inputs[i].Free()
				}
				out, err := rt.Run(s.op, nil, inputs...)
				require.NoError(t, err)
				defer out.Free()
				got, err = out.Download(ctx)
				require.NoError(t, err)
				assertSame(t, want, got, "device tensors")

				var result *host.Buffer
				rec, err := rt.Record(func(r *host.Recording) (err error) {
					result, err = r.Run(s.op, nil, inputs...)
					return err
				})
				require.NoError(t, err)
				defer rec.Free()
				for range 3 {
					require.NoError(t, rec.Run())
				}
				require.NoError(t, rec.Wait(ctx))
				got, err = result.Download(ctx)
				require.NoError(t, err)
				assertSame(t, want, got, "replay")
			})
		}
	})
}

func TestTypedSlices(t *testing.T) {
	onEach(t, func(t *testing.T, rt *host.Runtime) {
		x := f32(1, 2, 3, 4, 5, 6)
		shape := tensor.Shape{2, 3}

		y, err := host.CumSum(ctx, rt, nil, x, shape, tensor.CumSum{Axis: 1, Exclusive: true, Reverse: true})
		require.NoError(t, err)
		assert.Equal(t, f32(5, 3, 0, 11, 6, 0), y)

		y, err = host.LogCumSumExp(ctx, rt, nil, f32(-inf, 0, inf), tensor.Shape{3}, tensor.LogCumSumExp{})
		require.NoError(t, err)
		assert.Equal(t, f32(-inf, 0, inf), y)

		y, err = host.Log1p(ctx, rt, nil, f32(0, -1, inf))
		require.NoError(t, err)
		assert.Equal(t, f32(0, -inf, inf), y)

		loss, err := host.NLL(ctx, rt, nil, x, []int32{2, 0}, f32(1, 1, 3), shape, tensor.NLL{})
		require.NoError(t, err)
		assert.Equal(t, f32(-(9+4)/4.0), loss)
	})
}

func TestSlicesIntoGivenMemory(t *testing.T) {
	onEach(t, func(t *testing.T, rt *host.Runtime) {
		x := f32(1, 2, 3, 4)
		dst := make([]float32, 4)
		y, err := host.CumSum(ctx, rt, dst, x, tensor.Shape{4}, tensor.CumSum{})
		require.NoError(t, err)
		assert.Same(t, &dst[0], &y[0])
		assert.Equal(t, f32(1, 3, 6, 10), dst)
		assert.Equal(t, f32(1, 2, 3, 4), x)

		_, err = host.CumSum(ctx, rt, x, x, tensor.Shape{4}, tensor.CumSum{Reverse: true})
		require.NoError(t, err)
		assert.Equal(t, f32(10, 9, 7, 4), x, "in place")
	})
}

func TestEmptyAndScalarTensors(t *testing.T) {
	onEach(t, func(t *testing.T, rt *host.Runtime) {
		y, err := host.CumSum(ctx, rt, nil, []float32{}, tensor.Shape{3, 0, 4}, tensor.CumSum{Axis: 2})
		require.NoError(t, err)
		assert.Empty(t, y)

		scalar, err := host.Upload(rt, f32(0), tensor.Shape{})
		require.NoError(t, err)
		out, err := host.Log1pTensor(rt, nil, scalar)
		require.NoError(t, err)
		assert.Equal(t, tensor.Shape{}, out.Shape())
		got, err := out.Download(ctx, nil)
		require.NoError(t, err)
		assert.Equal(t, f32(0), got)

		empty := tensor.Shape{0, 3}
		for reduction, want := range map[tensor.Reduction][]float32{tensor.Sum: f32(0), tensor.None: {}} {
			loss, err := host.NLL(ctx, rt, nil, []float32{}, []int64{}, nil, empty, tensor.NLL{Reduction: reduction})
			require.NoError(t, err)
			assert.Equal(t, want, loss)
		}
		loss, err := host.NLL(ctx, rt, nil, []float32{}, []int64{}, nil, empty, tensor.NLL{})
		require.NoError(t, err)
		require.Len(t, loss, 1)
		assert.Equal(t, uint32(0x7fc00000), math.Float32bits(loss[0]))
	})
}

func TestChainWithoutWaiting(t *testing.T) {
	onEach(t, func(t *testing.T, rt *host.Runtime) {
		x := random(t, 5, tensor.F32, 3, 5000)
		values, err := tensor.Values[float32](x)
		require.NoError(t, err)
		a, err := host.Upload(rt, values, x.Shape)
		require.NoError(t, err)
		defer a.Free()
		want := x
		b := a
		for i := range 30 {
			op := tensor.CumSum{Axis: i % 2, Reverse: i%3 == 0}
			want, err = cpuref.Run(op, want)
			require.NoError(t, err)
			next := b
			if i%2 == 0 {
				next = nil // a new tensor; else in place
			}
			next, err = host.CumSumTensor(rt, next, b, op)
			require.NoError(t, err)
			if next != b {
				b.Free() // while in flight
			}
			b = next
		}
		got, err := b.Buffer.Download(ctx)
		require.NoError(t, err)
		assertSame(t, want, got, "chain")
	})
}

func TestReplaySeesNewContent(t *testing.T) {
	onEach(t, func(t *testing.T, rt *host.Runtime) {
		x, err := host.Upload(rt, f32(1, 2, 3), tensor.Shape{3})
		require.NoError(t, err)
		y, err := host.NewTensor[float32](rt, tensor.Shape{3})
		require.NoError(t, err)
		rec, err := rt.Record(func(r *host.Recording) error {
			sums, err := host.CumSumTensor(r, nil, x, tensor.CumSum{})
			if err != nil {
				return err
			}
			_, err = host.CumSumTensor(r, y, sums, tensor.CumSum{Reverse: true})
			return err
		})
		require.NoError(t, err)
		defer rec.Free()
		for i, want := range [][]float32{{10, 9, 6}, {20, 18, 12}} {
			require.NoError(t, x.Write(ctx, f32(1*float32(i+1), 2*float32(i+1), 3*float32(i+1))))
			require.NoError(t, rec.Run())
			got, err := y.Download(ctx, nil)
			require.NoError(t, err)
			assert.Equal(t, want, got)
		}
		view, err := x.Mapped(ctx)
		require.NoError(t, err)
		copy(view, f32(1, 0, 0))
		require.NoError(t, rec.Run())
		got, err := y.Download(ctx, nil)
		require.NoError(t, err)
		assert.Equal(t, f32(3, 2, 1), got)
	})
}

func TestVerificationIsContentWithTheDevice(t *testing.T) {
	rt := openVulkan(t, host.WithVerification(t.TempDir()))
	for _, s := range samples(t) {
		want, err := cpuref.Run(s.op, s.inputs...)
		require.NoError(t, err)
		got, err := rt.RunDense(ctx, s.op, s.inputs...)
		require.NoError(t, err, s.name)
		assertSame(t, want, got, s.name)
	}
}
