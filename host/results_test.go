package host

import (
	"bytes"
	"math/rand/v2"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"vkops/cpuref"
	"vkops/internal/sample"
	"vkops/tensor"
)

// onTwinAndDevices runs a test on the twin, and on the device in its ways to replay.
func onTwinAndDevices(t *testing.T, f func(t *testing.T, rt *Runtime)) {
	t.Run("twin", func(t *testing.T) {
		rt, err := Open(WithDevice(twinName))
		require.NoError(t, err)
		defer rt.Close()
		f(t, rt)
	})
	for name, opt := range map[string]Option{
		"shared memory": nil, "staged": withStage(4096), "submissions": WithMaxSubmission(64 << 10),
		"verified": WithVerification(t.TempDir()),
	} {
		t.Run(name, func(t *testing.T) {
			if withoutDevice(t) {
				t.SkipNow()
			}
			rt, err := Open(WithStrategy(Lane), opt)
			require.NoError(t, err)
			defer rt.Close()
			f(t, rt)
		})
	}
}

// bytesInUse is what the runtime's tensors and scratch hold.
func bytesInUse(rt *Runtime) int64 {
	switch b := rt.backend.(type) {
	case *twin:
		return b.used.Load()
	case *verifier:
		return b.backend.(*vulkan).gpu.MemoryInUse().Used
	default:
		return b.(*vulkan).gpu.MemoryInUse().Used
	}
}

// TestFreedResultsGiveTheirMemory records a chain of which each result is freed when the
// next one is recorded: three of them are in memory, not a thousand.
func TestFreedResultsGiveTheirMemory(t *testing.T) {
	const n = 5000
	nodes := 1000
	if testing.Short() {
		nodes = 100
	}
	ops := []tensor.Op{tensor.CumSum{Axis: 1}, tensor.CumSum{Reverse: true}, tensor.CumSum{Axis: 1, Exclusive: true, Reverse: true}}
	onTwinAndDevices(t, func(t *testing.T, rt *Runtime) {
		typ := tensor.Type{DType: tensor.U32, Shape: tensor.Shape{2, n / 2}}
		x, err := rt.NewBuffer(typ)
		require.NoError(t, err)
		before := bytesInUse(rt)
		var last *Buffer
		rec, err := rt.Record(func(r *Recording) error {
			last = x
			for i := range nodes {
				y, err := r.Run(ops[i%len(ops)], nil, last)
				if err != nil {
					return err
				}
				if last != x {
					last.Free()
					assert.ErrorIs(t, last.Wait(background), ErrFreed)
				}
				last = y
			}
			return nil
		})
		require.NoError(t, err)
		assert.Less(t, bytesInUse(rt)-before, int64(4*4*n), "of %d results of %d bytes", nodes, 4*n)
		for seed := range uint64(2) {
			values, err := sample.Tensor(rand.New(rand.NewPCG(seed, 1)), typ, sample.Uniform)
			require.NoError(t, err)
			want := values
			for i := range nodes {
				want, err = cpuref.Run(ops[i%len(ops)], want)
				require.NoError(t, err)
			}
			require.NoError(t, x.Write(background, values))
			require.NoError(t, rec.Run())
			got, err := last.Download(background)
			require.NoError(t, err)
			require.True(t, bytes.Equal(want.Data, got.Data), "bits of replay %d", seed)
		}
		rec.Free()
		assert.ErrorIs(t, last.Wait(background), ErrFreed)
		if v, ok := rt.backend.(*vulkan); ok {
			require.NoError(t, v.waitFor(background, v.queue.issued))
		}
		assert.LessOrEqual(t, bytesInUse(rt), before+int64(64<<10), "all comes back but what the pool keeps")
	})
}

// TestGraphsWithFreedResults records random graphs, frees some of their results as they
// grow, and compares those that are left, of several replays.
func TestGraphsWithFreedResults(t *testing.T) {
	rounds := uint64(20)
	if testing.Short() {
		rounds = 4
	}
	onTwinAndDevices(t, func(t *testing.T, rt *Runtime) {
		for seed := range rounds {
			randomGraph(t, rt, rand.New(rand.NewPCG(seed, 5)))
		}
	})
}

