package plan_test

import (
	"bytes"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"vkops/cpuref"
	"vkops/gpu"
	"vkops/host/plan"
	"vkops/tensor"
)

// randomBits fills a tensor: mostly moderate values, some specials.
func randomTensor(t *testing.T, rng *rand.Rand, typ tensor.Type) tensor.Dense {
	d, err := tensor.NewDense(typ)
	require.NoError(t, err)
	size := typ.DType.Size()
	for i := 0; i < len(d.Data); i += size {
		copy(d.Data[i:i+size], randomElement(rng, typ.DType))
	}
	return d
}

func randomElement(rng *rand.Rand, d tensor.DType) []byte {
	if !d.IsFloat() {
		return tensor.BytesOf([]uint64{rng.Uint64()})[:d.Size()]
	}
	x := rng.NormFloat64() * math.Exp2(float64(rng.IntN(20)-10))
	switch rng.IntN(5000) {
	case 0:
		x = math.Inf(1)
	case 1:
		x = math.Inf(-1)
	case 2:
		x = math.NaN()
	case 3, 4:
		x = math.Copysign(0, -1)
	}
	switch d {
	case tensor.F64:
		return tensor.BytesOf([]float64{x})
	case tensor.F32:
		return tensor.BytesOf([]float32{float32(x)})
	case tensor.BF16:
		return tensor.BytesOf([]tensor.BFloat16{tensor.BFloat16FromFloat32(float32(x))})
	default:
		return tensor.BytesOf([]tensor.BFloat16{tensor.BFloat16(rng.Uint32N(0x7000) | rng.Uint32N(2)<<15)})
	}
}

// requireSame compares bit for bit.
func requireSame(t *testing.T, want, got tensor.Dense, context string) {
	if bytes.Equal(want.Data, got.Data) {
		return
	}
	size, differ, first := want.DType.Size(), 0, -1
	for i := 0; i < len(want.Data); i += size {
		if !bytes.Equal(want.Data[i:i+size], got.Data[i:i+size]) {
			if first < 0 {
				first = i
			}
			differ++
		}
	}
	require.Failf(t, "bits differ", "%s: %d of %d elements, first at %d: want %x, got %x", context,
		differ, len(want.Data)/size, first/size, want.Data[first:first+size], got.Data[first:first+size])
}

// scanOps are the scans along an axis: every mode for float32, which has the others'
// code, else two of them. Each mode is a pipeline of its own, and compiling those is
// what these tests mostly do.
func scanOps(axis int, dtype tensor.DType) []tensor.Op {
	ops := []tensor.Op{tensor.CumSum{Axis: axis}, tensor.CumSum{Axis: axis, Exclusive: true, Reverse: true}}
	if dtype == tensor.F32 {
		ops = append(ops, tensor.CumSum{Axis: axis, Exclusive: true}, tensor.CumSum{Axis: axis, Reverse: true})
	}
	if dtype.IsFloat() {
		ops = append(ops, tensor.LogCumSumExp{Axis: axis})
	}
	return ops
}

type scanShape struct {
	shape tensor.Shape
	axis  int
}

// checkScans compares every mode of the scans along an axis with the twin, in place
// and not.
func checkScans(t *testing.T, r *rig, lim plan.Limits, s scanShape, dtype tensor.DType, strategies ...plan.Strategy) {
	rng := rand.New(rand.NewPCG(1, uint64(len(s.shape))))
	x := randomTensor(t, rng, tensor.Type{DType: dtype, Shape: s.shape})
	if dtype == tensor.F64 && !lim.Caps.Float64 {
		_, err := plan.New(tensor.CumSum{Axis: s.axis}, []tensor.Type{x.Type}, lim, plan.Auto)
		if len(x.Data) > 0 {
			require.ErrorIs(t, err, gpu.ErrUnsupported)
		}
		return
	}
	for _, op := range scanOps(s.axis, dtype) {
		want, err := cpuref.Run(op, x)
		require.NoError(t, err)
		for _, strategy := range strategies {
			for _, inPlace := range []bool{false, true} {
				name := fmt.Sprintf("%s %s %+v %s%s %s, in place %v", r.device.Info().Name, op.Name(), op, dtype, s.shape, strategy, inPlace)
				lim.InPlace = inPlace
				p, err := plan.New(op, []tensor.Type{x.Type}, lim, strategy)
				require.NoError(t, err, name)
				got, _ := r.run(t, p, inPlace, x)
				requireSame(t, want, got, name)
			}
		}
	}
}

