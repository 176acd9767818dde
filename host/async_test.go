package host_test

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"vkops/host"
	"vkops/tensor"
)

// badLoss is the loss of a target out of range.
func badLoss(t *testing.T, rt *host.Runtime, op tensor.NLL) *host.Tensor[float32] {
	input, err := host.Upload(rt, make([]float32, 12), tensor.Shape{4, 3})
	require.NoError(t, err)
	target, err := host.Upload(rt, []int64{0, 1, 7, -5}, tensor.Shape{4})
	require.NoError(t, err)
	loss, err := host.NLLTensor(rt, nil, input, target, nil, op)
	require.NoError(t, err, "only a wait can know")
	input.Free()
	target.Free()
	return loss
}

const badTarget = "nll: target[2] = 7 is outside [0, 3) and is not ignore_index"

func TestTargetErrorSurfacesAtTheWait(t *testing.T) {
	onEach(t, func(t *testing.T, rt *host.Runtime) {
		for _, reduction := range []tensor.Reduction{tensor.Mean, tensor.Sum, tensor.None} {
			loss := badLoss(t, rt, tensor.NLL{Reduction: reduction})
			for range 2 { // also the second time
				err := loss.Wait(ctx)
				assert.ErrorIs(t, err, host.ErrTarget)
				assert.EqualError(t, err, badTarget)
			}
			_, err := loss.Download(ctx, nil)
			assert.EqualError(t, err, badTarget)
			_, err = loss.Mapped(ctx)
			assert.EqualError(t, err, badTarget)
		}
		ignored := badLoss(t, rt, tensor.NLL{Reduction: tensor.None, IgnoreIndex: pointer[int64](7)})
		assert.EqualError(t, ignored.Wait(ctx), "nll: target[3] = -5 is outside [0, 3) and is not ignore_index")
	})
}

func TestTargetErrorTravels(t *testing.T) {
	onEach(t, func(t *testing.T, rt *host.Runtime) {
		loss := badLoss(t, rt, tensor.NLL{Reduction: tensor.None})
		sums, err := host.CumSumTensor(rt, nil, loss, tensor.CumSum{})
		require.NoError(t, err)
		twice, err := host.Log1pTensor(rt, nil, sums)
		require.NoError(t, err)
		clean, err := host.Upload(rt, f32(1, 2, 3, 4), tensor.Shape{4})
		require.NoError(t, err)
		cleanSums, err := host.CumSumTensor(rt, nil, clean, tensor.CumSum{})
		require.NoError(t, err)
		loss.Free() // does not lose it

		_, err = twice.Download(ctx, nil)
		assert.EqualError(t, err, badTarget)
		assert.EqualError(t, sums.Wait(ctx), badTarget)
		require.NoError(t, cleanSums.Wait(ctx), "work beside it is fine")

		_, err = host.CumSumTensor(rt, sums, clean, tensor.CumSum{})
		require.NoError(t, err)
		got, err := sums.Download(ctx, nil)
		require.NoError(t, err, "written anew")
		assert.Equal(t, f32(1, 3, 6, 10), got)

		require.NoError(t, twice.Write(ctx, f32(1, 2, 3, 4)))
		require.NoError(t, twice.Wait(ctx), "written anew")
	})
}

func TestTargetErrorOfAReplay(t *testing.T) {
	onEach(t, func(t *testing.T, rt *host.Runtime) {
		input, err := host.Upload(rt, f32(-1, -2, -3, -4), tensor.Shape{2, 2})
		require.NoError(t, err)
		target, err := host.Upload(rt, []int32{0, 1}, tensor.Shape{2})
		require.NoError(t, err)
		var loss, sums *host.Tensor[float32]
		rec, err := rt.Record(func(r *host.Recording) (err error) {
			if loss, err = host.NLLTensor(r, nil, input, target, nil, tensor.NLL{Reduction: tensor.None}); err == nil {
				sums, err = host.CumSumTensor(r, nil, loss, tensor.CumSum{})
			}
			return err
		})
		require.NoError(t, err)
		replay := func(targets ...int32) {
			require.NoError(t, target.Write(ctx, targets))
			require.NoError(t, rec.Run())
		}
		replay(0, 1)
		require.NoError(t, rec.Wait(ctx))
		got, err := sums.Download(ctx, nil)
		require.NoError(t, err)
		assert.Equal(t, f32(1, 5), got)

		replay(0, 5)
		replay(1, 0) // overwrites the failed results, not the failure
		err = rec.Wait(ctx)
		assert.ErrorIs(t, err, host.ErrTarget)
		assert.EqualError(t, err, "nll: target[1] = 5 is outside [0, 2) and is not ignore_index")
		require.NoError(t, rec.Wait(ctx), "reported once")
		got, err = sums.Download(ctx, nil)
		require.NoError(t, err)
		assert.Equal(t, f32(2, 5), got)

		replay(9, 0)
		assert.ErrorIs(t, sums.Wait(ctx), host.ErrTarget)
		rec.Free()
		rec.Free()
		assert.ErrorIs(t, rec.Run(), host.ErrFreed)
		assert.ErrorIs(t, rec.Wait(ctx), host.ErrFreed)
		assert.ErrorIs(t, sums.Wait(ctx), host.ErrFreed, "results live as long as the recording")
	})
}

