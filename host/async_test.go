package host_test

import (
	"errors"
	"runtime"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"vkops/cpuref"
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

// TestManyGoroutines mixes everything on one runtime and checks every result.
func TestManyGoroutines(t *testing.T) {
	onEach(t, func(t *testing.T, rt *host.Runtime) {
		rounds := 20
		if testing.Short() {
			rounds = 4
		}
		var wg sync.WaitGroup
		for g := range 8 {
			x := random(t, uint64(g), tensor.F32, 3, 500+g)
			op := tensor.CumSum{Axis: g % 2, Exclusive: g%3 == 0}
			once, err := cpuref.Run(op, x)
			require.NoError(t, err)
			twice, err := cpuref.Run(tensor.LogCumSumExp{Axis: 1}, once)
			require.NoError(t, err)
			wg.Add(1)
			go func() {
				defer wg.Done()
				for range rounds {
					got, err := rt.RunDense(ctx, op, x)
					assert.NoError(t, err)
					assert.Equal(t, once, got)

					b, err := rt.Upload(x)
					if !assert.NoError(t, err) {
						return
					}
					c, err := rt.Run(op, nil, b)
					if !assert.NoError(t, err) {
						return
					}
					b.Free()
					_, err = rt.Run(tensor.LogCumSumExp{Axis: 1}, c, c)
					assert.NoError(t, err)
					got, err = c.Download(ctx)
					assert.NoError(t, err)
					assert.Equal(t, twice, got)
					c.Free()
				}
			}()
		}
		wg.Wait()
	})
}

// TestCloseWhileInUse closes under the feet of goroutines in every kind of call.
func TestCloseWhileInUse(t *testing.T) {
	names := []string{"cpu"}
	if !noDevice(t) {
		names = append(names, deviceName(t))
	}
	for _, name := range names {
		t.Run(name, func(t *testing.T) {
			rt, err := host.Open(host.WithDevice(name))
			require.NoError(t, err)
			x := random(t, 1, tensor.F32, 64, 1000)
			live, err := rt.Upload(x)
			require.NoError(t, err)
			rec, err := rt.Record(func(r *host.Recording) error {
				_, err := r.Run(tensor.CumSum{}, nil, live)
				return err
			})
			require.NoError(t, err)
			var wg sync.WaitGroup
			for g := range 8 {
				wg.Add(1)
				go func() {
					defer wg.Done()
					for {
						var err error
						switch g % 4 {
						case 0:
							_, err = rt.RunDense(ctx, tensor.CumSum{Axis: 1}, x)
						case 1:
							_, err = live.Download(ctx)
						case 2:
							if err = rec.Run(); err == nil {
								err = rec.Wait(ctx)
							}
						case 3:
							var b *host.Buffer
							if b, err = rt.Run(tensor.Log1p{}, nil, live); err == nil {
								err = b.Wait(ctx)
								b.Free()
							}
						}
						if err != nil {
							assert.ErrorIs(t, err, host.ErrClosed)
							return
						}
					}
				}()
			}
			time.Sleep(50 * time.Millisecond)
			require.NoError(t, rt.Close())
			require.NoError(t, rt.Close())
			wg.Wait()

			_, err = rt.RunDense(ctx, tensor.CumSum{Axis: 1}, x)
			assert.ErrorIs(t, err, host.ErrClosed)
			_, err = rt.Upload(x)
			assert.ErrorIs(t, err, host.ErrClosed)
			_, err = rt.Run(tensor.CumSum{}, nil, live)
			assert.ErrorIs(t, err, host.ErrClosed)
			_, err = rt.Record(func(*host.Recording) error { return nil })
			assert.ErrorIs(t, err, host.ErrClosed)
			_, err = rt.Explain(tensor.CumSum{}, x.Type)
			assert.ErrorIs(t, err, host.ErrClosed)
			assert.ErrorIs(t, live.Wait(ctx), host.ErrClosed)
			live.Free()
			rec.Free()
		})
	}
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

// TestCollectorUnderLoad has the collector run all the time, so that memory that is
// not kept alive past a submission would be gone.
func TestCollectorUnderLoad(t *testing.T) {
	onEach(t, func(t *testing.T, rt *host.Runtime) {
		stop := make(chan struct{})
		var wg sync.WaitGroup
		wg.Add(1)
		go func() {
			defer wg.Done()
			for {
				select {
				case <-stop:
					return
				default:
					runtime.GC()
				}
			}
		}()
		x := random(t, 3, tensor.F32, 10, 300)
		want, err := cpuref.Run(tensor.CumSum{Axis: 1}, x)
		require.NoError(t, err)
		for range 30 {
			b, err := rt.Upload(x)
			require.NoError(t, err)
			c, err := rt.Run(tensor.CumSum{Axis: 1}, nil, b)
			require.NoError(t, err)
			b.Free()
			got, err := c.Download(ctx)
			require.NoError(t, err)
			require.Equal(t, want, got)
			c.Free()
		}
		close(stop)
		wg.Wait()
	})
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