// sizes lie on the boundaries of the carry tree.
var sizes = []int{1, 15, 16, 17, 255, 256, 257, 4095, 4096, 4097, 65535, 65536, 65537}

func TestScansMatchTwin(t *testing.T) {
	t.Parallel()
	for _, r := range rigs(t) {
		for _, dtype := range tensor.AllDTypes() {
			if testing.Short() && (dtype == tensor.U32 || dtype == tensor.U64 || dtype == tensor.BF16) {
				continue // the kernels of other types
			}
			shapes := []scanShape{{tensor.Shape{0}, 0}, {tensor.Shape{2, 4097}, 1}, {tensor.Shape{257, 3}, 0}}
			if dtype == tensor.F32 && !testing.Short() {
				shapes = append(shapes, scanShape{tensor.Shape{9000, 2}, 1})
				for _, n := range sizes {
					shapes = append(shapes, scanShape{tensor.Shape{n}, 0}, scanShape{tensor.Shape{n, 3}, 0}, scanShape{tensor.Shape{2, n}, 1})
				}
			}
			for _, s := range shapes {
				checkScans(t, r, r.limits, s, dtype, plan.Lane, plan.Workgroup, plan.LookBack)
			}
		}
	}
}

// Workgroups take several short lines, or the columns of whole outer indices; strips walk
// groups or tiles.
func TestSharedLinesAndStripsMatchTwin(t *testing.T) {
	t.Parallel()
	for _, r := range rigs(t) {
		for _, dtype := range []tensor.DType{tensor.F16, tensor.F32, tensor.I64} {
			if testing.Short() && dtype != tensor.F16 {
				continue
			}
			for _, s := range []scanShape{
				{tensor.Shape{300, 1}, 1}, {tensor.Shape{5, 256}, 1}, {tensor.Shape{33, 257}, 1}, {tensor.Shape{7, 2048}, 1},
				{tensor.Shape{40, 17, 3}, 1}, {tensor.Shape{3, 300, 13}, 1},
			} {
				checkScans(t, r, r.limits, s, dtype, plan.Workgroup)
			}
			for _, stretch := range []int64{256, 4096} {
				lim := r.limits
				lim.Stretch = stretch
				for _, s := range []scanShape{{tensor.Shape{255, 17}, 0}, {tensor.Shape{2, 513, 34}, 1}, {tensor.Shape{4097, 6}, 0}} {
					checkScans(t, r, lim, s, dtype, plan.Workgroup)
				}
			}
			checkScans(t, r, r.limits, scanShape{tensor.Shape{8193, 258}, 0}, dtype, plan.Workgroup) // three tiles a lane
		}
	}
}

// Columns come in blocks, whole or not, with vector loads or without.
func TestColumnsMatchTwin(t *testing.T) {
	t.Parallel()
	for _, r := range rigs(t) {
		for _, dtype := range []tensor.DType{tensor.F16, tensor.F32, tensor.I64} {
			if testing.Short() && dtype != tensor.I64 {
				continue
			}
			for _, s := range []scanShape{
				{tensor.Shape{33, 31}, 0}, {tensor.Shape{20, 512}, 0}, {tensor.Shape{2, 257, 1030}, 1}, {tensor.Shape{4100, 68}, 0},
				{tensor.Shape{130, 17, 66}, 1}, {tensor.Shape{9000, 130}, 0},
			} {
				checkScans(t, r, r.limits, s, dtype, plan.Lane)
			}
		}
	}
}

