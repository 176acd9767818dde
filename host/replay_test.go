package host

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"vkops/tensor"
)

// chain records four operators, one on the result of the other.
func chain(t *testing.T, rt *Runtime) *Recorded {
	const n, c = 300, 10
	x, err := Upload(rt, make([]float32, n*c), tensor.Shape{n, c})
	require.NoError(t, err)
	target, err := Upload(rt, make([]int64, n), tensor.Shape{n})
	require.NoError(t, err)
	rec, err := rt.Record(func(r *Recording) error {
		y, err := Log1pTensor(r, nil, x)
		if err != nil {
			return err
		}
		if _, err = CumSumTensor(r, y, y, tensor.CumSum{Axis: 1}); err != nil {
			return err
		}
		z, err := LogCumSumExpTensor(r, nil, y, tensor.LogCumSumExp{})
		if err != nil {
			return err
		}
		_, err = NLLTensor(r, nil, z, target, nil, tensor.NLL{})
		return err
	})
	require.NoError(t, err)
	return rec
}

func TestReplayedChainIsOneSubmission(t *testing.T) {
	rt, v := openTested(t)
	rec := chain(t, rt)
	require.NoError(t, rec.Run())
	require.NoError(t, rec.Wait(background))
	rt.mu.Lock()
	defer rt.mu.Unlock()
	assert.Equal(t, uint64(1), v.queue.issued)
}

// TestReplaysLeakNothing replays a chain of all operators: 10^5 times where
// VKOPS_TEST_LONG is 1.
func TestReplaysLeakNothing(t *testing.T) {
	replays := 2000
	switch {
	case longTests():
		replays = 100_000
	case testing.Short():
		replays = 200
	}
	rt, v := openTested(t)
	rec := chain(t, rt)
	ctx, cancel := context.WithCancel(background)
	defer cancel()
	var failed error
	replay := func() {
		if err := rec.Run(); err != nil {
			failed = err
		}
		if err := rec.Wait(ctx); err != nil {
			failed = err
		}
	}
	for range 2 * maxInFlight {
		replay()
	}
	assert.Zero(t, testing.AllocsPerRun(replays, replay), "Go memory")
	// 40 bytes a replay would be 400 kB each time in the long form.
	assertNoGrowth(t, v, 200<<10, func() {
		for range replays / 10 {
			replay()
		}
	})
	require.NoError(t, failed)
}

// A recording of many losses has a status each; the pool keeps a few.
func TestStatusesComeBack(t *testing.T) {
	rt, v := openTested(t)
	input, err := Upload(rt, make([]float32, 6), tensor.Shape{2, 3})
	require.NoError(t, err)
	target, err := Upload(rt, []int64{1, 2}, tensor.Shape{2})
	require.NoError(t, err)
	rec, err := rt.Record(func(r *Recording) error {
		for range 2 * maxIdle {
			if _, err := NLLTensor(r, nil, input, target, nil, tensor.NLL{}); err != nil {
				return err
			}
		}
		return nil
	})
	require.NoError(t, err)
	require.NoError(t, rec.Run())
	require.NoError(t, rec.Wait(background))
	rec.Free()
	assert.LessOrEqual(t, len(v.pool.status), maxIdle)
}
