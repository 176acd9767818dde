package host

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"vkops/cpuref"
	"vkops/internal/attributes"
	"vkops/tensor"
)

// injector lets one call into Vulkan fail, by its number from when it was armed, out
// of memory or as a lost device.
type injector struct {
	left   atomic.Int64 // 0 for never
	lost   bool         // the call is to report a lost device, if it may
	failed atomic.Value // the name of the call that failed, "" for none
}

// maybeLost are the calls that may report a lost device, by the specification.
var maybeLost = map[string]bool{"vkCreateDevice": true, "vkQueueSubmit": true, "vkWaitForFences": true, "vkGetFenceStatus": true,
	"vkGetQueryPoolResults": true}

func (f *injector) fault(call string) error {
	if f.left.Load() <= 0 || f.left.Add(-1) != 0 || f.lost && !maybeLost[call] {
		return nil
	}
	f.failed.Store(call)
	if f.lost {
		return ErrDeviceLost
	}
	return ErrOutOfMemory
}

// failing fails every call of a name.
func failing(name string) func(call string) error {
	return func(call string) error {
		if call == name {
			return ErrOutOfMemory
		}
		return nil
	}
}

// loseDevice fails the calls that ask for the device's progress, once lose is set.
func loseDevice(lose *atomic.Bool) func(call string) error {
	return func(call string) error {
		if lose.Load() && (call == "vkWaitForFences" || call == "vkGetFenceStatus") {
			return ErrDeviceLost
		}
		return nil
	}
}

// arm makes the nth call from now fail.
func (f *injector) arm(n int64) {
	f.failed.Store("")
	f.left.Store(n)
}

// disarm gives the call that failed meanwhile.
func (f *injector) disarm() string {
	f.left.Store(0)
	return f.failed.Load().(string)
}

// faultCase is an operator on data, with the twin's result.
type faultCase struct {
	op     tensor.Op
	inputs []tensor.Dense
	want   tensor.Dense
}

func (c faultCase) String() string { return attributes.String(c.op) }

// faultCases are all operators, each of several dispatches with scratch memory.
func faultCases(t *testing.T) []faultCase {
	const n = 20000
	x, err := tensor.Of(counting[float32](n), 2, n/2)
	require.NoError(t, err)
	logs, err := tensor.Of(make([]float32, n), n/2, 2)
	require.NoError(t, err)
	targets, err := tensor.Of(make([]int64, n/2), n/2)
	require.NoError(t, err)
	weight, err := tensor.Of([]float32{2, 3}, 2)
	require.NoError(t, err)
	var cases []faultCase
	for _, c := range []faultCase{
		{op: tensor.CumSum{Axis: 1}, inputs: []tensor.Dense{x}},
		{op: tensor.LogCumSumExp{Axis: 1}, inputs: []tensor.Dense{x}},
		{op: tensor.Log1p{}, inputs: []tensor.Dense{x}},
		{op: tensor.NLL{}, inputs: []tensor.Dense{logs, targets, weight}},
		{op: tensor.LogSoftmax{Axis: 1}, inputs: []tensor.Dense{x}},
		{op: tensor.SoftmaxCrossEntropyLoss{}, inputs: []tensor.Dense{logs, targets, weight}},
	} {
		c.want, err = cpuref.Run(c.op, c.inputs...)
		require.NoError(t, err)
		cases = append(cases, c)
	}
	return cases
}

// tiers are the three ways to run an operator, each from host memory to host
// memory, leaving nothing behind.
var tiers = []struct {
	name string
	run  func(ctx context.Context, rt *Runtime, c faultCase) (tensor.Dense, error)
}{
	{"slices", func(ctx context.Context, rt *Runtime, c faultCase) (tensor.Dense, error) {
		return rt.RunDense(ctx, c.op, c.inputs...)
	}},
	{"tensors", func(ctx context.Context, rt *Runtime, c faultCase) (tensor.Dense, error) {
		inputs, free, err := uploadAll(rt, c.inputs)
		defer free()
		if err != nil {
			return tensor.Dense{}, err
		}
		out, err := rt.Run(c.op, nil, inputs...)
		if err != nil {
			return tensor.Dense{}, err
		}
		defer out.Free()
		return out.Download(ctx)
	}},
	{"recorded", func(ctx context.Context, rt *Runtime, c faultCase) (tensor.Dense, error) {
		inputs, free, err := uploadAll(rt, c.inputs)
		defer free()
		if err != nil {
			return tensor.Dense{}, err
		}
		var out *Buffer
		rec, err := rt.Record(func(r *Recording) (err error) {
			out, err = r.Run(c.op, nil, inputs...)
			return err
		})
		if err != nil {
			return tensor.Dense{}, err
		}
		defer rec.Free()
		for range 2 {
			if err := rec.Run(); err != nil {
				return tensor.Dense{}, err
			}
		}
		if err := rec.Wait(ctx); err != nil {
			return tensor.Dense{}, err
		}
		return out.Download(ctx)
	}},
}