func randomGraph(t *testing.T, rt *Runtime, r *rand.Rand) {
	type value struct {
		*Buffer
		want  tensor.Dense
		given bool
	}
	var values []value // that are not freed
	add := func(d tensor.DType, shape ...int) {
		want, err := sample.Tensor(r, tensor.Type{DType: d, Shape: shape}, sample.Uniform)
		require.NoError(t, err)
		b, err := rt.Upload(want)
		require.NoError(t, err)
		values = append(values, value{b, want, true})
	}
	add(tensor.F32, 40, 7, 3)
	add(tensor.U32, 1111)
	add(tensor.BF16, 13, 65)
	add(tensor.F32, 0, 4)
	labels, err := Upload(rt, make([]int64, 40*3), tensor.Shape{40, 3})
	require.NoError(t, err)
	defer labels.Free()
	rec, err := rt.Record(func(rec *Recording) error {
		for range 60 {
			v := values[r.IntN(len(values))]
			rank := len(v.typ.Shape)
			ops := []tensor.Op{tensor.CumSum{Axis: r.IntN(rank), Exclusive: r.IntN(2) == 0}}
			if v.typ.DType.IsFloat() {
				ops = append(ops, tensor.LogSoftmax{Axis: r.IntN(rank)}, tensor.LogCumSumExp{Axis: r.IntN(rank)})
			}
			inputs, op := []*Buffer{v.Buffer}, ops[r.IntN(len(ops))]
			if rank == 3 && r.IntN(4) == 0 {
				inputs, op = append(inputs, labels.Buffer), tensor.NLL{Reduction: tensor.None}
			}
			given := make([]tensor.Dense, len(inputs))
			for i, b := range inputs {
				given[i] = tensor.Dense{Type: b.typ, Data: make([]byte, b.bytes)} // labels are 0
			}
			given[0] = v.want
			want, err := cpuref.Run(op, given...)
			if err != nil {
				return err
			}
			out, err := rec.Run(op, nil, inputs...)
			if err != nil {
				return err
			}
			values = append(values, value{out, want, false})
			if i := r.IntN(len(values)); !values[i].given {
				values[i].Free()
				values = append(values[:i], values[i+1:]...)
			}
		}
		return nil
	})
	require.NoError(t, err)
	defer rec.Free()
	for range 2 {
		require.NoError(t, rec.Run())
		require.NoError(t, rec.Wait(background))
	}
	for _, v := range values {
		got, err := v.Download(background)
		require.NoError(t, err)
		assert.True(t, bytes.Equal(v.want.Data, got.Data), "%s", v.typ)
		if v.given {
			v.Free()
		}
	}
}

// TestFailureOfAFreedResult: what a result was computed from may be freed, and a failure
// still reaches it.
func TestFailureOfAFreedResult(t *testing.T) {
	onTwinAndDevices(t, func(t *testing.T, rt *Runtime) {
		input, err := Upload(rt, make([]float32, 6), tensor.Shape{2, 3})
		require.NoError(t, err)
		target, err := Upload(rt, []int64{1, 7}, tensor.Shape{2})
		require.NoError(t, err)
		var sums *Tensor[float32]
		rec, err := rt.Record(func(r *Recording) error {
			loss, err := NLLTensor(r, nil, input, target, nil, tensor.NLL{Reduction: tensor.None})
			if err != nil {
				return err
			}
			more, err := CumSumTensor(r, nil, loss, tensor.CumSum{})
			if err != nil {
				return err
			}
			loss.Free()
			sums, err = CumSumTensor(r, nil, more, tensor.CumSum{})
			more.Free()
			return err
		})
		require.NoError(t, err)
		defer rec.Free()
		require.NoError(t, rec.Run())
		assert.ErrorIs(t, rec.Wait(background), ErrTarget)
		assert.ErrorIs(t, sums.Wait(background), ErrTarget)
		require.NoError(t, target.Write(background, []int64{1, 2}))
		require.NoError(t, rec.Run())
		require.NoError(t, rec.Wait(background))
		require.NoError(t, sums.Wait(background))
	})
}

// A result that is freed after the recording, or a tensor that is not the recording's, is
// still needed by replays.
func TestWhatReplaysNeedIsFreed(t *testing.T) {
	onTwinAndDevices(t, func(t *testing.T, rt *Runtime) {
		for _, when := range []string{"in the recording", "after it"} {
			x, err := Upload(rt, counting[uint32](100), tensor.Shape{100})
			require.NoError(t, err)
			var y *Tensor[uint32]
			rec, err := rt.Record(func(r *Recording) (err error) {
				y, err = CumSumTensor(r, nil, x, tensor.CumSum{})
				if when == "in the recording" {
					x.Free()
				}
				return err
			})
			if when == "in the recording" {
				assert.ErrorIs(t, errOf(rec, err), ErrFreed)
				continue
			}
			require.NoError(t, err)
			require.NoError(t, rec.Run())
			y.Free()
			assert.ErrorIs(t, rec.Run(), ErrFreed)
			rec.Free()
			x.Free()
		}
	})
}

