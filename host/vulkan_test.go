package host

import (
	"context"
	"errors"
	"fmt"
	"os"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"vkops/host/plan"
	"vkops/internal/attributes"
	"vkops/tensor"
)

var background = context.Background()

// withoutDevice reports, loudly, whether tests are to do without a Vulkan device.
func withoutDevice(t *testing.T) bool {
	if os.Getenv("VKOPS_TEST_NO_DEVICE") == "1" {
		t.Logf("VKOPS_TEST_NO_DEVICE=1: NOT TESTED ON ANY VULKAN DEVICE")
		return true
	}
	return false
}

// openTested opens the device under test; that there is none fails the test.
func openTested(t *testing.T, opts ...Option) (*Runtime, *vulkan) {
	if withoutDevice(t) {
		t.SkipNow()
	}
	rt, err := Open(append([]Option{WithStrategy(Lane)}, opts...)...)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, rt.Close()) })
	v, ok := rt.backend.(*vulkan)
	require.True(t, ok)
	return rt, v
}

func withFault(fault func(call string) error) Option { return func(c *config) { c.fault = fault } }

func withStage(bytes int) Option { return func(c *config) { c.stage = bytes } }

// counting gives 1, 2, 3, ...
func counting[T tensor.Element](n int) []T {
	x := make([]T, n)
	for i := range x {
		x[i] = T(i + 1)
	}
	return x
}

func TestReplayDoesNotAllocate(t *testing.T) {
	rt, _ := openTested(t)
	x, err := Upload(rt, counting[float32](1024), tensor.Shape{1024})
	require.NoError(t, err)
	rec, err := rt.Record(func(r *Recording) error {
		_, err := CumSumTensor(r, nil, x, tensor.CumSum{})
		return err
	})
	require.NoError(t, err)
	for range maxInFlight {
		require.NoError(t, rec.Run())
	}
	require.NoError(t, rec.Wait(background))
	assert.Zero(t, testing.AllocsPerRun(200, func() { err = errors.Join(err, rec.Run()) }), "Run")
	assert.Zero(t, testing.AllocsPerRun(200, func() {
		if e := rec.Run(); e != nil {
			err = e
		}
		if e := rec.Wait(background); e != nil {
			err = e
		}
	}), "Run and Wait")
	require.NoError(t, err)
}

func TestManySubmissionsWithoutWaiting(t *testing.T) {
	rt, v := openTested(t)
	x, err := Upload(rt, make([]uint32, 3), tensor.Shape{3})
	require.NoError(t, err)
	require.NoError(t, x.Write(background, []uint32{1, 0, 0}))
	n := 5 * maxInFlight
	for range n {
		_, err := CumSumTensor(rt, x, x, tensor.CumSum{})
		require.NoError(t, err)
	}
	rt.mu.Lock()
	assert.LessOrEqual(t, v.queue.inFlight(), maxInFlight)
	rt.mu.Unlock()
	got, err := x.Download(background, nil)
	require.NoError(t, err)
	assert.Equal(t, []uint32{1, uint32(n), uint32(n * (n + 1) / 2)}, got)
}

// TestMemoryIsFlat repeats the same mixture of calls: after the first rounds, the
// device holds as much as before.
func TestMemoryIsFlat(t *testing.T) {
	rt, v := openTested(t)
	round := func() {
		for _, n := range []int{100, 5000, 40000} {
			x := counting[float32](n)
			_, err := CumSum(background, rt, x, x, tensor.Shape{n}, tensor.CumSum{})
			require.NoError(t, err)
			b, err := Upload(rt, x, tensor.Shape{n})
			require.NoError(t, err)
			rec, err := rt.Record(func(r *Recording) error {
				_, err := CumSumTensor(r, nil, b, tensor.CumSum{})
				return err
			})
			require.NoError(t, err)
			require.NoError(t, rec.Run())
			rec.Free()
			b.Free()
		}
		for _, targets := range [][]int64{{1, 0}, {1, 5}} {
			_, err := NLL(background, rt, nil, counting[float32](4), targets, nil, tensor.Shape{2, 2}, tensor.NLL{})
			require.Equal(t, targets[1] == 5, errors.Is(err, ErrTarget))
		}
	}
	for range 10 {
		round()
	}
	settled := func() any {
		require.NoError(t, v.waitFor(background, v.queue.issued))
		return v.gpu.MemoryInUse()
	}
	before := settled()
	for range 100 {
		round()
	}
	assert.Equal(t, before, settled())
	assert.LessOrEqual(t, len(v.pool.works), maxIdle)
}

func TestMemoryBudget(t *testing.T) {
	rt, _ := openTested(t, WithMemoryBudget(32<<20))
	_, err := NewTensor[float32](rt, tensor.Shape{16 << 20})
	assert.ErrorIs(t, err, ErrOutOfMemory)
	sums, err := CumSum(background, rt, nil, counting[int32](1000), tensor.Shape{1000}, tensor.CumSum{})
	require.NoError(t, err, "smaller work goes on")
	assert.Equal(t, int32(500500), sums[999])
}