// A failure that a Wait reported is not found again in the run after it, nor in one that
// could not begin.
func TestAReportedFailureIsOver(t *testing.T) {
	onEach(t, func(t *testing.T, rt *host.Runtime) {
		input, err := host.Upload(rt, f32(-1, -2, -3, -4), tensor.Shape{2, 2})
		require.NoError(t, err)
		target, err := host.Upload(rt, []int32{0, 5}, tensor.Shape{2})
		require.NoError(t, err)
		rec, err := rt.Record(func(r *host.Recording) error {
			_, err := host.NLLTensor(r, nil, input, target, nil, tensor.NLL{})
			return err
		})
		require.NoError(t, err)
		defer rec.Free()
		require.NoError(t, rec.Run())
		assert.ErrorIs(t, rec.Wait(ctx), host.ErrTarget)
		require.NoError(t, rec.Wait(ctx))
		require.NoError(t, target.Write(ctx, []int32{0, 1}))
		require.NoError(t, rec.Run())
		require.NoError(t, rec.Wait(ctx), "the run after a failed one")

		require.NoError(t, target.Write(ctx, []int32{-1, 0}))
		require.NoError(t, rec.Run())
		assert.ErrorIs(t, rec.Wait(ctx), host.ErrTarget)
		target.Free()
		assert.ErrorIs(t, rec.Run(), host.ErrFreed)
		require.NoError(t, rec.Wait(ctx), "a run that could not begin")
	})
}

func TestReplayOfFreedTensor(t *testing.T) {
	onEach(t, func(t *testing.T, rt *host.Runtime) {
		x, err := host.Upload(rt, f32(1, 2), tensor.Shape{2})
		require.NoError(t, err)
		var kept *host.Recording
		rec, err := rt.Record(func(r *host.Recording) error {
			kept = r
			_, err := host.Log1pTensor(r, nil, x)
			return err
		})
		require.NoError(t, err)
		_, err = host.Log1pTensor(kept, nil, x)
		assert.ErrorIs(t, err, host.ErrFreed, "recording after the end")
		x.Free()
		assert.ErrorIs(t, rec.Run(), host.ErrFreed)
		rec.Free()
	})
}

func TestNilAndClosedRuntime(t *testing.T) {
	var rt *host.Runtime
	_, err := host.Log1p(ctx, rt, nil, f32(1))
	assert.ErrorIs(t, err, host.ErrClosed)
	_, err = host.Upload(rt, f32(1), tensor.Shape{1})
	assert.ErrorIs(t, err, host.ErrClosed)
	_, err = rt.Run(tensor.Log1p{}, nil)
	assert.ErrorIs(t, err, host.ErrClosed)
}

func TestErrorOfTheRecordingFunction(t *testing.T) {
	rt := openTwin(t)
	stop := errors.New("changed my mind")
	_, err := rt.Record(func(*host.Recording) error { return stop })
	assert.ErrorIs(t, err, stop)
}

func TestIgnoreIndexIsReadAtTheCall(t *testing.T) {
	onEach(t, func(t *testing.T, rt *host.Runtime) {
		input, err := host.Upload(rt, f32(-1, -2, -3, -4), tensor.Shape{2, 2})
		require.NoError(t, err)
		target, err := host.Upload(rt, []int64{0, 1}, tensor.Shape{2})
		require.NoError(t, err)
		index := int64(0)
		var loss *host.Tensor[float32]
		rec, err := rt.Record(func(r *host.Recording) (err error) {
			loss, err = host.NLLTensor(r, nil, input, target, nil, tensor.NLL{Reduction: tensor.None, IgnoreIndex: &index})
			return err
		})
		require.NoError(t, err)
		defer rec.Free()
		index = 1
		require.NoError(t, rec.Run())
		got, err := loss.Download(ctx, nil)
		require.NoError(t, err)
		assert.Equal(t, f32(0, 4), got)
	})
}
