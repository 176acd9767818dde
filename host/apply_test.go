package host

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync/atomic"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"vkops/cpuref"
	"vkops/tensor"
)

func withImportFrom(bytes int64) Option { return func(c *config) { c.importFrom = bytes } }

// guarded is Go memory of some bytes that begins at a page, between bytes that nobody
// may write to.
type guarded struct{ all, data []byte }

const guard = 512

func newGuarded(bytes, skip int) guarded {
	const page = 4096
	space := make([]byte, bytes+skip+2*page+2*guard)
	start := int((page-uintptr(unsafe.Pointer(&space[0]))%page)%page) + page + skip
	for i := range space {
		space[i] = 0xa5
	}
	return guarded{space, space[start : start+bytes : start+bytes]}
}

// intact reports whether the bytes around the data are as they were.
func (g guarded) intact() bool {
	if len(g.data) == 0 {
		return true
	}
	start := int(uintptr(unsafe.Pointer(&g.data[0])) - uintptr(unsafe.Pointer(&g.all[0])))
	for i, b := range g.all {
		if (i < start || i >= start+len(g.data)) && b != 0xa5 {
			return false
		}
	}
	return true
}

// openLending opens the device under test to work on host memory of any size.
func openLending(t *testing.T, opts ...Option) (*Runtime, *vulkan) {
	rt, v := openTested(t, append(opts, withImportFrom(1))...)
	if v.info.Caps.ImportAlignment == 0 {
		require.NotContains(t, v.info.Name, "llvmpipe", "lavapipe imports host memory")
		t.Skipf("NOT TESTED: %s cannot use host memory", v.info.Name)
	}
	return rt, v
}

// TestLentMemory compares results in the caller's own memory with the twin's, and what
// lies around it with what was there.
func TestLentMemory(t *testing.T) {
	rt, v := openLending(t)
	cancellable, cancel := context.WithCancel(background)
	defer cancel()
	ops := []tensor.Op{tensor.CumSum{}, tensor.CumSum{Exclusive: true, Reverse: true}, tensor.LogCumSumExp{}, tensor.Log1p{}}
	r := rand.New(rand.NewPCG(5, 5))
	for _, dtype := range []tensor.DType{tensor.F16, tensor.F32, tensor.I64} {
		for _, n := range []int{1, 15, 255, 4097, 70001} {
			op := ops[r.IntN(len(ops))]
			if dtype == tensor.I64 {
				op = ops[r.IntN(2)]
			}
			for _, skip := range []int{0, 256, 512 + 8} {
				for name, ctx := range map[string]context.Context{"background": background, "cancellable": cancellable} {
					for _, inPlace := range []bool{false, true} {
						what := fmt.Sprintf("%s %s %d skip %d %s in place %v", op.Name(), dtype, n, skip, name, inPlace)
						in := newGuarded(n*dtype.Size(), skip)
						for i := range in.data {
							in.data[i] = byte(r.Uint32())
						}
						for i := dtype.Size() - 1; i < len(in.data); i += dtype.Size() {
							in.data[i] = byte(0x38 + r.IntN(4)) // moderate numbers
						}
						x := tensor.Dense{Type: tensor.Type{DType: dtype, Shape: tensor.Shape{n}}, Data: in.data}
						want, err := cpuref.Run(op, x)
						require.NoError(t, err)
						out := in
						if !inPlace {
							out = newGuarded(n*dtype.Size(), skip)
						}
						require.NoError(t, v.apply(ctx, op, tensor.Dense{Type: x.Type, Data: out.data}, []tensor.Dense{x}), what)
						require.Equal(t, want.Data, out.data, what)
						require.True(t, in.intact() && out.intact(), what)
					}
				}
			}
		}
	}
	assert.Zero(t, v.gpu.MemoryInUse().Buffers-idleBuffers(rt, v), "everything was let go of")
}

// idleBuffers is the number of buffers that the runtime keeps for later work.
func idleBuffers(rt *Runtime, v *vulkan) int {
	rt.mu.Lock()
	defer rt.mu.Unlock()
	v.retire()
	n := len(v.pool.status)
	for _, s := range v.staging {
		n += len(s.idle)
	}
	for _, b := range v.scratch.buffers {
		if b != nil {
			n++
		}
	}
	return n
}

