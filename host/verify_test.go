package host

import (
	"context"
	"errors"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"vkops/cpuref"
	"vkops/internal/npy"
	"vkops/tensor"
)

// broken is a backend that flips a bit of one element of every result, or hides the
// fault of a target.
type broken struct {
	backend
	element   int
	forgiving bool
}

func (b *broken) run(ctx context.Context, op tensor.Op, out *Buffer, inputs []*Buffer) error {
	if err := b.backend.run(ctx, op, out, inputs); err != nil {
		return err
	}
	data := make([]byte, out.bytes)
	switch err := b.backend.read(ctx, out, data); {
	case b.forgiving:
		return b.backend.write(ctx, out, data)
	case err != nil:
		return nil
	}
	data[b.element*out.typ.DType.Size()] ^= 1
	return b.backend.write(ctx, out, data)
}

func (b *broken) apply(ctx context.Context, op tensor.Op, dst tensor.Dense, inputs []tensor.Dense) error {
	if err := b.backend.apply(ctx, op, dst, inputs); err != nil {
		return err
	}
	dst.Data[b.element*dst.DType.Size()] ^= 1
	return nil
}

func openBroken(t *testing.T, b *broken) (*Runtime, string) {
	rt, err := Open(WithDevice(twinName))
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, rt.Close()) })
	b.backend = rt.backend
	dir := filepath.Join(t.TempDir(), "made", "here")
	rt.backend = &verifier{backend: b, rt: rt, dir: dir}
	return rt, dir
}

func TestVerificationCatchesOneBit(t *testing.T) {
	rt, dir := openBroken(t, &broken{element: 2})
	x := []float32{1, 2, 3, 4}
	upload, err := Upload(rt, x, tensor.Shape{4})
	require.NoError(t, err)

	_, slices := CumSum(context.Background(), rt, nil, x, tensor.Shape{4}, tensor.CumSum{})
	_, tensors := CumSumTensor(rt, upload, upload, tensor.CumSum{}) // in place
	require.NoError(t, upload.Write(context.Background(), x))
	recorded, err := rt.Record(func(r *Recording) error {
		_, err := CumSumTensor(r, nil, upload, tensor.CumSum{})
		return err
	})
	require.NoError(t, err)
	for tier, err := range map[string]error{"slices": slices, "tensors": tensors, "replay": recorded.Run()} {
		require.ErrorIs(t, err, ErrMismatch, tier)
		var m *MismatchError
		require.True(t, errors.As(err, &m), tier)
		assert.Equal(t, "cumsum", m.Op)
		assert.Equal(t, int64(2), m.Index)
		assert.Equal(t, "6.0000005 (0x40c00001)", m.Got)
		assert.Equal(t, "6 (0x40c00000)", m.Want)
		assert.Equal(t, dir, filepath.Dir(m.Dir))
		for name, want := range map[string][]float32{"x": x, "twin": {1, 3, 6, 10}, "device": {1, 3, 6.0000005, 10}} {
			f, err := os.Open(filepath.Join(m.Dir, name+".npy"))
			require.NoError(t, err)
			d, err := npy.Read(f, npy.Options{})
			require.NoError(t, err)
			require.NoError(t, f.Close())
			values, err := tensor.Values[float32](d)
			require.NoError(t, err)
			assert.Equal(t, want, values, name)
		}
	}
}

func TestVerificationComparesTargetErrors(t *testing.T) {
	run := func(rt *Runtime, targets ...int64) (*Tensor[float32], error) {
		input, err := Upload(rt, []float32{-1, -2, -3, -4}, tensor.Shape{2, 2})
		require.NoError(t, err)
		target, err := Upload(rt, targets, tensor.Shape{2})
		require.NoError(t, err)
		return NLLTensor(rt, nil, input, target, nil, tensor.NLL{})
	}
	rt, _ := openBroken(t, &broken{forgiving: true})
	_, err := run(rt, 0, 1)
	require.NoError(t, err)
	_, err = run(rt, 0, 2)
	require.ErrorIs(t, err, ErrMismatch)
	assert.EqualError(t, err, `nll: device found "no error", twin found "nll: target[1] = 2 is outside [0, 2) and is not ignore_index"`)

	rt, _ = openBroken(t, &broken{})
	loss, err := run(rt, 0, 2)
	require.NoError(t, err, "both sides found the fault")
	assert.ErrorIs(t, loss.Wait(context.Background()), ErrTarget)
	sums, err := Log1pTensor(rt, nil, loss)
	require.NoError(t, err)
	assert.ErrorIs(t, sums.Wait(context.Background()), ErrTarget)
}

