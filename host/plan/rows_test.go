package plan

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"vkops/tensor"
)

// Which kernels short rows and far rows take, as docs/strategies.md says.
func TestShortRows(t *testing.T) {
	few := cpuLimits()
	few.Caps.MaxTexelElements = 1 << 10
	for _, c := range []struct {
		name  string
		lim   Limits
		dtype tensor.DType
		shape tensor.Shape
		want  []string
	}{
		{"a block is a row", cpuLimits(), tensor.F32, tensor.Shape{1 << 20, 16}, []string{"scan_lines_lane_cumsum_f32"}},
		{"a block is four rows", cpuLimits(), tensor.F32, tensor.Shape{1 << 20, 3}, []string{"scan_lines_lane_cumsum_f32"}},
		{"rows are left", cpuLimits(), tensor.F32, tensor.Shape{131, 3}, []string{"scan_lines_lane_cumsum_f32", "scan_outputs_lane_cumsum_f32"}},
		{"odd rows of 16 bits", cpuLimits(), tensor.F16, tensor.Shape{132, 5}, []string{"scan_lines_lane_cumsum_f16"}},
		{"few rows", cpuLimits(), tensor.F32, tensor.Shape{127, 16}, []string{"scan_outputs_lane_cumsum_f32"}},
		{"two runs", cpuLimits(), tensor.F32, tensor.Shape{1 << 20, 32}, []string{"scan_streams_lane_cumsum_f32"}},
		{"five runs", cpuLimits(), tensor.F32, tensor.Shape{1 << 16, 68}, []string{"scan_outputs_lane_cumsum_f32"}},
		{"a stream is two rows", cpuLimits(), tensor.F32, tensor.Shape{4096, 2002}, []string{"scan_streams_lane_cumsum_f32"}},
		{"a row of four is left", cpuLimits(), tensor.F32, tensor.Shape{4097, 17}, []string{"scan_streams_lane_cumsum_f32", "scan_outputs_lane_cumsum_f32"}},
		{"few streams", cpuLimits(), tensor.F32, tensor.Shape{511, 17}, []string{"scan_outputs_lane_cumsum_f32"}},
		{"long odd rows of 16 bits", cpuLimits(), tensor.F16, tensor.Shape{4096, 2001}, []string{"scan_streams_lane_cumsum_f16"}},
		{"too long for loops", cpuLimits(), tensor.F32, tensor.Shape{512, 20001}, []string{"scan_outputs_lane_cumsum_f32"}},
		{"unseen vectors", few, tensor.F32, tensor.Shape{1 << 10, 16}, []string{"scan_outputs_lane_cumsum_f32"}},
	} {
		p := mustPlan(t, tensor.CumSum{Axis: 1}, c.lim, Lane, tensor.Type{DType: c.dtype, Shape: c.shape})
		assert.Equal(t, c.want, kernels(p), c.name)
		bytes, err := p.Output.Bytes()
		assert.NoError(t, err)
		assert.LessOrEqual(t, p.Traffic, 2*bytes+64, c.name)
	}
}

func TestShortColumns(t *testing.T) {
	for shape, want := range map[[3]int]string{
		{1024, 4, 256}: "scan_lines_columns_cumsum_f32", {1024, 16, 3}: "scan_lines_columns_cumsum_f32",
		{1024, 17, 256}: "scan_outputs_columns_cumsum_f32", {1, 4, 4096}: "scan_lines_columns_cumsum_f32",
	} {
		p := mustPlan(t, tensor.CumSum{Axis: 1}, cpuLimits(), Lane, typed(tensor.F32, shape[:]...))
		assert.Equal(t, []string{want}, kernels(p), shape)
	}
}

func TestRowsAtOnce(t *testing.T) {
	for shape, want := range map[[2]int][2]int64{
		{1 << 20, 2}: {2, 2}, {1 << 20, 3}: {3, 4}, {1 << 20, 4}: {4, 0}, {1 << 20, 6}: {6, 2}, {1 << 20, 12}: {12, 0}, {1 << 20, 16}: {16, 0},
		{1<<20 + 1, 2}: {2, 0}, {1<<20 + 2, 3}: {2, 0}, {4096, 2}: {1, 0}, {1 << 20, 15}: {8, 0},
	} {
		p := mustPlan(t, tensor.CumSum{}, cpuLimits(), Lane, typed(tensor.F32, shape[0], shape[1]))
		for _, s := range []Step{p.Steps[0], p.Steps[len(p.Steps)-1]} {
			assert.Equal(t, want, [2]int64{value(s.Spec, "block_columns"), value(s.Spec, "rows_at_once")}, "%v: %s", shape, s)
			assert.Equal(t, want[0]%4 == 0 && shape[1]%4 == 0 || want[1] > 0, value(s.Spec, "vector_access") == 1, "%v: %s", shape, s)
		}
	}
}

func TestRowsAhead(t *testing.T) {
	for shape, want := range map[[2]int]int64{{4096, 4096}: 8, {4096, 512}: 8, {4096, 508}: 0, {1 << 16, 1024}: 8} {
		p := mustPlan(t, tensor.CumSum{}, cpuLimits(), Lane, typed(tensor.F32, shape[0], shape[1]))
		for _, s := range p.Steps {
			if s.Kind == Dispatch && len(s.Bind) > 2 {
				assert.Equal(t, want, value(s.Spec, "rows_ahead"), "%v: %s", shape, s)
			}
		}
	}
}
