package host

import (
	"context"
	"errors"
	"math/rand/v2"
	"os"
	"runtime"
	"runtime/debug"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"vkops/cpuref"
	"vkops/internal/resident"
	"vkops/tensor"
)

// held is what the process and the device hold, memory of the process aside.
type held struct {
	buffers     int
	allocated   int64
	files, pids int
}

func holding(t *testing.T, v *vulkan) held {
	t.Helper()
	require.NoError(t, v.waitFor(background, v.queue.issued))
	count := func(dir string) int {
		entries, err := os.ReadDir(dir)
		require.NoError(t, err)
		return len(entries)
	}
	m := v.gpu.MemoryInUse()
	return held{m.Buffers, m.Allocated, count("/proc/self/fd"), count("/proc/self/task")}
}

// assertNoGrowth holds do, run ten times and more, to less than limit bytes of the process's
// memory each time, and to the device memory, file handles and threads that there were
// after five.
func assertNoGrowth(t *testing.T, v *vulkan, limit int64, do func()) {
	t.Helper()
	var early held
	times := 0
	growth, each, err := resident.Growth(limit, func() {
		if times++; times == 6 {
			early = holding(t, v)
		}
		do()
	})
	require.NoError(t, err)
	after := holding(t, v)
	t.Logf("%+v, then %+v; bytes more each time: %d", early, after, each)
	assert.Less(t, growth, limit, "bytes more each time: %d", each)
	assert.LessOrEqual(t, after.buffers, early.buffers+4)
	assert.Equal(t, early.allocated, after.allocated)
	assert.LessOrEqual(t, after.files, early.files+2)
	assert.LessOrEqual(t, after.pids, early.pids+8)
}

// TestManyOperatorsLeakNothing runs operators of ever other shapes, 10^5 of them with
// VKOPS_TEST_LONG=1: device memory, file handles and threads are then what they were,
// and the process has not grown.
func TestManyOperatorsLeakNothing(t *testing.T) {
	rt, v := openTested(t)
	total := 2000
	switch {
	case longTests():
		total = 100_000
	case testing.Short():
		total = 400
	}
	r := rand.New(rand.NewPCG(1, uint64(total)))
	run := func(count int) {
		for range count {
			shape := tensor.Shape{1 + r.IntN(40), 1 + r.IntN(300)}
			n := shape[0] * shape[1]
			x, err := tensor.Of(counting[float32](n), shape...)
			require.NoError(t, err)
			c := faultCase{op: tensor.Log1p{}, inputs: []tensor.Dense{x}}
			switch r.IntN(4) {
			case 0:
				c.op = tensor.CumSum{Axis: r.IntN(2), Reverse: r.IntN(2) == 0}
			case 1:
				c.op = tensor.LogCumSumExp{Axis: r.IntN(2)}
			case 2:
				targets, err := tensor.Of(make([]int32, shape[0]), shape[0])
				require.NoError(t, err)
				c.op, c.inputs = tensor.NLL{Reduction: tensor.Sum}, append(c.inputs, targets)
			}
			got, err := tiers[r.IntN(len(tiers))].run(background, rt, c)
			require.NoError(t, err)
			if r.IntN(50) == 0 {
				want, err := cpuref.Run(c.op, c.inputs...)
				require.NoError(t, err)
				require.Equal(t, want, got)
			}
		}
	}
	// A struct of 300 bytes a call would be 3 MB each time in the long form.
	assertNoGrowth(t, v, 1<<20, func() { run(total / 10) })
}

// TestOpenAndCloseInALoop opens runtimes in several goroutines at once, uses and
// closes them.
func TestOpenAndCloseInALoop(t *testing.T) {
	if withoutDevice(t) {
		t.SkipNow()
	}
	c := faultCases(t)[0]
	cacheDir := t.TempDir()
	round := func() {
		var group sync.WaitGroup
		for range 4 {
			group.Add(1)
			go func() {
				defer group.Done()
				rt, err := Open(WithStrategy(Lane), WithCacheDir(cacheDir))
				if !assert.NoError(t, err) {
					return
				}
				got, err := rt.RunDense(background, c.op, c.inputs...)
				assert.NoError(t, err)
				assert.Equal(t, c.want, got)
				left, err := rt.Upload(c.inputs[0]) // left for Close
				assert.NoError(t, err)
				assert.NoError(t, rt.Close())
				left.Free()
			}()
		}
		group.Wait()
	}
	_, v := openTested(t)
	// A device that stayed would be megabytes, of four each time.
	assertNoGrowth(t, v, 2<<20, round)
}

// TestManyGoroutinesOnSeveralRuntimes has 64 goroutines share two runtimes, with
// collections at every chance and others that only allocate.
func TestManyGoroutinesOnSeveralRuntimes(t *testing.T) {
	first, _ := openTested(t)
	second, _ := openTested(t, withStage(1<<12))
	cases := faultCases(t)
	defer debug.SetGCPercent(debug.SetGCPercent(1))
	ctx, stop := context.WithCancel(background)
	var allocating, working sync.WaitGroup
	for range 2 {
		allocating.Add(1)
		go func() {
			defer allocating.Done()
			litter(ctx)
		}()
	}
	rounds := 4
	if testing.Short() {
		rounds = 1
	}
	for g := range 64 {
		working.Add(1)
		go func() {
			defer working.Done()
			rt := []*Runtime{first, second}[g%2]
			for round := range rounds {
				c := cases[(g/2+round)%len(cases)]
				got, err := tiers[(g/8+round)%len(tiers)].run(background, rt, c)
				assert.NoError(t, err)
				assert.Equal(t, c.want, got, "%s", c)
			}
		}()
	}
	working.Wait()
	stop()
	allocating.Wait()
}

// litter allocates what the collector takes back, and writes all over it.
func litter(ctx context.Context) {
	var keep [64][]byte
	for i := 0; ctx.Err() == nil; i++ {
		keep[i%64] = make([]byte, 16+i%4096)
		for j := range keep[i%64] {
			keep[i%64][j] = 0xff
		}
		runtime.Gosched()
	}
}

// TestCloseAtAnyMoment closes a runtime at random moments of every tier.
func TestCloseAtAnyMoment(t *testing.T) {
	if withoutDevice(t) {
		t.SkipNow()
	}
	cases := faultCases(t)
	rounds := 20
	if testing.Short() {
		rounds = 4
	}
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	r := rand.New(rand.NewPCG(seed, 0))
	for round := range rounds {
		opts := []Option{WithStrategy(Lane)}
		if round%2 == 1 {
			opts = append(opts, withStage(1<<12))
		}
		rt, err := Open(opts...)
		require.NoError(t, err)
		var working sync.WaitGroup
		for g := range 12 {
			working.Add(1)
			go func() {
				defer working.Done()
				for {
					c := cases[g%len(cases)]
					got, err := tiers[g%len(tiers)].run(background, rt, c)
					if err != nil {
						assert.True(t, errors.Is(err, ErrClosed), "%s: %v", c, err)
						return
					}
					assert.Equal(t, c.want, got)
				}
			}()
		}
		time.Sleep(time.Duration(r.IntN(int(30 * time.Millisecond))))
		require.NoError(t, rt.Close())
		working.Wait()
	}
}
