package host

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"vkops/cpuref"
	"vkops/internal/attributes"
	"vkops/tensor"
)

// TestWorkInManySubmissions forces submissions of a few thousand bytes each.
func TestWorkInManySubmissions(t *testing.T) {
	for _, strategy := range []Strategy{Lane, Workgroup} {
		rt, v := openTested(t, WithStrategy(strategy), WithMaxSubmission(1<<13))
		issued := func() uint64 {
			rt.mu.Lock()
			defer rt.mu.Unlock()
			return v.queue.issued
		}
		for _, c := range faultCases(t) {
			what := attributes.String(c.op)
			inputs := make([]*Buffer, len(c.inputs))
			for i, d := range c.inputs {
				b, err := rt.Upload(d)
				require.NoError(t, err)
				inputs[i] = b
			}
			before := issued()
			out, err := rt.Run(c.op, nil, inputs...)
			require.NoError(t, err, what)
			assert.GreaterOrEqual(t, issued()-before, uint64(3), what+": a workgroup is the least that a submission can do")
			got, err := out.Download(background)
			require.NoError(t, err, what)
			assert.Equal(t, c.want, got, what)

			rec, err := rt.Record(func(r *Recording) error {
				if _, err := r.Run(c.op, out, inputs...); err != nil || !inPlace(c.op) {
					return err
				}
				_, err := r.Run(c.op, out, out)
				return err
			})
			require.NoError(t, err)
			want := c.want
			if inPlace(c.op) {
				want, err = cpuref.Run(c.op, want)
				require.NoError(t, err)
			}
			for range 3 {
				require.NoError(t, rec.Run())
			}
			require.NoError(t, rec.Wait(background))
			got, err = out.Download(background)
			require.NoError(t, err)
			assert.Equal(t, want, got, what+", replayed")
			rec.Free()
			out.Free()
			for _, b := range inputs {
				b.Free()
			}
		}
	}
}

// TestFaultsBetweenSubmissions fails each submission of an operator in turn, on memory
// that the parts before it change.
func TestFaultsBetweenSubmissions(t *testing.T) {
	c := faultCases(t)[0]
	for n := int64(1); ; n++ {
		var inject injector
		counted := func(call string) error {
			if call != "vkQueueSubmit" {
				return nil
			}
			return inject.fault(call)
		}
		rt, _ := openTested(t, WithMaxSubmission(1<<15), withFault(counted))
		x, err := rt.Upload(c.inputs[0])
		require.NoError(t, err)
		inject.arm(n)
		_, err = rt.Run(c.op, x, x)
		if inject.disarm() == "" {
			require.NoError(t, err)
			require.Greater(t, n, int64(3), "the operator has several parts")
			break
		}
		if n == 1 {
			require.NoError(t, err, "nothing had started, so it is tried again")
		} else {
			require.ErrorIs(t, err, ErrOutOfMemory)
			require.ErrorIs(t, x.Wait(background), ErrOutOfMemory, "the elements mean nothing")
			require.NoError(t, x.Write(background, c.inputs[0]))
			_, err = rt.Run(c.op, x, x)
			require.NoError(t, err)
		}
		got, err := x.Download(background)
		require.NoError(t, err)
		require.Equal(t, c.want, got)
		x.Free()
	}
}

