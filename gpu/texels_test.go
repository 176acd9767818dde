//go:build linux && cgo

package gpu

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func texelsDesc(t testing.TB) PipelineDesc {
	return PipelineDesc{Name: "texels", SPIRV: spirv(t, "texels"), Bindings: []BindingDesc{{0, 16}, {1, 8}, {2, 0}, {3, 4}}}
}

// addTexels records dst[i] = a[i] + b[i/4*2+i%2] + c[i/4] for the words of dst.
func addTexels(p *Program, pipeline *Pipeline, dst, a, b, c Binding) {
	p.Dispatch(pipeline, [3]uint32{uint32(dst.Size/16+63) / 64, 1, 1}, nil, a, b, c, dst)
}

func TestTexels(t *testing.T) {
	d := openDevice(t, Options{})
	pipeline := newPipeline(t, d, texelsDesc(t))
	a, b := newBuffer(t, d, 8192, UploadMemory), newBuffer(t, d, 4096, UploadMemory)
	dst := newBuffer(t, d, 4096, DownloadMemory)
	write(t, a, func(i int) uint32 { return uint32(i) << 16 })
	write(t, b, func(i int) uint32 { return uint32(i) })
	c := newBuffer(t, d, 1024+256, UploadMemory)
	write(t, c, func(i int) uint32 { return uint32(i) << 24 })
	p := newProgram(t, d)
	for range 2 {
		addTexels(p, pipeline, whole(2, dst), Binding{0, a, 256, 4096 + 12}, whole(1, b), Binding{3, c, 256, 1024})
		addTexels(p, pipeline, whole(2, dst), Binding{0, a, 256, 4096 + 12}, whole(1, b), Binding{3, c, 256, 1024})
		require.Len(t, p.views, 3, "one view for each part of a buffer")
		require.NoError(t, p.End())
		run(t, d, p)
		for i, got := range read(t, dst) {
			require.Equal(t, uint32(64+i)<<16+uint32(i/4*2+i%2)+uint32(64+i/4)<<24, got, "word %d", i)
		}
		require.NoError(t, p.Reset())
		require.Empty(t, p.views)
	}
	// Less than a texel, at the end of a buffer.
	small := newBuffer(t, d, 260, UploadMemory)
	write(t, small, func(i int) uint32 { return uint32(i) })
	addTexels(p, pipeline, Binding{2, dst, 0, 16}, Binding{0, small, 256, 4}, Binding{1, small, 256, 4}, Binding{3, small, 256, 4})
	require.NoError(t, p.End())
	run(t, d, p)
	require.Equal(t, uint32(64+64+64), read(t, dst)[0])
}

func TestTexelsBeyondTheLimitAreNotSeen(t *testing.T) {
	d := openDevice(t, Options{})
	d.info.Caps.MaxTexelElements = 3
	b := newBuffer(t, d, 4096, UploadMemory)
	p := newProgram(t, d)
	addTexels(p, newPipeline(t, d, texelsDesc(t)), Binding{2, newBuffer(t, d, 64, DownloadMemory), 0, 64}, whole(0, b), whole(1, b), whole(3, b))
	require.NoError(t, p.End())
	require.Contains(t, p.views, texelView{b.handle, 0, 48, 16})
	require.Contains(t, p.views, texelView{b.handle, 0, 24, 8})
	require.Contains(t, p.views, texelView{b.handle, 0, 12, 4})
	run(t, d, p)
}
