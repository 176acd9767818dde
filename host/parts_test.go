package host

import (
	"fmt"
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
				tensor.LogCumSumExp{Axis: s.axis}, tensor.Log1p{}} {
				for _, dtype := range [][]tensor.DType{{tensor.I64, tensor.F16}, {tensor.F32, tensor.F16}, {tensor.F32}, {tensor.F16}}[i] {
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

// TestMoreThanTheBudget runs operators on tensors that exceed the memory budget.
func TestMoreThanTheBudget(t *testing.T) {
	const budget = 1 << 20
	rt, v := openTested(t, WithMemoryBudget(budget), withImportFrom(-1))
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
}

// TestFaultsInWindows fails each call of a scan in windows in turn.
func TestFaultsInWindows(t *testing.T) {
	x, err := tensor.Of(counting[float32](40000), 40000)
	require.NoError(t, err)
	want, err := cpuref.Run(tensor.CumSum{}, x)
	require.NoError(t, err)
	stride, cacheDir := faultStride(), t.TempDir()
	for n := int64(1); ; n += stride {
		var inject injector
		rt, _ := openTested(t, withParts(70000), withStage(1<<14), withFault(inject.fault), WithCacheDir(cacheDir))
		inject.arm(n)
		got, err := rt.RunDense(background, tensor.CumSum{}, x)
		failed := inject.disarm()
		if err == nil {
			require.Equal(t, want, got, failed)
		} else {
			require.NotEmpty(t, failed)
		}
		if failed == "" {
			break
		}
	}
}
