package host_test

import (
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
