package host

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

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
