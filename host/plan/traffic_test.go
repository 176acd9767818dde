package plan

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"vkops/gpu"
	"vkops/shaders"
	"vkops/tensor"
)

// gpuLimits are those of a GPU that look-back is known to work on.
func gpuLimits() Limits {
	return Limits{VendorID: nvidia, Caps: gpu.Caps{
		SubgroupSize: 32, MaxGroups: [3]uint32{1<<31 - 1, 65535, 65535}, MaxGroupSize: [3]uint32{1024, 1024, 64}, MaxInvocations: 1024,
		MaxRange: 1<<32 - 1, OffsetAlignment: 16, MaxTexelElements: 1 << 27, MaxPush: 256, MaxStorageBuffers: 1 << 20, Float64: true,
	}}
}

// movedBytes counts what the steps of a scan read and write, from what they bind: all
// of it once, and what look-back loads of its siblings.
func movedBytes(t *testing.T, p *Plan) int64 {
	total := int64(0)
	for _, s := range p.Steps {
		switch s.Kind {
		case Fill:
			total += s.Dst.Size
		case CopyRect:
			total += 2 * s.RowBytes * s.Rows
		case Dispatch:
			kernel, err := shaders.Lookup(s.Kernel)
			require.NoError(t, err)
			stateBytes := int64(kernel.StateWords()) * 4
			for _, r := range s.Bind {
				var b shaders.Binding
				for _, known := range kernel.Bindings {
					if known.Name == r.Name {
						b = known
					}
				}
				switch {
				case b.TexelBytes != 0, r.Name == "result_vectors", r.Name == "states" && r.Role < Scratch0:
					// Bound a second time, or for form's sake.
				case strings.HasPrefix(s.Kernel, "scan_lookback") && r.Name == "states":
					total += siblingBytes(s, stateBytes)
				case strings.HasPrefix(s.Kernel, "scan_fold"):
					total += levelBytes(s, 1, stateBytes)
				case strings.HasPrefix(s.Kernel, "scan_carries"):
					total += levelBytes(s, 2, stateBytes)
				default:
					require.True(t, b.ReadOnly || r.Name == "result" || strings.HasPrefix(s.Kernel, "scan_tiles"), s.Kernel)
					total += r.Size
				}
			}
		}
	}
	return total
}

// levelBytes is what a step between a level and its parents moves that touches each
// node so many times.
func levelBytes(s Step, perNode, stateBytes int64) int64 {
	parents := value(s.Push, "parents")
	lines := (value(s.Push, "item_end") - value(s.Push, "first_item")) / parents
	return (perNode*value(s.Push, "nodes") + parents) * lines * stateBytes
}

// siblingBytes goes through the tiles of look-back one by one.
func siblingBytes(s Step, stateBytes int64) int64 {
	nodes, tiles := int64(0), value(s.Push, "tiles")
	for tile := range tiles {
		nodes++ // its own
		for rest := tile; rest > 0; rest /= 16 {
			nodes += rest % 16
		}
		for rest := tile; rest%16 == 15; rest /= 16 {
			nodes += 17
		}
	}
	return value(s.Push, "lines") * (nodes*(stateBytes+4) + 8*tiles)
}

// Single passes move the input and the output once; the way over the tree reads the
// input twice.
func TestTrafficIsNearTheLeast(t *testing.T) {
	shape := func(n ...int) tensor.Shape { return n }
	for _, c := range []struct {
		shape   tensor.Shape
		axis    int
		inPlace bool
		passes  int64
		kernel  string
	}{
		{shape(1 << 24), 0, false, 2, "scan_lookback"},
		{shape(4098), 0, false, 2, "scan_lookback"},
		{shape(1<<28 + 2), 0, false, 2, "scan_lookback"},
		{shape(300, 100000), 1, false, 2, "scan_lookback"},
		{shape(1<<20, 18), 1, false, 2, "scan_lines_workgroup"},
		{shape(4096, 4096), 1, false, 2, "scan_lines_workgroup"},
		{shape(70000, 258), 1, true, 2, "scan_lines_workgroup"},
		{shape(1<<16, 100, 4), 1, false, 2, "scan_lines_workgroup"},
		{shape(256, 100000), 0, false, 2, "scan_outputs_strips"},
		{shape(80, 5000, 1024), 1, true, 2, "scan_outputs_strips"},
		{shape(1 << 24), 0, true, 3, "scan_outputs_workgroup"},
		{shape(300, 100000), 1, true, 3, "scan_outputs_workgroup"},
		{shape(4096, 4096), 0, false, 3, "scan_outputs_strips"},
		{shape(1<<20, 64), 0, false, 3, "scan_outputs_strips"},
		{shape(1<<22, 2), 0, false, 3, "scan_outputs_strips"},
		{shape(2, 300000, 14), 1, true, 3, "scan_outputs_strips"},
	} {
		for _, dtype := range tensor.AllDTypes() {
			for _, op := range []tensor.Op{tensor.CumSum{Axis: c.axis}, tensor.CumSum{Axis: c.axis, Reverse: true}, tensor.LogCumSumExp{Axis: c.axis}} {
				x := tensor.Type{DType: dtype, Shape: c.shape}
				if _, err := op.Infer(x); err != nil {
					continue
				}
				name := fmt.Sprintf("%s %s axis %d in place %t", op.Name(), x, c.axis, c.inPlace)
				lim := gpuLimits()
				lim.InPlace = c.inPlace
				p := mustPlan(t, op, lim, Auto, x)
				bytes, err := x.Bytes()
				require.NoError(t, err)
				allowed := bytes*c.passes + bytes*c.passes/20
				if c.passes == 3 {
					allowed = bytes*3 + bytes*3*7/100
				}
				used := kernels(p)
				assert.True(t, strings.HasPrefix(used[len(used)-1], c.kernel), "%s: %v", name, used)
				for what, got := range map[string]int64{"counted": movedBytes(t, p), "planned": p.Traffic} {
					assert.GreaterOrEqual(t, got, bytes*c.passes, "%s, %s", name, what)
					assert.LessOrEqual(t, got, allowed, "%s, %s: %.3f times the tensor", name, what, float64(got)/float64(bytes))
				}
			}
		}
	}
}