// TestScratchIsGivenUpForTensors lets scratch memory of one operator and a tensor
// compete for a budget that holds only one of them.
func TestScratchIsGivenUpForTensors(t *testing.T) {
	rt, v := openTested(t, WithMemoryBudget(96<<20))
	rt.mu.Lock()
	require.NoError(t, v.scratch.reserve(&plan.Plan{Scratch: []int64{40 << 20}, Status: -1}))
	rt.mu.Unlock()
	x, err := NewTensor[float32](rt, tensor.Shape{16 << 20})
	require.NoError(t, err)
	rt.mu.Lock()
	assert.Empty(t, v.scratch.buffers)
	rt.mu.Unlock()
	x.Free()
}

func TestDeviceLost(t *testing.T) {
	var lose atomic.Bool
	rt, _ := openTested(t, withFault(loseDevice(&lose)))
	x, err := Upload(rt, counting[float32](1000), tensor.Shape{1000})
	require.NoError(t, err)
	lose.Store(true)
	y, err := CumSumTensor(rt, nil, x, tensor.CumSum{})
	if err == nil {
		err = y.Wait(background)
	}
	assert.ErrorIs(t, err, ErrDeviceLost)
	lose.Store(false)
	_, err = CumSumTensor(rt, nil, x, tensor.CumSum{})
	assert.ErrorIs(t, err, ErrDeviceLost, "for good")
	_, err = CumSum(background, rt, nil, counting[float32](10), tensor.Shape{10}, tensor.CumSum{})
	assert.ErrorIs(t, err, ErrDeviceLost)
}

// TestEveryFault lets the nth call into Vulkan fail, for every n: an error with a
// sentinel comes back, and the next attempt works.
func TestEveryFault(t *testing.T) {
	var left atomic.Int64
	var failed atomic.Value
	rt, _ := openTested(t, withFault(func(call string) error {
		if left.Add(-1) != 0 {
			return nil
		}
		failed.Store(call)
		return ErrOutOfMemory
	}))
	x := counting[int32](5000)
	run := func() error {
		y, err := CumSum(background, rt, nil, x, tensor.Shape{5000}, tensor.CumSum{})
		if err == nil {
			assert.Equal(t, int32(5000*5001/2), y[4999])
		}
		return err
	}
	faults := 0
	for n := int64(1); ; n++ {
		failed.Store("")
		left.Store(n)
		err := run()
		left.Store(0)
		if failed.Load() == "" {
			require.NoError(t, err)
			break
		}
		faults++
		if err != nil {
			assert.ErrorIs(t, err, ErrOutOfMemory, failed.Load())
		}
		require.NoError(t, run(), "after a fault of %s", failed.Load())
	}
	assert.Greater(t, faults, 3)
}

func TestPlansAreCachedAndBounded(t *testing.T) {
	rt, v := openTested(t)
	explain := func(n int) {
		_, err := rt.Explain(tensor.CumSum{}, tensor.Type{DType: tensor.F32, Shape: tensor.Shape{n}})
		require.NoError(t, err)
	}
	for n := range 3 * maxPlans {
		explain(n)
	}
	assert.Len(t, v.plans.plans, maxPlans)
	assert.Len(t, v.plans.order, maxPlans)
	key := planKey(nil, tensor.CumSum{}, []tensor.Type{{DType: tensor.F32, Shape: tensor.Shape{3*maxPlans - 1}}}, false)
	before := v.plans.get(key)
	require.NotNil(t, before)
	explain(3*maxPlans - 1)
	assert.Same(t, before, v.plans.get(key))
}

func TestPlanKeysTellCallsApart(t *testing.T) {
	one, two := int64(1), int64(2)
	seen := map[string]string{}
	for _, op := range []tensor.Op{
		tensor.CumSum{}, tensor.CumSum{Axis: 1}, tensor.CumSum{Axis: -1}, tensor.CumSum{Exclusive: true}, tensor.CumSum{Reverse: true},
		tensor.LogCumSumExp{}, tensor.LogCumSumExp{Axis: 1}, tensor.Log1p{}, tensor.LogSoftmax{}, tensor.LogSoftmax{Axis: 1},
		tensor.NLL{}, tensor.NLL{Reduction: tensor.Sum}, tensor.NLL{IgnoreIndex: &one}, tensor.NLL{IgnoreIndex: &two},
		tensor.SoftmaxCrossEntropyLoss{}, tensor.SoftmaxCrossEntropyLoss{Reduction: tensor.None}, tensor.SoftmaxCrossEntropyLoss{IgnoreIndex: &one},
	} {
		for _, types := range [][]tensor.Type{
			{{DType: tensor.F32, Shape: tensor.Shape{2, 3}}},
			{{DType: tensor.F32, Shape: tensor.Shape{3, 2}}},
			{{DType: tensor.F32, Shape: tensor.Shape{6}}},
			{{DType: tensor.F64, Shape: tensor.Shape{2, 3}}},
			{{DType: tensor.F32, Shape: tensor.Shape{2, 3}}, {DType: tensor.I32, Shape: tensor.Shape{2}}},
			{{DType: tensor.F32, Shape: tensor.Shape{2, 3}}, {DType: tensor.I64, Shape: tensor.Shape{2}}},
		} {
			for _, overwrites := range []bool{false, true} {
				key := string(planKey(nil, op, types, overwrites))
				name := fmt.Sprint(attributes.String(op), types[0], overwrites)
				assert.Empty(t, seen[key], name)
				seen[key] = name
			}
		}
	}
}
