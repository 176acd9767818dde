//go:build linux && cgo

package gpu

import (
	"bytes"
	"context"
	"encoding/binary"
	"log/slog"
	"os"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
)

//go:generate glslangValidator --target-env vulkan1.1 -o testdata/add.spv testdata/add.comp
//go:generate glslangValidator --target-env vulkan1.1 -o testdata/float.spv testdata/float.comp
//go:generate glslangValidator --target-env vulkan1.1 -o testdata/double.spv testdata/double.comp
//go:generate glslangValidator --target-env vulkan1.1 -o testdata/texels.spv testdata/texels.comp

// openDevice opens the device under test. No device is a failure: a skip would
// let a broken machine pass, so it must be asked for.
func openDevice(t testing.TB, options Options) *Device {
	t.Helper()
	d, err := Open(options)
	if err != nil && os.Getenv("VKOPS_TEST_NO_DEVICE") == "1" {
		t.Skipf("VKOPS_TEST_NO_DEVICE=1: NOT TESTED, because opening a device failed: %v", err)
	}
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, d.Close()) })
	return d
}

func spirv(t testing.TB, name string) []byte {
	t.Helper()
	code, err := os.ReadFile("testdata/" + name + ".spv")
	require.NoError(t, err)
	return code
}

func addDesc(t testing.TB, extra uint32) PipelineDesc {
	return PipelineDesc{Name: "add", SPIRV: spirv(t, "add"), Bindings: []BindingDesc{{Index: 0}, {Index: 1}}, PushBytes: 8,
		Spec: []SpecValue{{0, 64}, {1, extra}}}
}

func newPipeline(t testing.TB, d *Device, desc PipelineDesc) *Pipeline {
	t.Helper()
	p, err := d.Pipeline(desc)
	require.NoError(t, err)
	return p
}

func newBuffer(t testing.TB, d *Device, size int64, m Memory) *Buffer {
	t.Helper()
	b, err := d.NewBuffer(size, m)
	require.NoError(t, err)
	t.Cleanup(b.Free)
	return b
}

func newProgram(t testing.TB, d *Device) *Program {
	t.Helper()
	p, err := d.NewProgram()
	require.NoError(t, err)
	t.Cleanup(p.Free)
	return p
}

// run submits a program and waits for it.
func run(t testing.TB, d *Device, p *Program) {
	t.Helper()
	s, err := d.Submit(p)
	require.NoError(t, err)
	require.NoError(t, s.Wait(context.Background()))
}

func whole(index uint32, b *Buffer) Binding {
	return Binding{Index: index, Buffer: b, Size: b.Size()}
}

// addTo records dst[i] = src[i] + value for the words of both.
func addTo(p *Program, add *Pipeline, dst, src *Buffer, value uint32) {
	n := uint32(min(dst.Size(), src.Size()) / 4)
	push := binary.LittleEndian.AppendUint32(binary.LittleEndian.AppendUint32(nil, n), value)
	p.Dispatch(add, [3]uint32{(n + 63) / 64, 1, 1}, push, whole(0, src), whole(1, dst))
}

// write fills a mapped buffer with words and flushes.
func write(t testing.TB, b *Buffer, word func(i int) uint32) {
	t.Helper()
	view := b.Mapped()
	for i := range len(view) / 4 {
		binary.LittleEndian.PutUint32(view[4*i:], word(i))
	}
	require.NoError(t, b.Flush(0, b.Size()))
}

// read invalidates a mapped buffer and returns its words.
func read(t testing.TB, b *Buffer) []uint32 {
	t.Helper()
	require.NoError(t, b.Invalidate(0, b.Size()))
	view := b.Mapped()
	words := make([]uint32, len(view)/4)
	for i := range words {
		words[i] = binary.LittleEndian.Uint32(view[4*i:])
	}
	return words
}

// logBuffer collects log lines from many goroutines.
type logBuffer struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (l *logBuffer) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(p)
}

func (l *logBuffer) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

func (l *logBuffer) logger() *slog.Logger { return slog.New(slog.NewTextHandler(l, nil)) }
