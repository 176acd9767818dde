//go:build linux && cgo

package gpu

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestValidationIsClean runs everything the package does under the validation
// layer, synchronization checks included.
func TestValidationIsClean(t *testing.T) {
	var log logBuffer
	d := openDevice(t, Options{Validation: true, Logger: log.logger(), CacheDir: t.TempDir()})
	add := newPipeline(t, d, addDesc(t, 1))
	single := newPipeline(t, d, PipelineDesc{Name: "float", SPIRV: spirv(t, "float"), Bindings: []BindingDesc{{Index: 3}}, PushBytes: 4,
		RequireSubgroupSize: d.Info().Caps.MaxSubgroupSize})
	a, b := newBuffer(t, d, 1<<20, UploadMemory), newBuffer(t, d, 1<<20, DownloadMemory)
	huge := newBuffer(t, d, 100<<20, DeviceMemory)
	p := newProgram(t, d)
	for round := range 3 {
		p.Timestamp()
		p.Fill(a, 0, 1<<20, 1)
		p.Barrier()
		addTo(p, add, b, a, 1)
		p.Barrier()
		addTo(p, add, a, b, 1)
		p.Barrier()
		for range round {
			p.Dispatch(single, [3]uint32{16, 1, 1}, make([]byte, 4), whole(3, a))
			p.Barrier()
		}
		if d.Info().Caps.Float64 {
			double := newPipeline(t, d, PipelineDesc{Name: "double", SPIRV: spirv(t, "double"), Bindings: []BindingDesc{{Index: 0}}})
			p.Dispatch(double, [3]uint32{1, 1, 1}, nil, whole(0, b))
			p.Barrier()
		}
		p.Copy(huge, 1<<20, b, 0, 1<<20)
		p.CopyRect(huge, 0, 256, a, 0, 128, 64, 500)
		p.Barrier()
		p.Copy(b, 4, huge, 0, 1000)
		p.Timestamp()
		require.NoError(t, p.End())
		for range 2 {
			_, err := d.Submit(p)
			require.NoError(t, err)
		}
		run(t, d, p)
		_, err := p.Timestamps()
		require.NoError(t, err)
		require.NoError(t, p.Reset())
	}
	require.Empty(t, d.ValidationMessages())
	require.NoError(t, d.Close())
	require.NotContains(t, log.String(), "validation")
}

// TestValidationReports leaves out the barrier that the layer then misses.
func TestValidationReports(t *testing.T) {
	d := openDevice(t, Options{Validation: true})
	a, b := newBuffer(t, d, 4096, DeviceMemory), newBuffer(t, d, 4096, DeviceMemory)
	p := newProgram(t, d)
	p.Fill(a, 0, 4096, 1)
	p.Copy(b, 0, a, 0, 4096)
	require.NoError(t, p.End())
	run(t, d, p)
	require.Contains(t, strings.Join(d.ValidationMessages(), "\n"), "SYNC-HAZARD-READ-AFTER-WRITE")
	require.Empty(t, d.ValidationMessages(), "each message is given once")

	// More messages than are kept, from the driver's side of things.
	for range 100 {
		require.NoError(t, p.Reset())
		p.Fill(a, 0, 4096, 1)
		p.Copy(b, 0, a, 0, 4096)
		require.NoError(t, p.End())
	}
	require.Len(t, d.ValidationMessages(), 64)
}
