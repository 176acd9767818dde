package host

import (
	"context"
	"fmt"
	"math/rand/v2"
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
	rt, _ := openTested(t, withImportFrom(1), withFault(func(call string) bool { return call == "vkGetMemoryHostPointerPropertiesEXT" }))
	x := counting[uint32](70000)
	got, err := CumSum(background, rt, nil, x, tensor.Shape{len(x)}, tensor.CumSum{})
	require.NoError(t, err)
	n := uint64(len(x))
	assert.Equal(t, uint32(n*(n+1)/2), got[n-1])
}
