package plan_test

import (
	"testing"

	"vkops/host/plan"
	"vkops/tensor"
)

// checkRows compares scans of some rows, of the lengths listed for each type, with the twin.
func checkRows(t *testing.T, rows int, lengths map[tensor.DType][]int) {
	for _, r := range rigs(t) {
		for dtype, lengths := range lengths {
			for _, n := range lengths {
				checkScans(t, r, r.limits, scanShape{tensor.Shape{rows, n}, 1}, dtype, plan.Lane)
			}
		}
	}
}

// Rows of one run are walked in blocks of whole quads; rows are left over from the last.
func TestShortRowsMatchTwin(t *testing.T) {
	lengths := map[tensor.DType][]int{
		tensor.F32: {1, 2, 3, 4, 6, 15, 16}, tensor.F16: {5, 8}, tensor.BF16: {14}, tensor.F64: {7, 12}, tensor.I32: {9}, tensor.I64: {13},
	}
	if testing.Short() {
		lengths = map[tensor.DType][]int{tensor.F32: {3, 16}, tensor.F16: {5}, tensor.I64: {6}}
	}
	checkRows(t, 131, lengths)
}

// Rows of several runs, groups and tiles as streams of whole quads; rows are left over.
func TestStreamsMatchTwin(t *testing.T) {
	lengths := map[tensor.DType][]int{
		tensor.F32: {17, 18, 31, 32, 61, 64, 65, 255, 258, 4097, 8195}, tensor.F16: {33, 66, 2001}, tensor.BF16: {19}, tensor.F64: {47, 90}, tensor.I32: {4101}, tensor.I64: {29, 70},
	}
	if testing.Short() {
		lengths = map[tensor.DType][]int{tensor.F32: {19, 258}, tensor.F16: {33}, tensor.I32: {4097}}
	}
	checkRows(t, 515, lengths)
}

// Columns of one run, several blocks of them to a lane; some rows at once, or fetched ahead.
func TestShortColumnsMatchTwin(t *testing.T) {
	shapes := map[tensor.DType][]tensor.Shape{
		tensor.F32: {{1030, 4, 32}, {131, 7, 66}, {130, 16, 3}, {130, 4, 2}, {3, 15, 520}, {2100, 1, 16}}, tensor.F16: {{130, 12, 34}, {130, 8, 6}},
		tensor.F64: {{130, 5, 3}}, tensor.I32: {{129, 2, 20}}, tensor.I64: {{2, 9, 257}}, tensor.BF16: {{130, 3, 18}},
	}
	if testing.Short() {
		shapes = map[tensor.DType][]tensor.Shape{tensor.F32: {{1030, 4, 32}, {130, 16, 3}}, tensor.F16: {{130, 12, 34}}}
	}
	for _, r := range rigs(t) {
		for dtype, shapes := range shapes {
			for _, shape := range shapes {
				checkScans(t, r, r.limits, scanShape{shape, 1}, dtype, plan.Lane)
			}
		}
	}
}

// Rows of columns that lie far apart are fetched before their use.
func TestFarRowsMatchTwin(t *testing.T) {
	shapes := map[tensor.DType][]scanShape{
		tensor.F32: {{tensor.Shape{300, 512}, 0}, {tensor.Shape{2, 20, 603}, 1}, {tensor.Shape{9, 512}, 0}, {tensor.Shape{8, 512}, 0}},
		tensor.F16: {{tensor.Shape{20, 1026}, 0}}, tensor.F64: {{tensor.Shape{20, 257}, 0}}, tensor.I64: {{tensor.Shape{20, 260}, 0}},
	}
	if testing.Short() {
		shapes = map[tensor.DType][]scanShape{tensor.F32: {{tensor.Shape{20, 603}, 0}}, tensor.F16: {{tensor.Shape{20, 1026}, 0}}}
	}
	for _, r := range rigs(t) {
		for dtype, shapes := range shapes {
			for _, s := range shapes {
				checkScans(t, r, r.limits, s, dtype, plan.Lane)
			}
		}
		// Few columns, some rows of all of them at once; tiles of a lane each, or columns.
		for inner := range 16 {
			if dtype := []tensor.DType{tensor.F32, tensor.I64, tensor.F16, tensor.F64}[inner%4]; inner > 1 && (inner < 7 || !testing.Short()) {
				checkScans(t, r, r.limits, scanShape{tensor.Shape{17, 36, inner}, 1}, dtype, plan.Lane)
			}
		}
		if !testing.Short() {
			checkScans(t, r, r.limits, scanShape{tensor.Shape{15*4096 + 8, 3}, 0}, tensor.F32, plan.Lane)
			checkScans(t, r, r.limits, scanShape{tensor.Shape{15*4096 + 8, 2}, 0}, tensor.F32, plan.Lane)
		}
		// Several tiles of each column, a lane each.
		if !testing.Short() {
			checkScans(t, r, r.limits, scanShape{tensor.Shape{8200, 513}, 0}, tensor.I32, plan.Lane)
		}
	}
}
