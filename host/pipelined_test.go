package host

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"vkops/cpuref"
	"vkops/internal/attributes"
	"vkops/internal/sample"
	"vkops/tensor"
)

func withObserver(observe func(event string)) Option { return func(c *config) { c.observe = observe } }

// TestStreamed runs operators on tensors that come to the device in chunks while it
// works: windows of outer indices, along the axis, of columns, and of elements.
func TestStreamed(t *testing.T) {
	const tile = 4096
	for name, opts := range map[Strategy][]Option{Lane: {withStage(1 << 15)}, Workgroup: {withStage(1 << 16)}} {
		rt, v := openTested(t, append(opts, WithStrategy(name))...)
		r := rand.New(rand.NewPCG(9, 9))
		for _, s := range []struct {
			shape tensor.Shape
			axis  int
		}{
			{tensor.Shape{16*tile + 1}, 0}, {tensor.Shape{40 * tile}, 0}, {tensor.Shape{300001}, 0}, {tensor.Shape{3, 60001}, 1},
			{tensor.Shape{1000, 257}, 1}, {tensor.Shape{5, 300, 77}, 1}, {tensor.Shape{9001, 17}, 0}, {tensor.Shape{3 * tile, 32}, 0},
		} {
			for i, op := range []tensor.Op{tensor.CumSum{Axis: s.axis}, tensor.CumSum{Axis: s.axis, Reverse: true, Exclusive: true},
				tensor.LogCumSumExp{Axis: s.axis}, tensor.LogSoftmax{Axis: s.axis}, tensor.Log1p{}} {
				dtype := [][]tensor.DType{{tensor.I64, tensor.F16}, {tensor.F32, tensor.BF16}, {tensor.F32}, {tensor.F32, tensor.F16}, {tensor.F16}}[i]
				in := tensor.Type{DType: dtype[r.IntN(len(dtype))], Shape: s.shape}
				x, err := sample.Tensor(r, in, sample.Uniform)
				require.NoError(t, err)
				require.True(t, v.streams(op, int64(len(x.Data))))
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
		requireNothingHeld(t, rt, v, string(name))
	}
}

// TestHostAndDeviceOverlap holds back whoever takes the first result out of its
// staging buffer until more of the input is on its way, which would never be where
// one part waits for another.
func TestHostAndDeviceOverlap(t *testing.T) {
	for name, c := range map[string]struct {
		opts  []Option
		shape tensor.Shape
		ahead int // chunks under way before the first result is waited for
	}{
		"streamed lines":             {[]Option{withStage(1 << 15)}, tensor.Shape{64, 4096}, 3},
		"parts of lines":             {[]Option{withStage(1 << 15), withParts(1 << 17)}, tensor.Shape{64, 4096}, 3},
		"parts in the host's memory": {[]Option{withParts(1 << 17)}, tensor.Shape{64, 4096}, 2},
		"windows along a line":       {[]Option{withStage(1 << 15), withParts(1 << 17)}, tensor.Shape{1, 1 << 16}, 10},
		"windows in shared memory":   {[]Option{withParts(1 << 16)}, tensor.Shape{1, 1 << 16}, 8 + 2},
	} {
		t.Run(name, func(t *testing.T) {
			var mu sync.Mutex
			uploads, landings, timedOut := 0, 0, false
			changed := make(chan struct{}, 1000)
			rt, _ := openTested(t, append(c.opts, withObserver(func(event string) {
				mu.Lock()
				if event == "upload" {
					uploads++
					changed <- struct{}{}
				} else {
					landings++
				}
				first, seen := event == "land" && landings == 1, uploads
				mu.Unlock()
				if !first {
					return
				}
				for limit := time.After(time.Minute); seen < c.ahead; {
					select {
					case <-changed:
						mu.Lock()
						seen = uploads
						mu.Unlock()
					case <-limit:
						timedOut = true
						return
					}
				}
			}))...)
			x, err := tensor.Of(counting[float32](c.shape[0]*c.shape[1]), c.shape...)
			require.NoError(t, err)
			want, err := cpuref.Run(tensor.CumSum{Axis: 1}, x)
			require.NoError(t, err)
			got, err := rt.RunDense(background, tensor.CumSum{Axis: 1}, x)
			require.NoError(t, err)
			assert.False(t, timedOut, "fewer than %d chunks under way while the first result was waited for", c.ahead)
			assert.Greater(t, landings, 1)
			assert.Equal(t, want, got)
		})
	}
}

// TestCancelledWhileStreaming ends calls at some moment: they return the context's
// error or the right result, and leave nothing behind.
func TestCancelledWhileStreaming(t *testing.T) {
	for _, opts := range [][]Option{{withStage(1 << 15)}, {withStage(1 << 15), withParts(1 << 17)}, {withParts(1 << 16)}} {
		var cancel context.CancelFunc
		left := 0
		var mu sync.Mutex
		rt, v := openTested(t, append(opts, withObserver(func(string) {
			mu.Lock()
			defer mu.Unlock()
			if left--; left == 0 {
				cancel()
			}
		}))...)
		line, err := tensor.Of(counting[float32](1<<18), 1, 1<<18)
		require.NoError(t, err)
		lines := tensor.Dense{Type: tensor.Type{DType: tensor.F32, Shape: tensor.Shape{64, 4096}}, Data: line.Data}
		loss := lossInputs(t, rand.New(rand.NewPCG(4, 4)), tensor.F32, tensor.I64, tensor.Shape{60000, 4}, nil)
		for _, c := range []struct {
			op     tensor.Op
			inputs []tensor.Dense
		}{
			{tensor.CumSum{Axis: 1}, []tensor.Dense{lines}}, {tensor.CumSum{Axis: 1}, []tensor.Dense{line}},
			{tensor.NLL{}, loss}, {tensor.SoftmaxCrossEntropyLoss{}, loss},
		} {
			want, err := cpuref.Run(c.op, c.inputs...)
			require.NoError(t, err)
			for at := range 8 {
				var ctx context.Context
				ctx, cancel = context.WithCancel(background)
				mu.Lock()
				left = at + 1
				mu.Unlock()
				got, err := rt.RunDense(ctx, c.op, c.inputs...)
				cancel()
				if err == nil {
					require.Equal(t, want, got)
				} else {
					require.True(t, errors.Is(err, context.Canceled), "%v", err)
				}
			}
		}
		requireNothingHeld(t, rt, v, "after cancelled calls")
	}
}