func uploadAll(rt *Runtime, inputs []tensor.Dense) (buffers []*Buffer, free func(), err error) {
	free = func() {
		for _, b := range buffers {
			b.Free()
		}
	}
	for _, d := range inputs {
		b, err := rt.Upload(d)
		if err != nil {
			return buffers, free, err
		}
		buffers = append(buffers, b)
	}
	return buffers, free, nil
}

// requireNothingHeld holds an idle runtime without tensors to having no memory.
func requireNothingHeld(t *testing.T, rt *Runtime, v *vulkan, what string) {
	t.Helper()
	require.NoError(t, v.waitFor(background, v.queue.issued))
	rt.mu.Lock()
	v.trim()
	rt.mu.Unlock()
	require.Zero(t, v.gpu.MemoryInUse().Buffers, what)
}

// faultStride is how many calls are passed over between two that fail.
func faultStride() int64 {
	switch {
	case longTests():
		return 1
	case testing.Short():
		return 29
	}
	return 5
}

// TestEveryCallOfEveryOperatorCanFail fails each call into Vulkan in turn, in a
// runtime of its own, for every operator in every tier, direct and staged: the
// error has a sentinel, nothing is left behind, and the same call then works, or
// keeps failing at once where the device is lost. Whatever succeeds is right.
func TestEveryCallOfEveryOperatorCanFail(t *testing.T) {
	if withoutDevice(t) {
		t.SkipNow()
	}
	cacheDir := t.TempDir()
	seen := map[string]bool{}
	start := int64(0)
	for i, c := range faultCases(t) {
		for k, tier := range tiers {
			opts := []Option{WithCacheDir(cacheDir)}
			if (i+k)%2 == 1 {
				opts = append(opts, withStage(1<<14))
			}
			start++
			for n := 1 + start%faultStride(); ; n += faultStride() {
				run := func(rt *Runtime) (tensor.Dense, error) { return tier.run(background, rt, c) }
				failed := failOnce(t, c, tier.name, n, false, opts, run)
				if maybeLost[failed] {
					failOnce(t, c, tier.name, n, true, opts, run)
				}
				if failed == "" {
					t.Logf("%s, %s: %d calls", c, tier.name, n-1)
					require.Greater(t, n, int64(5))
					break
				}
				seen[failed] = true
			}
		}
	}
	t.Logf("calls that failed: %v", seen)
	if faultStride() == 1 {
		for _, call := range []string{"vkAllocateMemory", "vkCreateBuffer", "vkBindBufferMemory", "vkMapMemory", "vkCreateComputePipelines",
			"vkCreateShaderModule", "vkCreateDescriptorPool", "vkAllocateDescriptorSets", "vkQueueSubmit", "vkCreateFence", "vkGetFenceStatus"} {
			assert.True(t, seen[call], call)
		}
	}
}

// failOnce opens a runtime, lets its nth call fail during run, and checks what is
// left. It gives the name of the call that failed.
func failOnce(t *testing.T, c faultCase, tier string, n int64, lost bool, opts []Option, run func(*Runtime) (tensor.Dense, error)) string {
	inject := injector{lost: lost}
	rt, err := Open(append([]Option{WithStrategy(Lane), withFault(inject.fault)}, opts...)...)
	require.NoError(t, err)
	defer func() { require.NoError(t, rt.Close()) }()
	v := rt.backend.(*vulkan)
	inject.arm(n)
	got, err := run(rt)
	failed := inject.disarm()
	what := fmt.Sprintf("%s, %s, call %d, %s (lost: %v)", c, tier, n, failed, lost)
	if err == nil {
		require.Equal(t, c.want, got, what)
	} else {
		require.NotEmpty(t, failed, "%s: %v", what, err)
		if !lost {
			require.ErrorIs(t, err, ErrOutOfMemory, what)
			require.ErrorContains(t, err, failed, what)
		} // else a later call may be the first to tell
	}
	if lost && failed != "" {
		require.ErrorIs(t, err, ErrDeviceLost, what)
		_, err = run(rt)
		require.ErrorIs(t, err, ErrDeviceLost, "%s: for good", what)
		return failed
	}
	got, err = run(rt)
	require.NoError(t, err, "after %s", what)
	require.Equal(t, c.want, got, "after %s", what)
	requireNothingHeld(t, rt, v, what)
	return failed
}

