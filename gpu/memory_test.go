//go:build linux && cgo

package gpu

import (
	"math/rand/v2"
	"testing"
	"time"
	"unsafe"

	"github.com/stretchr/testify/require"
)

func TestBuffersShareAllocations(t *testing.T) {
	d := openDevice(t, Options{})
	var live []*Buffer
	for i := range 1000 {
		live = append(live, newBuffer(t, d, int64(1+i*37), DeviceMemory))
	}
	stats := d.MemoryInUse()
	require.Equal(t, 1000, stats.Buffers)
	require.Equal(t, 1, stats.Allocations)
	require.GreaterOrEqual(t, stats.Used, int64(1000*999/2*37))
	for _, b := range live {
		b.Free()
		b.Free()
	}
	stats = d.MemoryInUse()
	require.Equal(t, MemoryStats{Allocations: 1, Allocated: blockSize}, stats, "an empty block is kept")
	d.Trim()
	require.Equal(t, MemoryStats{}, d.MemoryInUse())
}

func TestBigBuffersHaveTheirOwn(t *testing.T) {
	d := openDevice(t, Options{})
	small := newBuffer(t, d, 100, DeviceMemory)
	big := newBuffer(t, d, blockSize, DeviceMemory)
	huge := newBuffer(t, d, 3*blockSize, DeviceMemory)
	require.Equal(t, 3, d.MemoryInUse().Allocations)
	require.Less(t, d.MemoryInUse().Allocated, int64(5*blockSize+4096))
	huge.Free()
	again := newBuffer(t, d, 3*blockSize-4096, DeviceMemory)
	require.Same(t, huge.place.block, again.place.block, "a kept allocation serves the next of about its size")
	again.Free()
	newBuffer(t, d, 5, DeviceMemory)
	require.Equal(t, 3, d.MemoryInUse().Allocations, "and is not cut up for small ones")
	small.Free()
	big.Free()

	// What is kept is bounded.
	var live []*Buffer
	for range 6 {
		live = append(live, newBuffer(t, d, 100<<20, DeviceMemory))
	}
	for _, b := range live {
		b.Free()
	}
	require.LessOrEqual(t, d.MemoryInUse().Allocated, int64(retainLimit+blockSize))
}

func TestMappedViews(t *testing.T) {
	d := openDevice(t, Options{})
	for _, purpose := range []Memory{DeviceMemory, UploadMemory, DownloadMemory} {
		for _, size := range []int64{1, 15, 16, 17, 255, 256, 257, 4097, 70 << 20} {
			b := newBuffer(t, d, size, purpose)
			view := b.Mapped()
			if view == nil {
				require.Equal(t, DeviceMemory, purpose)
				require.False(t, d.Info().Caps.Unified)
				require.ErrorIs(t, b.Flush(0, 1), ErrInvalid)
				continue
			}
			require.Len(t, view, int(size))
			require.Zero(t, uintptr(unsafe.Pointer(&view[0]))%256)
			view[0], view[size-1] = 1, 2
		}
	}
}

func TestViewsDoNotOverlap(t *testing.T) {
	d := openDevice(t, Options{})
	seed := uint64(time.Now().UnixNano())
	t.Log("seed", seed)
	r := rand.New(rand.NewPCG(seed, 0))
	live := map[*Buffer]byte{}
	for i := range 3000 {
		b, err := d.NewBuffer(int64(1+r.IntN(5000)), UploadMemory)
		require.NoError(t, err)
		live[b] = byte(i)
		for j := range b.Mapped() {
			b.Mapped()[j] = byte(i)
		}
		for b, mark := range live {
			if r.IntN(3) == 0 {
				for _, got := range b.Mapped() {
					if got != mark {
						t.Fatalf("a buffer marked %d holds %d", mark, got)
					}
				}
				b.Free()
				delete(live, b)
			}
		}
	}
	for b := range live {
		b.Free()
	}
	require.Zero(t, d.MemoryInUse().Used)
}

func TestMemoryBudget(t *testing.T) {
	d := openDevice(t, Options{MemoryBudget: 100 << 20})
	first := newBuffer(t, d, 60<<20, DeviceMemory)
	_, err := d.NewBuffer(50<<20, DeviceMemory)
	require.ErrorIs(t, err, ErrOutOfMemory)
	require.ErrorContains(t, err, "budget of 104857600")
	small := newBuffer(t, d, 1<<20, DeviceMemory)
	require.LessOrEqual(t, d.MemoryInUse().Allocated, int64(100<<20), "a whole block would be over")
	first.Free()
	newBuffer(t, d, 90<<20, DeviceMemory)
	require.LessOrEqual(t, d.MemoryInUse().Allocated, int64(100<<20), "the kept allocation gave way")
	small.Free()
}

func TestImpossibleSizes(t *testing.T) {
	d := openDevice(t, Options{})
	caps := d.Info().Caps
	for _, size := range []int64{int64(caps.MaxBuffer) + 1, int64(caps.MaxAllocation) + 1, 1 << 50, 1<<63 - 1} {
		_, err := d.NewBuffer(size, DeviceMemory)
		require.ErrorIs(t, err, ErrOutOfMemory, "%d", size)
	}
	for _, size := range []int64{-1, -1 << 63} {
		_, err := d.NewBuffer(size, DeviceMemory)
		require.ErrorIs(t, err, ErrInvalid)
	}
	_, err := d.NewBuffer(16, Memory(7))
	require.ErrorIs(t, err, ErrUnsupported)
	newBuffer(t, d, 1<<20, DeviceMemory)
	require.Equal(t, 1, d.MemoryInUse().Buffers)
}

// TestMemoryOfRunningWorkIsReclaimed has a budget for one buffer, and asks for
// the next while the first is freed but still in use.
func TestMemoryOfRunningWorkIsReclaimed(t *testing.T) {
	d := openDevice(t, Options{MemoryBudget: 80 << 20})
	for range 3 {
		b, err := d.NewBuffer(60<<20, DeviceMemory)
		require.NoError(t, err)
		p, err := d.NewProgram()
		require.NoError(t, err)
		for range 4 {
			p.Fill(b, 0, b.Size(), 1)
			p.Barrier()
		}
		require.NoError(t, p.End())
		_, err = d.Submit(p)
		require.NoError(t, err)
		b.Free()
		p.Free()
	}
}

// TestFlushRanges uses memory as if it were not coherent, under the validation
// layer, which checks the rounding.
func TestFlushRanges(t *testing.T) {
	d := openDevice(t, Options{Validation: true})
	for _, size := range []int64{1, 63, 64, 65, 1000, blockSize/2 + 1} {
		b := newBuffer(t, d, size, UploadMemory)
		b.coherent = false
		for _, offset := range []int64{0, 1, 63, 64, size - 1, size} {
			if offset <= size {
				require.NoError(t, b.Flush(offset, size-offset))
				require.NoError(t, b.Invalidate(offset, size-offset))
			}
		}
		require.ErrorIs(t, b.Flush(0, size+1), ErrInvalid)
		require.ErrorIs(t, b.Flush(-1, 1), ErrInvalid)
		require.ErrorIs(t, b.Flush(1, 1<<63-1), ErrInvalid)
		require.ErrorIs(t, b.Invalidate(size, 1), ErrInvalid)
		b.Free()
		require.ErrorIs(t, b.Flush(0, 1), ErrClosed)
	}
	require.Empty(t, d.ValidationMessages())
}