// TestMismatchNamesTheKernels has the strategy whose kernels in place are others.
func TestMismatchNamesTheKernels(t *testing.T) {
	rt, v := openTested(t, WithStrategy(LookBack))
	rt.backend = &verifier{backend: &broken{backend: v}, rt: rt, dir: t.TempDir()}
	x := counting[uint32](1 << 16)
	_, fromSlices := CumSum(background, rt, nil, x, tensor.Shape{len(x)}, tensor.CumSum{})
	src, err := Upload(rt, x, tensor.Shape{len(x)})
	require.NoError(t, err)
	_, apart := CumSumTensor(rt, nil, src, tensor.CumSum{})
	_, inPlace := CumSumTensor(rt, src, src, tensor.CumSum{})
	kernels := map[bool]string{}
	for _, overwrites := range []bool{false, true} {
		p, err := v.prepareFor(tensor.CumSum{}, []tensor.Type{src.typ}, overwrites)
		require.NoError(t, err)
		var names []string
		for _, s := range p.plan.Steps {
			if s.Kernel != "" && !slices.Contains(names, s.Kernel) {
				names = append(names, s.Kernel)
			}
		}
		kernels[overwrites] = strings.Join(names, ", ")
	}
	require.NotEqual(t, kernels[false], kernels[true])
	for _, c := range []struct {
		err  error
		want string
	}{{fromSlices, kernels[true]}, {apart, kernels[false]}, {inPlace, kernels[true]}} {
		var m *MismatchError
		require.ErrorAs(t, c.err, &m)
		assert.Equal(t, c.want, m.Kernel)
	}
}

// TestVerificationInParts verifies slices for which the device has no room.
func TestVerificationInParts(t *testing.T) {
	for _, importFrom := range []int64{-1, 1} {
		rt, v := openTested(t, WithMemoryBudget(1<<20), withImportFrom(importFrom))
		b := &broken{backend: v}
		rt.backend = &verifier{backend: v, rt: rt, dir: t.TempDir()}
		x := counting[uint32](1 << 20)
		for _, shape := range []tensor.Shape{{1 << 20}, {1 << 8, 1 << 12}} {
			op := tensor.CumSum{Axis: len(shape) - 1}
			in := dense(x, shape)
			want, err := cpuref.Run(op, in)
			require.NoError(t, err)
			got, err := CumSum(background, rt, nil, x, shape, op)
			require.NoError(t, err)
			require.Equal(t, tensor.ValuesOf[uint32](want.Data), got)
			got = slices.Clone(x)
			_, err = CumSum(background, rt, got, got, shape, op)
			require.NoError(t, err)
			require.Equal(t, tensor.ValuesOf[uint32](want.Data), got)
		}
		inputs := lossInputs(t, rand.New(rand.NewPCG(1, 2)), tensor.F32, tensor.I64, tensor.Shape{1 << 17, 9}, nil)
		_, err := rt.RunDense(background, tensor.NLL{}, inputs...)
		require.NoError(t, err)
		tensor.ValuesOf[int64](inputs[1].Data)[1<<16] = 9
		_, err = rt.RunDense(background, tensor.NLL{}, inputs...)
		require.ErrorIs(t, err, ErrTarget)
		require.NotErrorIs(t, err, ErrMismatch)

		b.element = 1<<20 - 5
		rt.backend = &verifier{backend: b, rt: rt, dir: t.TempDir()}
		_, err = CumSum(background, rt, x, x, tensor.Shape{len(x)}, tensor.CumSum{})
		var m *MismatchError
		require.ErrorAs(t, err, &m)
		assert.Equal(t, int64(b.element), m.Index)
		assert.Empty(t, m.Kernel)
		assert.NotContains(t, err.Error(), "kernels")
		assert.NotEmpty(t, m.Dir)
	}
}