// errOf is the failure of a recording, or of its first run.
func errOf(rec *Recorded, err error) error {
	if err != nil {
		return err
	}
	defer rec.Free()
	return rec.Run()
}

// TestResultsAreFreedWhileOthersRecord: an input that another goroutine frees is either
// refused or read before its memory is given away.
func TestResultsAreFreedWhileOthersRecord(t *testing.T) {
	onTwinAndDevices(t, func(t *testing.T, rt *Runtime) {
		x, err := Upload(rt, counting[uint32](300), tensor.Shape{300})
		require.NoError(t, err)
		once, err := CumSum(background, rt, nil, counting[uint32](300), tensor.Shape{300}, tensor.CumSum{})
		require.NoError(t, err)
		want, err := CumSum(background, rt, nil, once, tensor.Shape{300}, tensor.CumSum{})
		require.NoError(t, err)
		var mu sync.Mutex
		var outs []*Tensor[uint32]
		rec, err := rt.Record(func(r *Recording) error {
			for range 20 {
				y, err := CumSumTensor(r, nil, x, tensor.CumSum{})
				if err != nil {
					return err
				}
				var wg sync.WaitGroup
				for g := range 4 {
					wg.Add(1)
					go func() {
						defer wg.Done()
						if g == 0 {
							y.Free()
							return
						}
						z, err := CumSumTensor(r, nil, y, tensor.CumSum{})
						if err != nil {
							assert.ErrorIs(t, err, ErrFreed)
							return
						}
						mu.Lock()
						defer mu.Unlock()
						outs = append(outs, z)
					}()
				}
				wg.Wait()
			}
			return nil
		})
		require.NoError(t, err)
		defer rec.Free()
		require.NoError(t, rec.Run())
		for _, z := range outs {
			got, err := z.Download(background, nil)
			require.NoError(t, err)
			require.Equal(t, want, got)
		}
	})
}

// TestAPanicWhileRecordingLeaksNothing: servers recover from what their handlers do.
func TestAPanicWhileRecordingLeaksNothing(t *testing.T) {
	onTwinAndDevices(t, func(t *testing.T, rt *Runtime) {
		x, err := Upload(rt, counting[uint32](1000), tensor.Shape{1000})
		require.NoError(t, err)
		before := bytesInUse(rt)
		var kept *Recording
		var y *Tensor[uint32]
		assert.PanicsWithValue(t, "oops", func() {
			_, _ = rt.Record(func(r *Recording) error {
				kept = r
				y, _ = CumSumTensor(r, nil, x, tensor.CumSum{})
				panic("oops")
			})
		})
		assert.Equal(t, before, bytesInUse(rt))
		_, err = CumSumTensor(kept, nil, x, tensor.CumSum{})
		assert.ErrorIs(t, err, ErrFreed)
		assert.ErrorIs(t, y.Wait(background), ErrFreed)
	})
}

// TestLargeSpareMemoryIsBetterThanNone: where memory is out, a small result may have the
// memory of a large one.
func TestLargeSpareMemoryIsBetterThanNone(t *testing.T) {
	const n, c = 1000, 10
	rt, err := Open(WithDevice(twinName), WithMemoryBudget(4*(n*c+n+n*c)))
	require.NoError(t, err)
	defer rt.Close()
	x, err := Upload(rt, counting[float32](n*c), tensor.Shape{n, c})
	require.NoError(t, err)
	labels, err := Upload(rt, make([]int32, n), tensor.Shape{n})
	require.NoError(t, err)
	rec, err := rt.Record(func(r *Recording) error {
		y, err := CumSumTensor(r, nil, x, tensor.CumSum{Axis: 1})
		if err != nil {
			return err
		}
		_, err = NLLTensor(r, nil, x, labels, nil, tensor.NLL{})
		assert.ErrorIs(t, err, ErrOutOfMemory)
		y.Free()
		_, err = NLLTensor(r, nil, x, labels, nil, tensor.NLL{})
		return err
	})
	require.NoError(t, err)
	defer rec.Free()
	require.NoError(t, rec.Run())
	require.NoError(t, rec.Wait(background))
}
