package host

import (
	"bytes"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"vkops/cpuref"
	"vkops/internal/attributes"
	"vkops/internal/sample"
	"vkops/tensor"
)

func withParts(bytes int64) Option { return func(c *config) { c.partBytes = bytes } }

// TestParts forces tensors through the device in parts, cut between outer indices, in
// windows along the axis and in strips of columns.
func TestParts(t *testing.T) {
	const tile = 4096
	shapes := []struct {
		shape tensor.Shape
		axis  int
	}{
		{tensor.Shape{0}, 0}, {tensor.Shape{1}, 0}, {tensor.Shape{70000}, 0}, {tensor.Shape{16*tile + 1}, 0},
		{tensor.Shape{3, 20001}, 1}, {tensor.Shape{500, 257}, 1}, {tensor.Shape{2, 300, 77}, 1}, {tensor.Shape{9001, 7}, 0},
	}
	for name, opts := range map[Strategy][]Option{Lane: nil, Workgroup: {withStage(1 << 16)}} {
		rt, v := openTested(t, append(opts, withParts(70000), WithStrategy(name), WithMaxSubmission(1<<20))...)
		r := rand.New(rand.NewPCG(7, 8))
		for _, s := range shapes {
			for i, op := range []tensor.Op{tensor.CumSum{Axis: s.axis}, tensor.CumSum{Axis: s.axis, Reverse: true, Exclusive: true},
				tensor.LogCumSumExp{Axis: s.axis}, tensor.LogSoftmax{Axis: s.axis}, tensor.Log1p{}} {
				for _, dtype := range [][]tensor.DType{{tensor.I64, tensor.F16}, {tensor.F32, tensor.F16}, {tensor.F32}, {tensor.F32, tensor.F16}, {tensor.F16}}[i] {
					in := tensor.Type{DType: dtype, Shape: s.shape}
					x, err := sample.Tensor(r, in, sample.Uniform)
					require.NoError(t, err)
					what := fmt.Sprintf("%s %s %s", name, attributes.String(op), in)
					want, err := cpuref.Run(op, x)
					require.NoError(t, err)
					got, err := rt.RunDense(background, op, x)
					require.NoError(t, err, what)
					require.Equal(t, want, got, what)
					require.NoError(t, v.apply(background, op, x, []tensor.Dense{x}))
					require.Equal(t, want.Data, x.Data, what+", in place")
				}
			}
		}
	}
}

// TestLossesInParts forces losses through the device in windows of samples: those of one
// item, of many, and windows that begin and end within an item.
func TestLossesInParts(t *testing.T) {
	outside, inside := int64(-100), int64(0)
	for name, opts := range map[Strategy][]Option{Lane: nil, Workgroup: {withStage(1 << 16)}} {
		rt, _ := openTested(t, append(opts, withParts(160000), WithStrategy(name), WithMaxSubmission(1<<20))...)
		r := rand.New(rand.NewPCG(3, 4))
		for i, shape := range []tensor.Shape{{1, 1}, {9001, 7}, {1, 40000, 1}, {1, 5, 20001}, {3, 17, 4097}, {700, 3, 33}, {5, 21001, 3}, {4099, 40, 2}} {
			for _, reduction := range []tensor.Reduction{tensor.Mean, tensor.Sum, tensor.None} {
				ignored := []*int64{nil, &outside, &inside}[r.IntN(3)]
				for _, op := range []tensor.Loss{tensor.NLL{Reduction: reduction, IgnoreIndex: ignored}, tensor.SoftmaxCrossEntropyLoss{Reduction: reduction, IgnoreIndex: ignored}} {
					dtype := []tensor.DType{tensor.F32, tensor.F16, tensor.F64}[r.IntN(3)]
					inputs := lossInputs(t, r, dtype, []tensor.DType{tensor.I32, tensor.I64}[r.IntN(2)], shape, ignored)[:2+i%2]
					what := fmt.Sprintf("%s %s %s, %d inputs", name, attributes.String(op), inputs[0].Type, len(inputs))
					want, err := cpuref.Run(op, inputs...)
					require.NoError(t, err)
					got, err := rt.RunDense(background, op, inputs...)
					require.NoError(t, err, what)
					require.Equal(t, want, got, what)
				}
			}
		}
	}
}

// lossInputs makes input, target and weight of a loss.
func lossInputs(t testing.TB, r *rand.Rand, dtype, target tensor.DType, shape tensor.Shape, ignored *int64) []tensor.Dense {
	x, err := sample.Tensor(r, tensor.Type{DType: dtype, Shape: shape}, sample.Uniform)
	require.NoError(t, err)
	labels := append(tensor.Shape{shape[0]}, shape[2:]...)
	y, err := sample.Labels(r, tensor.Type{DType: target, Shape: labels}, shape[1], ignored)
	require.NoError(t, err)
	w, err := sample.Tensor(r, tensor.Type{DType: dtype, Shape: tensor.Shape{shape[1]}}, sample.Uniform)
	require.NoError(t, err)
	return []tensor.Dense{x, y, w}
}

