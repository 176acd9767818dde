package plan

import (
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"vkops/gpu"
	"vkops/tensor"
)

// cpuLimits are those of lavapipe.
func cpuLimits() Limits {
	return Limits{SoftwareDevice: true, Caps: gpu.Caps{
		SubgroupSize: 8, MaxGroups: [3]uint32{65535, 65535, 65535}, MaxGroupSize: [3]uint32{1024, 1024, 1024}, MaxInvocations: 1024,
		MaxRange: 1 << 27, OffsetAlignment: 16, MaxTexelElements: 1 << 27, MaxPush: 256, MaxStorageBuffers: 32, Float64: true,
	}}
}

// poorLimits are the least that Vulkan 1.1 asks of a device that is not a CPU, with
// a few more storage buffers.
func poorLimits() Limits {
	return Limits{Caps: gpu.Caps{
		SubgroupSize: 4, MaxGroups: [3]uint32{65535, 65535, 65535}, MaxGroupSize: [3]uint32{128, 128, 64}, MaxInvocations: 128,
		MaxRange: 1 << 27, OffsetAlignment: 256, MaxTexelElements: 1 << 25, MaxPush: 128, MaxStorageBuffers: 7,
	}}
}

func typed(d tensor.DType, shape ...int) tensor.Type { return tensor.Type{DType: d, Shape: shape} }

func mustPlan(t *testing.T, op tensor.Op, lim Limits, s Strategy, inputs ...tensor.Type) *Plan {
	t.Helper()
	p, err := New(op, inputs, lim, s)
	require.NoError(t, err)
	return p
}

func value(values []NameValue, name string) int64 {
	for _, v := range values {
		if v.Name == name {
			return int64(v.Value)
		}
	}
	return 0
}

func kernels(p *Plan) []string {
	var names []string
	for _, s := range p.Steps {
		if s.Kind == Dispatch {
			names = append(names, s.Kernel)
		}
	}
	return names
}

func TestStrategyFollowsTheDevice(t *testing.T) {
	x := typed(tensor.F32, 100, 100)
	assert.Equal(t, Lane, mustPlan(t, tensor.CumSum{}, cpuLimits(), Auto, x).Strategy)
	assert.Equal(t, Workgroup, mustPlan(t, tensor.CumSum{}, poorLimits(), Auto, x).Strategy)
	assert.Equal(t, Workgroup, mustPlan(t, tensor.CumSum{}, cpuLimits(), Workgroup, x).Strategy)
	assert.Equal(t, []string{"scan_lines_workgroup_cumsum_f32"}, kernels(mustPlan(t, tensor.CumSum{Axis: 1}, cpuLimits(), Workgroup, x)))
	_, err := New(tensor.CumSum{}, []tensor.Type{x}, cpuLimits(), "fastest")
	assert.ErrorContains(t, err, "fastest")
}

func TestBadArgumentsKeepTheirErrors(t *testing.T) {
	_, err := New(tensor.CumSum{Axis: 2}, []tensor.Type{typed(tensor.F32, 3, 3)}, cpuLimits(), Auto)
	assert.ErrorIs(t, err, tensor.ErrAxis)
	_, err = New(tensor.LogCumSumExp{}, []tensor.Type{typed(tensor.I32, 3)}, cpuLimits(), Auto)
	assert.ErrorIs(t, err, tensor.ErrType)
}

func TestEmptyTensorsNeedNoSteps(t *testing.T) {
	assert.Empty(t, mustPlan(t, tensor.CumSum{}, cpuLimits(), Auto, typed(tensor.F32, 0, 5)).Steps)
	assert.Empty(t, mustPlan(t, tensor.Log1p{}, cpuLimits(), Auto, typed(tensor.F16, 0)).Steps)
	none := mustPlan(t, tensor.NLL{Reduction: tensor.None}, cpuLimits(), Auto, typed(tensor.F32, 0, 3), typed(tensor.I32, 0))
	assert.Empty(t, none.Steps)
	assert.Equal(t, -1, none.Status)
	mean := mustPlan(t, tensor.NLL{}, cpuLimits(), Auto, typed(tensor.F64, 0, 3), typed(tensor.I32, 0))
	require.Len(t, mean.Steps, 2)
	assert.Equal(t, uint32(0x7ff80000), mean.Steps[1].Word)
}

func TestTrafficIsExact(t *testing.T) {
	one := mustPlan(t, tensor.CumSum{}, cpuLimits(), Lane, typed(tensor.F32, 4096))
	assert.Equal(t, int64(2*4*4096), one.Traffic)
	// Three tiles: their aggregates are written, replaced by carries, read again;
	// the root's carry counts as read.
	three := mustPlan(t, tensor.CumSum{}, cpuLimits(), Lane, typed(tensor.F32, 8193))
	assert.Equal(t, int64(3*4*8193+8*(3+(3+1+3)+3)), three.Traffic)
	log := mustPlan(t, tensor.Log1p{}, cpuLimits(), Auto, typed(tensor.F16, 1001))
	assert.Equal(t, int64(2*2*1001), log.Traffic)
	sum := int64(0)
	for _, s := range three.Steps {
		sum += s.Traffic
	}
	assert.Equal(t, three.Traffic, sum)
}