// What the planner says of look-back is what counting its siblings gives.
func TestLookBackTrafficIsExact(t *testing.T) {
	for _, tiles := range []int{2, 15, 16, 17, 31, 32, 33, 255, 256, 257, 4097} {
		p := mustPlan(t, tensor.CumSum{}, gpuLimits(), Auto, typed(tensor.F32, tiles*4096))
		require.Equal(t, LookBack, p.Strategy)
		nodes := int64(tiles)
		for n := tiles; n > 16; n = (n + 15) / 16 {
			nodes += int64((n + 15) / 16)
		}
		assert.Equal(t, 2*4*4096*int64(tiles)+siblingBytes(p.Steps[len(p.Steps)-1], 8)+4*(1+nodes), p.Traffic, "%d tiles", tiles)
	}
}

// Which walk is taken depends on shape, memory and device as docs/strategies.md says.
func TestAutoPicksLookBackWhereItEnds(t *testing.T) {
	x := typed(tensor.F32, 1<<20)
	for _, c := range []struct {
		name string
		set  func(*Limits)
		want Strategy
	}{
		{"NVIDIA", func(l *Limits) {}, LookBack},
		{"AMD", func(l *Limits) { l.VendorID = amd }, LookBack},
		{"Intel", func(l *Limits) { l.VendorID = intel }, LookBack},
		{"another", func(l *Limits) { l.VendorID = 0x13b5 }, Workgroup},
		{"in place", func(l *Limits) { l.InPlace = true }, Workgroup},
		{"software", func(l *Limits) { l.SoftwareDevice = true }, Lane},
	} {
		lim := gpuLimits()
		c.set(&lim)
		assert.Equal(t, c.want, mustPlan(t, tensor.CumSum{}, lim, Auto, x).Strategy, c.name)
	}
	assert.Equal(t, Workgroup, mustPlan(t, tensor.CumSum{}, gpuLimits(), Auto, typed(tensor.F32, 4096)).Strategy)
	assert.Equal(t, Workgroup, mustPlan(t, tensor.Log1p{}, gpuLimits(), Auto, x).Strategy)
	// A line whose tiles a software device could not make within its loops.
	forced := mustPlan(t, tensor.CumSum{}, cpuLimits(), LookBack, typed(tensor.F32, 1<<24))
	assert.NotContains(t, forced.String(), "scan_lookback")
	assert.Contains(t, mustPlan(t, tensor.CumSum{}, cpuLimits(), LookBack, x).String(), "scan_lookback")
}

func TestStretch(t *testing.T) {
	lim := gpuLimits()
	x := typed(tensor.F32, 5000, 8192)
	for _, stretch := range []int64{0, 256, 4096} {
		lim.Stretch = stretch
		p := mustPlan(t, tensor.CumSum{}, lim, Auto, x)
		want := stretch
		if want == 0 {
			want = 256 // two tiles of each column are too few lanes
		}
		assert.Equal(t, want, value(p.Steps[0].Spec, "stretch"), stretch)
	}
	lim.Stretch = 1000
	_, err := New(tensor.CumSum{}, []tensor.Type{x}, lim, Auto)
	assert.ErrorContains(t, err, "1000")
}