// TestCancelledCallsReturnSoon ends the context of calls whose work takes the device
// long, and then uses their memory for something else.
func TestCancelledCallsReturnSoon(t *testing.T) {
	rt, v := openTested(t, withImportFrom(1))
	const n, slow = 1 << 18, 1 << 20
	busy, err := NewTensor[float32](rt, tensor.Shape{slow})
	require.NoError(t, err)
	require.NoError(t, busy.Write(background, make([]float32, slow)))
	x := counting[float32](n)
	want, err := cpuref.Run(tensor.CumSum{}, dense(x, tensor.Shape{n}))
	require.NoError(t, err)
	_, err = CumSum(background, rt, nil, x, tensor.Shape{n}, tensor.CumSum{}) // compiles the kernels
	require.NoError(t, err)
	_, err = LogCumSumExpTensor(rt, busy, busy, tensor.LogCumSumExp{})
	require.NoError(t, err)
	require.NoError(t, busy.Wait(background))
	before := v.gpu.MemoryInUse()
	for rounds, tries := 0, 0; rounds < 2; tries++ {
		require.Less(t, tries, 20, "the calls return when the device is done, not with their context")
		for range 16 { // keeps the device at work
			_, err := LogCumSumExpTensor(rt, busy, busy, tensor.LogCumSumExp{})
			require.NoError(t, err)
		}
		last := v.queue.issued
		ctx, cancel := context.WithTimeout(background, time.Millisecond)
		dst := make([]float32, n)
		_, err := CumSum(ctx, rt, dst, x, tensor.Shape{n}, tensor.CumSum{})
		cancel()
		rt.mu.Lock()
		v.retire()
		late := v.queue.retired >= last
		rt.mu.Unlock()
		if late { // the device was done before this goroutine ran again: nothing is known
			require.NoError(t, v.waitFor(background, v.queue.issued))
			continue
		}
		require.ErrorIs(t, err, context.DeadlineExceeded)
		copy(dst, x)
		require.NoError(t, busy.Wait(background))
		got, err := CumSum(background, rt, nil, x, tensor.Shape{n}, tensor.CumSum{})
		require.NoError(t, err)
		assert.Equal(t, want.Data, tensor.BytesOf(got))
		assert.Equal(t, x, dst, "the cancelled call does not write later")
		rounds++
	}
	require.NoError(t, v.waitFor(background, v.queue.issued))
	assert.LessOrEqual(t, v.gpu.MemoryInUse().Buffers, before.Buffers+3) // scratch that stays
}

// TestCancelledCallsDoNotWaitForTheQueue: where the queue is full, or the memory is held
// by work in flight, a call waits as long as its context allows.
func TestCancelledCallsDoNotWaitForTheQueue(t *testing.T) {
	const n, slow = 1 << 18, 1 << 21
	x := counting[float32](n)
	for name, c := range map[string]struct {
		opts []Option
		fill func(t *testing.T, rt *Runtime, busy *Tensor[float32])
	}{
		"room in the queue": {nil, func(t *testing.T, rt *Runtime, busy *Tensor[float32]) {
			tiny, err := Upload(rt, x[:1], tensor.Shape{1})
			require.NoError(t, err)
			for range maxInFlight - 1 {
				_, err := CumSumTensor(rt, tiny, tiny, tensor.CumSum{})
				require.NoError(t, err)
			}
		}},
		"memory": {[]Option{WithMemoryBudget(9 << 20)}, func(t *testing.T, rt *Runtime, busy *Tensor[float32]) { busy.Free() }},
	} {
		t.Run(name, func(t *testing.T) {
			rt, v := openTested(t, c.opts...)
			_, err := CumSum(background, rt, nil, x, tensor.Shape{n}, tensor.CumSum{}) // compiles the kernels
			require.NoError(t, err)
			for tries := 0; ; tries++ {
				require.Less(t, tries, 20, "the call returns when the device is done, not with its context")
				busy, err := Upload(rt, make([]float32, slow), tensor.Shape{slow})
				require.NoError(t, err)
				_, err = LogCumSumExpTensor(rt, busy, busy, tensor.LogCumSumExp{})
				require.NoError(t, err)
				first := v.queue.issued
				c.fill(t, rt, busy)
				ctx, cancel := context.WithTimeout(background, time.Millisecond)
				_, err = CumSum(ctx, rt, nil, x, tensor.Shape{n}, tensor.CumSum{})
				cancel()
				rt.mu.Lock()
				v.retire()
				late := v.queue.retired >= first
				rt.mu.Unlock()
				busy.Free()
				if !late {
					require.ErrorIs(t, err, context.DeadlineExceeded)
					break
				}
				require.NoError(t, v.waitFor(background, v.queue.issued))
			}
			require.NoError(t, v.waitFor(background, v.queue.issued))
			got, err := CumSum(background, rt, nil, x[:3], tensor.Shape{3}, tensor.CumSum{})
			require.NoError(t, err)
			assert.Equal(t, []float32{1, 3, 6}, got)
		})
	}
}