// Passes that depend on one another have a barrier between them, and those that do
// not have none.
func TestBarriers(t *testing.T) {
	p := mustPlan(t, tensor.CumSum{}, cpuLimits(), Lane, typed(tensor.F32, 1<<20))
	var kinds []string
	for _, s := range p.Steps {
		if s.Kind == Barrier {
			kinds = append(kinds, "|")
		} else {
			kinds = append(kinds, s.Kernel)
		}
	}
	assert.Equal(t, []string{
		"scan_tiles_lane_cumsum_f32", "|", "scan_fold_lane_cumsum_f32", "|", "scan_carries_lane_cumsum_f32", "|",
		"scan_carries_lane_cumsum_f32", "|", "scan_outputs_lane_cumsum_f32",
	}, kinds)
	// Windows of one pass work on different elements.
	lim := cpuLimits()
	lim.MaxRange = 1 << 20
	p = mustPlan(t, tensor.Log1p{}, lim, Auto, typed(tensor.F32, 1<<20))
	assert.Len(t, p.Steps, 4)
	assert.NotContains(t, p.String(), "barrier")
}

func TestTypesShareKernels(t *testing.T) {
	assert.Equal(t, []string{"scan_outputs_lane_cumsum_i64"}, kernels(mustPlan(t, tensor.CumSum{}, cpuLimits(), Auto, typed(tensor.U64, 9))))
	long := kernels(mustPlan(t, tensor.CumSum{}, cpuLimits(), Auto, typed(tensor.BF16, 1<<20)))
	assert.Contains(t, long, "scan_tiles_lane_cumsum_bf16")
	assert.Contains(t, long, "scan_carries_lane_cumsum_f32")
}

func TestUnsupported(t *testing.T) {
	_, err := New(tensor.CumSum{}, []tensor.Type{typed(tensor.F64, 9)}, poorLimits(), Auto)
	assert.ErrorIs(t, err, gpu.ErrUnsupported)
	assert.ErrorContains(t, err, "cumsum")
	assert.ErrorContains(t, err, "float64")
	small := cpuLimits()
	small.MaxRange = 8192
	_, err = New(tensor.CumSum{}, []tensor.Type{typed(tensor.F32, 5000, 5000)}, small, Auto)
	assert.ErrorIs(t, err, gpu.ErrUnsupported)
	small.MaxRange = 100
	_, err = New(tensor.Log1p{}, []tensor.Type{typed(tensor.F32, 5)}, small, Auto)
	assert.ErrorIs(t, err, gpu.ErrUnsupported)
	few := poorLimits()
	few.Caps.MaxStorageBuffers = 4
	_, err = New(tensor.NLL{}, []tensor.Type{typed(tensor.F32, 5, 5), typed(tensor.I32, 5)}, few, Auto)
	assert.ErrorIs(t, err, gpu.ErrUnsupported)
}

func TestExplanation(t *testing.T) {
	lim := cpuLimits()
	lim.MaxRange = 1 << 17
	text := mustPlan(t, tensor.CumSum{Axis: 1}, lim, Auto, typed(tensor.F32, 2, 5001, 41)).String()
	for _, part := range []string{"cumsum float32[2 5001 41]", "strategy lane", "scratch 0", "copy 4096 rows", "more steps", "scan_outputs_columns_cumsum_f32 groups", "barrier"} {
		assert.Contains(t, text, part)
	}
	assert.Equal(t, "output", Output.String())
	assert.Equal(t, "input 1", Input1.String())
	assert.Equal(t, "scratch 2", (Scratch0 + 2).String())
	fill := mustPlan(t, tensor.NLL{}, lim, Auto, typed(tensor.F32, 5, 5), typed(tensor.I32, 5))
	assert.Contains(t, fill.String(), "fill 4 bytes of scratch 0 with 0xffffffff")
	assert.Equal(t, 0, fill.Status)
}

func TestGrid(t *testing.T) {
	for _, limit := range [][3]uint32{{65535, 65535, 65535}, {1, 1, 1}, {3, 3, 3}, {7, 1, 5}, {1<<31 - 1, 65535, 65535}} {
		for _, size := range []int64{1, 8, 256, 1024} {
			for _, groups := range []int64{1, 2, 3, 4, 26, 27, 28, 65535, 65536, 65537, 70000, 1 << 24, 1<<31 - 1, 1 << 31} {
				dims, taken := grid(groups, size, limit)
				product := int64(dims[0]) * int64(dims[1]) * int64(dims[2])
				name := fmt.Sprint(limit, size, groups, dims, taken)
				require.Positive(t, taken, name)
				require.LessOrEqual(t, taken, groups, name)
				require.GreaterOrEqual(t, product, taken, name)
				require.Less(t, product*size, int64(1<<31)+size, name)
				for i := range dims {
					require.LessOrEqual(t, dims[i], limit[i], name)
				}
			}
		}
	}
}

// Items beyond a grid go into several dispatches, which together have each once.
func TestItemsAreSplit(t *testing.T) {
	lim := cpuLimits()
	lim.MaxGroups = 3
	p := mustPlan(t, tensor.CumSum{Axis: 1}, lim, Lane, typed(tensor.F32, 5000, 7))
	require.Greater(t, len(p.Steps), 1)
	next := int64(0)
	for _, s := range p.Steps {
		assert.Equal(t, next, value(s.Push, "first_item"))
		next = value(s.Push, "item_end")
		assert.True(t, slices.Max(s.Groups[:]) <= 3)
	}
	size := int64(lim.Caps.SubgroupSize)
	assert.Equal(t, ceilDiv(5000/4, size)*size, next, "blocks of four rows, in whole workgroups")
	assert.Equal(t, int64(2*4*5000*7), p.Traffic)
}
