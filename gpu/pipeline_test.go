//go:build linux && cgo

package gpu

import (
	"encoding/binary"
	"math"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"vkops/internal/resident"
)

func TestPipelinesAreShared(t *testing.T) {
	d := openDevice(t, Options{})
	first := newPipeline(t, d, addDesc(t, 0))
	require.Same(t, first, newPipeline(t, d, addDesc(t, 0)), "equal content, another slice")
	require.NotSame(t, first, newPipeline(t, d, addDesc(t, 1)))
	require.Equal(t, "add", first.Name())
	var group sync.WaitGroup
	found := make([]*Pipeline, 32)
	for i := range found {
		group.Add(1)
		go func() {
			defer group.Done()
			found[i], _ = d.Pipeline(addDesc(t, uint32(2+i%4)))
		}()
	}
	group.Wait()
	for i := range found {
		require.NotNil(t, found[i])
		require.Same(t, found[i%4], found[i])
	}
	require.Len(t, d.pipelines.built, 6)
	require.Len(t, d.pipelines.layouts, 1)
}

func TestPipelinesInMemoryAreBounded(t *testing.T) {
	d := openDevice(t, Options{})
	d.pipelines.limit = 8
	held := newPipeline(t, d, addDesc(t, 0))
	src, dst := newBuffer(t, d, 64, UploadMemory), newBuffer(t, d, 64, DownloadMemory)
	recorded := newProgram(t, d)
	inUse := newPipeline(t, d, addDesc(t, 1))
	addTo(recorded, inUse, dst, src, 0)
	require.NoError(t, recorded.End())
	for i := range 30 {
		newPipeline(t, d, addDesc(t, uint32(100+i)))
		require.LessOrEqual(t, len(d.pipelines.built), 8)
	}
	require.Zero(t, held.handle, "the one used least recently is gone")
	require.NotZero(t, inUse.handle, "one that is recorded stays")
	write(t, src, func(i int) uint32 { return uint32(i) })
	run(t, d, recorded)
	require.Equal(t, uint32(3+1), read(t, dst)[3])
	p := newProgram(t, d)
	addTo(p, held, dst, src, 5)
	require.NoError(t, p.End())
	run(t, d, p)
	require.Equal(t, uint32(3+5), read(t, dst)[3], "one that is held is built again")
}

// Pipelines that are dropped give their memory back: a process that runs ever other ones
// does not grow. If they kept it, lavapipe's of the test would take 0.12 MB each.
func TestDroppedPipelinesLeakNothing(t *testing.T) {
	const limit, more = 1 << 20, 16
	d := openDevice(t, Options{})
	d.pipelines.limit = 8
	src, dst := newBuffer(t, d, 64, UploadMemory), newBuffer(t, d, 64, DownloadMemory)
	next := uint32(0)
	median, each, err := resident.Growth(limit, func() {
		for range more {
			p := newProgram(t, d)
			addTo(p, newPipeline(t, d, addDesc(t, next)), dst, src, 0)
			require.NoError(t, p.End())
			run(t, d, p)
			p.Free()
			next++
		}
	})
	require.NoError(t, err)
	t.Logf("bytes that %d pipelines more take, each time: %d", more, each)
	require.Less(t, median, int64(limit))
}

func TestSubgroupSize(t *testing.T) {
	d := openDevice(t, Options{})
	caps := d.Info().Caps
	desc := PipelineDesc{Name: "float", SPIRV: spirv(t, "float"), Bindings: []BindingDesc{{Index: 3}}, PushBytes: 4}
	sizes := []uint32{0}
	if caps.SubgroupSizeControl {
		for size := caps.MinSubgroupSize; size <= caps.MaxSubgroupSize; size *= 2 {
			sizes = append(sizes, size)
		}
	}
	for _, size := range sizes {
		desc.RequireSubgroupSize = size
		b := newBuffer(t, d, 256, DownloadMemory)
		p := newProgram(t, d)
		p.Fill(b, 0, 256, math.Float32bits(1.5))
		p.Barrier()
		p.Dispatch(newPipeline(t, d, desc), [3]uint32{1, 1, 1}, binary.LittleEndian.AppendUint32(nil, math.Float32bits(3)), whole(3, b))
		require.NoError(t, p.End())
		run(t, d, p)
		got := read(t, b)
		want := float32(max(size, caps.MinSubgroupSize))
		if size != 0 || !caps.SubgroupSizeControl {
			require.Equal(t, want, math.Float32frombits(got[0]))
		}
		require.Equal(t, float32(4.5), math.Float32frombits(got[1]))
	}
	for _, size := range []uint32{caps.MaxSubgroupSize * 2, 3} {
		desc.RequireSubgroupSize = size
		_, err := d.Pipeline(desc)
		require.ErrorIs(t, err, ErrUnsupported)
	}
}

func TestPipelineErrors(t *testing.T) {
	d := openDevice(t, Options{})
	good := addDesc(t, 0)
	change := func(f func(*PipelineDesc)) PipelineDesc {
		desc := good
		f(&desc)
		return desc
	}
	tooMany := make([]BindingDesc, d.Info().Caps.MaxStorageBuffers+1)
	for i := range tooMany {
		tooMany[i].Index = uint32(i)
	}
	for name, test := range map[string]struct {
		desc   PipelineDesc
		target error
	}{
		"no module":      {change(func(p *PipelineDesc) { p.SPIRV = nil }), ErrInvalid},
		"cut module":     {change(func(p *PipelineDesc) { p.SPIRV = p.SPIRV[:101] }), ErrInvalid},
		"binding twice":  {change(func(p *PipelineDesc) { p.Bindings = []BindingDesc{{Index: 1}, {1, 16}} }), ErrInvalid},
		"texels":         {change(func(p *PipelineDesc) { p.Bindings = []BindingDesc{{0, 12}} }), ErrInvalid},
		"bindings":       {change(func(p *PipelineDesc) { p.Bindings = tooMany }), ErrUnsupported},
		"push unaligned": {change(func(p *PipelineDesc) { p.PushBytes = 9 }), ErrInvalid},
		"push too long":  {change(func(p *PipelineDesc) { p.PushBytes = d.Info().Caps.MaxPush + 4 }), ErrUnsupported},
	} {
		_, err := d.Pipeline(test.desc)
		require.ErrorIs(t, err, test.target, name)
	}
	require.Empty(t, d.pipelines.byHash, "failures are not kept")
	newPipeline(t, d, good)
}

// TestPipelinesNeedFeatures builds a kernel of doubles for a device that has none.
func TestPipelinesNeedFeatures(t *testing.T) {
	d := openDevice(t, Options{})
	d.info.Caps.Float64 = false
	_, err := d.Pipeline(PipelineDesc{Name: "double", SPIRV: spirv(t, "double"), Bindings: []BindingDesc{{Index: 3}}, PushBytes: 4})
	require.ErrorIs(t, err, ErrUnsupported)
	require.ErrorContains(t, err, "double needs shaderFloat64")
}