// A small range forces windows: of outer indices, of tiles, and strips of columns.
func TestScansInWindowsMatchTwin(t *testing.T) {
	t.Parallel()
	for _, r := range rigs(t) {
		lim := r.limits
		lim.MaxRange = 1 << 17
		for _, dtype := range []tensor.DType{tensor.F16, tensor.F32, tensor.I64} {
			if testing.Short() && dtype != tensor.F16 {
				continue
			}
			for _, s := range []scanShape{
				{tensor.Shape{301, 501}, 1}, {tensor.Shape{31, 17, 71}, 1}, // outer indices
				{tensor.Shape{3, 100001}, 1}, {tensor.Shape{100000}, 0}, {tensor.Shape{2, 20001, 3}, 1}, // tiles
				{tensor.Shape{2, 5001, 41}, 1}, {tensor.Shape{4099, 1001}, 0}, {tensor.Shape{70, 5001}, 0}, // strips
			} {
				checkScans(t, r, lim, s, dtype, plan.Lane)
				if dtype == tensor.F16 && s.shape[0] == 100000 {
					checkScans(t, r, lim, s, dtype, plan.LookBack)
				}
			}
		}
	}
}

// Few workgroups per dimension force folded grids and several dispatches.
func TestScansInSmallGridsMatchTwin(t *testing.T) {
	t.Parallel()
	for _, r := range rigs(t) {
		lim := r.limits
		lim.MaxGroups = 3
		for _, s := range []scanShape{{tensor.Shape{5000, 7}, 1}, {tensor.Shape{5000, 7}, 0}, {tensor.Shape{50, 5000}, 1}} {
			checkScans(t, r, lim, s, tensor.I32, plan.Lane, plan.Workgroup, plan.LookBack)
		}
	}
}

// Every size of workgroup gives the same bits.
func TestWorkgroupSizesMatchTwin(t *testing.T) {
	t.Parallel()
	for _, r := range rigs(t) {
		sizes := []uint32{1, 32, 128}
		if testing.Short() {
			sizes = sizes[1:2]
		}
		for _, size := range sizes {
			lim := r.limits
			lim.WorkgroupSize = size
			checkScans(t, r, lim, scanShape{tensor.Shape{5001}, 0}, tensor.F16, plan.Lane, plan.Workgroup, plan.LookBack)
			checkScans(t, r, lim, scanShape{tensor.Shape{300, 5}, 0}, tensor.I32, plan.Lane, plan.Workgroup)
		}
	}
}

// Long axes need three levels above the tiles; one lane walks several tiles where
// there are many lines.
func TestLongScansMatchTwin(t *testing.T) {
	if testing.Short() {
		t.Skip("large")
	}
	t.Parallel()
	for _, r := range rigs(t) {
		for _, s := range []scanShape{{tensor.Shape{1<<20 + 1}, 0}, {tensor.Shape{130, 12301}, 1}, {tensor.Shape{12301, 130}, 0}} {
			checkScans(t, r, r.limits, s, tensor.F32, plan.Lane)
		}
		checkScans(t, r, r.limits, scanShape{tensor.Shape{2, 1<<20 + 1}, 1}, tensor.I32, plan.LookBack)
		x := randomTensor(t, rand.New(rand.NewPCG(8, 9)), tensor.Type{DType: tensor.F32, Shape: tensor.Shape{1<<24 + 1}})
		op := tensor.CumSum{}
		p, err := plan.New(op, []tensor.Type{x.Type}, r.limits, plan.Lane)
		require.NoError(t, err)
		want, err := cpuref.Run(op, x)
		require.NoError(t, err)
		got, _ := r.run(t, p, false, x)
		requireSame(t, want, got, "2^24+1")
	}
}