// TestBadTargetsInParts puts targets out of range into several windows.
func TestBadTargetsInParts(t *testing.T) {
	rt, v := openTested(t, withParts(160000))
	r := rand.New(rand.NewPCG(5, 6))
	inputs := lossInputs(t, r, tensor.F32, tensor.I64, tensor.Shape{30000, 9}, nil)
	targets := tensor.ValuesOf[int64](inputs[1].Data)
	targets[29999], targets[20003], targets[17001] = -1, 9, 1<<40
	for _, reduction := range []tensor.Reduction{tensor.Mean, tensor.None} {
		for _, op := range []tensor.Op{tensor.NLL{Reduction: reduction}, tensor.SoftmaxCrossEntropyLoss{Reduction: reduction}} {
			_, err := rt.RunDense(background, op, inputs...)
			require.ErrorIs(t, err, ErrTarget)
			assert.ErrorContains(t, err, "[17001] = 1099511627776 is outside [0, 9)")
		}
	}
	requireNothingHeld(t, rt, v, "after bad targets")
}

// TestMoreThanTheBudget runs operators on tensors that exceed the memory budget.
func TestMoreThanTheBudget(t *testing.T) {
	const budget = 1 << 20
	var log bytes.Buffer
	rt, v := openTested(t, WithMemoryBudget(budget), withImportFrom(-1), WithLogger(slog.New(slog.NewTextHandler(&log, nil))))
	x := counting[uint32](1 << 20)
	_, err := rt.Upload(dense(x, tensor.Shape{len(x)}))
	require.ErrorIs(t, err, ErrOutOfMemory, "a tensor on the device cannot come in parts")
	for _, shape := range []tensor.Shape{{1 << 20}, {1 << 8, 1 << 12}} {
		axis := len(shape) - 1
		got, err := CumSum(background, rt, nil, x, shape, tensor.CumSum{Axis: axis})
		require.NoError(t, err)
		want, err := cpuref.Run(tensor.CumSum{Axis: axis}, dense(x, shape))
		require.NoError(t, err)
		assert.Equal(t, want.Data, tensor.BytesOf(got))
	}
	assert.LessOrEqual(t, v.gpu.MemoryInUse().Allocated, int64(budget))

	scores, targets := make([]float32, 1<<20), make([]int32, 1<<10)
	for i := range scores {
		scores[i] = float32(i)
	}
	loss, err := NLL(background, rt, nil, scores, targets, nil, tensor.Shape{1 << 10, 1 << 10}, tensor.NLL{Reduction: tensor.None})
	require.NoError(t, err)
	assert.Equal(t, float32(-1024), loss[1])
	in, labels := dense(scores, tensor.Shape{1 << 10, 1 << 10}), dense(targets, tensor.Shape{1 << 10})
	for _, c := range []struct {
		op     tensor.Op
		inputs []tensor.Dense
	}{
		{tensor.LogSoftmax{Axis: 1}, []tensor.Dense{in}},
		{tensor.LogSoftmax{Axis: 0}, []tensor.Dense{in}},
		{tensor.SoftmaxCrossEntropyLoss{}, []tensor.Dense{in, labels}},
	} {
		got, err := rt.RunDense(background, c.op, c.inputs...)
		require.NoError(t, err)
		want, err := cpuref.Run(c.op, c.inputs...)
		require.NoError(t, err)
		assert.Equal(t, want, got, c.op.Name())
	}
	assert.LessOrEqual(t, v.gpu.MemoryInUse().Allocated, int64(budget))
	assert.NotContains(t, log.String(), "runs on the twin")
}

// TestChosenElementsAreSent has no room for an input, but for what targets choose of it.
func TestChosenElementsAreSent(t *testing.T) {
	const budget = 8 << 20
	for how, opts := range map[string][]Option{"staged": {withStage(1 << 18)}, "shared": {withImportFrom(-1)}} {
		var log bytes.Buffer
		rt, v := openTested(t, append(opts, WithMemoryBudget(budget), WithLogger(slog.New(slog.NewTextHandler(&log, nil))))...)
		inputs := lossInputs(t, rand.New(rand.NewPCG(2, 3)), tensor.F32, tensor.I64, tensor.Shape{40000, 100}, nil)
		require.Greater(t, len(inputs[0].Data), budget)
		want, err := cpuref.Run(tensor.NLL{}, inputs...)
		require.NoError(t, err)
		got, err := rt.RunDense(background, tensor.NLL{}, inputs...)
		require.NoError(t, err, how)
		assert.Equal(t, want, got, how)
		assert.NotContains(t, log.String(), "in parts", how)
		assert.NotContains(t, log.String(), "twin", how)
		requireNothingHeld(t, rt, v, how)
	}
}

// TestFaultsInWindows fails each call of operators in windows in turn.
func TestFaultsInWindows(t *testing.T) {
	x, err := tensor.Of(counting[float32](40000), 40000)
	require.NoError(t, err)
	inputs := lossInputs(t, rand.New(rand.NewPCG(1, 1)), tensor.F32, tensor.I32, tensor.Shape{9000, 5}, nil)
	stride, cacheDir := faultStride(), t.TempDir()
	for _, c := range []struct {
		op     tensor.Op
		inputs []tensor.Dense
	}{{tensor.CumSum{}, []tensor.Dense{x}}, {tensor.NLL{}, inputs}, {tensor.SoftmaxCrossEntropyLoss{Reduction: tensor.None}, inputs}} {
		want, err := cpuref.Run(c.op, c.inputs...)
		require.NoError(t, err)
		for n := int64(1); ; n += stride {
			var inject injector
			rt, _ := openTested(t, withParts(70000), withStage(1<<15), withFault(inject.fault), WithCacheDir(cacheDir))
			inject.arm(n)
			got, err := rt.RunDense(background, c.op, c.inputs...)
			failed := inject.disarm()
			if err == nil {
				require.Equal(t, want, got, failed)
			} else {
				require.NotEmpty(t, failed, err)
			}
			if failed == "" {
				break
			}
		}
	}
}