func TestLentMemoryOfNLL(t *testing.T) {
	rt, _ := openLending(t)
	const n, c = 5000, 7
	x, target, weight := make([]float32, n*c), make([]int64, n), make([]float32, c)
	r := rand.New(rand.NewPCG(6, 6))
	for i := range x {
		x[i] = -r.Float32()
	}
	for i := range target {
		target[i] = int64(r.IntN(c))
	}
	for i := range weight {
		weight[i] = r.Float32()
	}
	for _, reduction := range []tensor.Reduction{tensor.None, tensor.Sum, tensor.Mean} {
		op := tensor.NLL{Reduction: reduction}
		got, err := NLL(background, rt, nil, x, target, weight, tensor.Shape{n, c}, op)
		require.NoError(t, err)
		want, err := cpuref.Run(op, dense(x, tensor.Shape{n, c}), dense(target, tensor.Shape{n}), dense(weight, tensor.Shape{c}))
		require.NoError(t, err)
		assert.Equal(t, want.Data, tensor.BytesOf(got))
	}
	target[n-1] = c
	_, err := NLL(background, rt, nil, x, target, weight, tensor.Shape{n, c}, tensor.NLL{})
	assert.ErrorIs(t, err, ErrTarget)
}

// TestRefusedImportsAreCopied has the driver refuse every import.
func TestRefusedImportsAreCopied(t *testing.T) {
	rt, _ := openTested(t, withImportFrom(1), withFault(failing("vkGetMemoryHostPointerPropertiesEXT")))
	x := counting[uint32](70000)
	got, err := CumSum(background, rt, nil, x, tensor.Shape{len(x)}, tensor.CumSum{})
	require.NoError(t, err)
	n := uint64(len(x))
	assert.Equal(t, uint32(n*(n+1)/2), got[n-1])
}

// TestLentMemoryRunsOut fails the calls of an operator in the caller's own memory, out
// of memory: each that takes memory or that sends and awaits work once, and those that
// take memory from each of them on. Nothing is left
// behind, the slice is as it was, wholly right or named as overwritten, and a smaller
// call then works.
func TestLentMemoryRunsOut(t *testing.T) {
	memory := map[string]bool{"vkAllocateMemory": true, "vkCreateBuffer": true, "vkMapMemory": true}
	work := map[string]bool{"vkQueueSubmit": true, "vkWaitForFences": true, "vkGetFenceStatus": true}
	outcomes, cacheDir := map[string]int{}, t.TempDir()
	x, err := tensor.Of(counting[float32](50000), 50000) // enough to go in parts where memory is short
	require.NoError(t, err)
	sums, err := cpuref.Run(tensor.CumSum{}, x)
	require.NoError(t, err)
	logs, err := cpuref.Run(tensor.Log1p{}, x)
	require.NoError(t, err)
	cases := []faultCase{{tensor.CumSum{}, []tensor.Dense{x}, sums}, {tensor.Log1p{}, []tensor.Dense{x}, logs}, faultCases(t)[3]}
	for _, c := range cases {
		for k, pieces := range []int64{1 << 15, 1 << 30, 1 << 30} { // the bytes of a submission
			lasting := k == 2
			stride := (faultStride() + 9) / 10
			for n := int64(1); ; n += stride {
				var inject injector
				var broken atomic.Bool
				rt, v := openLending(t, WithStrategy(Lane), WithMaxSubmission(pieces), WithCacheDir(cacheDir), withFault(func(call string) error {
					switch {
					case !memory[call] && (lasting || !work[call]):
						return nil
					case lasting && broken.Load():
						return ErrOutOfMemory
					}
					err := inject.fault(call)
					broken.CompareAndSwap(false, err != nil)
					return err
				}))
				args := slices.Clone(c.inputs)
				args[0].Data = slices.Clone(args[0].Data)
				dst := args[0]
				if !inPlace(c.op) {
					dst = tensor.Dense{Type: c.want.Type, Data: make([]byte, len(c.want.Data))}
				}
				inject.arm(n)
				err := v.apply(background, c.op, dst, args)
				failed := inject.disarm()
				broken.Store(false)
				what := fmt.Sprintf("%s, call %d, %s, lasting %v: %v", c, n, failed, lasting, err)
				right := bytes.Equal(dst.Data, c.want.Data)
				switch {
				case err == nil:
					require.True(t, right, what)
					outcomes["right"]++
				default:
					require.ErrorIs(t, err, ErrOutOfMemory, what)
					untouched := bytes.Equal(args[0].Data, c.inputs[0].Data)
					require.True(t, right || untouched || errors.Is(err, errOverwritten), what)
					outcomes[fmt.Sprintf("an error, overwritten: %v", !untouched)]++
				}
				requireNothingHeld(t, rt, v, what)

				small := counting[uint32](5000)
				sums, err := CumSum(background, rt, nil, small, tensor.Shape{len(small)}, tensor.CumSum{})
				require.NoError(t, err, what)
				require.Equal(t, uint32(5000*5001/2), sums[4999], what)
				require.NoError(t, rt.Close())
				if failed == "" {
					require.Greater(t, n, int64(1))
					break
				}
			}
		}
	}
	t.Log(outcomes)
	assert.Positive(t, outcomes["right"], "most calls have a second way")
	assert.Positive(t, outcomes["an error, overwritten: false"])
}
