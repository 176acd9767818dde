//go:build linux && cgo

package gpu

import (
	"runtime"
	"slices"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"

	"vkops/tensor"
)

// words is Go memory of n words that begins at a page.
func words(n int) []uint32 {
	const page = 4096
	space := make([]uint32, n+2*page/4)
	skip := (page - uintptr(unsafe.Pointer(&space[0]))%page) % page / 4
	return space[skip : int(skip)+n]
}

func openImporting(t *testing.T, options Options) *Device {
	d := openDevice(t, options)
	if d.Info().Caps.ImportAlignment == 0 {
		require.NotContains(t, d.Info().Name, "llvmpipe", "lavapipe imports host memory")
		t.Skipf("NOT TESTED: %s cannot import host memory", d.Info().Name)
	}
	return d
}

func TestImport(t *testing.T) {
	d := openImporting(t, Options{})
	add := newPipeline(t, d, addDesc(t, 0))
	for _, n := range []int{1, 3, 64, 1023, 1024, 1025, 5000} {
		for _, skip := range []int{0, 64, 256 + 64} { // words: the middle of a page, too
			all := words(n + skip + 8)
			for i := range all {
				all[i] = uint32(i)
			}
			x := all[skip : skip+n]
			before := d.MemoryInUse()
			b, err := d.ImportBuffer(tensor.BytesOf(x))
			require.NoError(t, err)
			require.Equal(t, before.Used, d.MemoryInUse().Used, "it is not the device's memory")
			p, err := d.NewProgram()
			require.NoError(t, err)
			addTo(p, add, b, b, 7)
			require.NoError(t, p.End())
			b.Free() // the program keeps it
			run(t, d, p)
			for i, v := range all {
				want := uint32(i)
				if i >= skip && i < skip+n {
					want += 7
				}
				require.Equal(t, want, v, "word %d of %d+%d", i, skip, n)
			}
			p.Free()
			require.Equal(t, before, d.MemoryInUse())
		}
	}
}

func TestImportRefused(t *testing.T) {
	d := openImporting(t, Options{})
	x := words(1000)
	_, err := d.ImportBuffer(tensor.BytesOf(x[1:]))
	require.ErrorIs(t, err, ErrUnsupported, "the start is not aligned")
	_, err = d.ImportBuffer(nil)
	require.ErrorIs(t, err, ErrInvalid)
}

func TestImportFaults(t *testing.T) {
	var failing string
	d := openImporting(t, Options{Fault: func(call string) error { return failsAt(call, failing) }})
	before := d.MemoryInUse()
	x := words(1000)
	for _, failing = range []string{"vkCreateBuffer", "vkGetMemoryHostPointerPropertiesEXT", "vkAllocateMemory", "vkBindBufferMemory"} {
		_, err := d.ImportBuffer(tensor.BytesOf(x))
		require.ErrorIs(t, err, ErrUnsupported, failing)
		require.ErrorIs(t, err, ErrOutOfMemory, failing)
		require.ErrorContains(t, err, failing)
		require.Equal(t, before, d.MemoryInUse())
	}
}

// TestImportKeepsGoMemory has the collector run while the device works on memory
// that only the buffer refers to.
func TestImportKeepsGoMemory(t *testing.T) {
	d := openImporting(t, Options{})
	add := newPipeline(t, d, addDesc(t, 0))
	for range 20 {
		out := newBuffer(t, d, 1<<20, DeviceMemory)
		p := newProgram(t, d)
		func() {
			x := slices.Repeat([]uint32{5}, 1<<18)
			b, err := d.ImportBuffer(tensor.BytesOf(x))
			require.NoError(t, err)
			addTo(p, add, out, b, 1)
			b.Free()
		}()
		require.NoError(t, p.End())
		runtime.GC()
		_ = slices.Repeat([]uint32{9}, 1<<18)
		run(t, d, p)
		for i, v := range read(t, out) {
			if v != 6 {
				t.Fatalf("word %d is %d", i, v)
			}
		}
		p.Free()
		out.Free()
	}
}