// TestEveryCallOfOpenCanFail does the same to Open, whose litmus runs a kernel.
func TestEveryCallOfOpenCanFail(t *testing.T) {
	if withoutDevice(t) {
		t.SkipNow()
	}
	forget := func() {
		litmusResults.Lock()
		defer litmusResults.Unlock()
		clear(litmusResults.byDevice)
	}
	for n := int64(1); ; n += faultStride() {
		forget()
		inject := injector{lost: n%2 == 0}
		inject.arm(n)
		rt, err := Open(withFault(inject.fault))
		failed := inject.disarm()
		if err == nil {
			require.NoError(t, rt.Close())
		} else {
			require.Nil(t, rt)
			require.ErrorContains(t, err, failed)
			require.True(t, errors.Is(err, ErrOutOfMemory) || errors.Is(err, ErrDeviceLost), "%s: %v", failed, err)
		}
		if failed == "" {
			require.Greater(t, n, int64(10))
			break
		}
	}
	forget()
	openTested(t)
}

// TestEveryWaiterLearnsOfALostDevice blocks goroutines in every call that waits,
// then loses the device.
func TestEveryWaiterLearnsOfALostDevice(t *testing.T) {
	var lose atomic.Bool
	rt, _ := openTested(t, withFault(loseDevice(&lose)))
	c := faultCases(t)[1]
	x, err := rt.Upload(c.inputs[0])
	require.NoError(t, err)
	rec, err := rt.Record(func(r *Recording) error {
		_, err := r.Run(c.op, nil, x)
		return err
	})
	require.NoError(t, err)
	patience := time.Now().Add(30 * time.Second)
	var waiting sync.WaitGroup
	for g := range 64 {
		waiting.Add(1)
		go func() {
			defer waiting.Done()
			for first := true; ; first = false {
				var err error
				switch g % 4 {
				case 0:
					_, err = rt.RunDense(background, c.op, c.inputs...)
				case 1:
					var y *Buffer
					if y, err = rt.Run(c.op, nil, x); err == nil {
						err = y.Wait(background)
						y.Free()
					}
				case 2:
					if err = rec.Run(); err == nil {
						err = rec.Wait(background)
					}
				case 3:
					_, err = x.Download(background)
				}
				if err != nil {
					assert.ErrorIs(t, err, ErrDeviceLost)
					return
				}
				if first && g == 0 {
					lose.Store(true)
				}
				if time.Now().After(patience) {
					assert.Fail(t, "the device is lost, and calls go on")
					return
				}
			}
		}()
	}
	waiting.Wait()
	lose.Store(false)
	_, err = rt.RunDense(background, c.op, c.inputs...)
	require.ErrorIs(t, err, ErrDeviceLost, "for good")
	rec.Free()
	x.Free()

	fresh, _ := openTested(t)
	got, err := fresh.RunDense(background, c.op, c.inputs...)
	require.NoError(t, err)
	require.Equal(t, c.want, got)
}

// TestDeviceIsDoneBeforeItsMemoryIsReused has the driver refuse to say how far the
// device is: what is written to a tensor that the device still works on stays.
func TestDeviceIsDoneBeforeItsMemoryIsReused(t *testing.T) {
	const n = 1 << 22
	var silent atomic.Bool
	rt, _ := openTested(t, withFault(func(call string) error {
		if silent.Load() && (call == "vkGetFenceStatus" || call == "vkWaitForFences") {
			return ErrOutOfMemory
		}
		return nil
	}))
	x, err := Upload(rt, make([]float32, n), tensor.Shape{n})
	require.NoError(t, err)
	_, err = LogCumSumExpTensor(rt, x, x, tensor.LogCumSumExp{})
	require.NoError(t, err)
	silent.Store(true)
	ones := slices.Repeat([]float32{1}, n)
	err = x.Write(background, ones)
	silent.Store(false)
	require.NoError(t, err)
	rt.backend.(*vulkan).gpu.WaitIdle()
	got, err := x.Download(background, nil)
	require.NoError(t, err)
	require.True(t, slices.Equal(ones, got), "the device wrote to memory that was given back")
}
