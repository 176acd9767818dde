package plan_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"vkops/cpuref"
	"vkops/gpu"
	"vkops/host/plan"
	"vkops/tensor"
)

var floats = []tensor.DType{tensor.F16, tensor.BF16, tensor.F32, tensor.F64}

// checkSoftmax compares LogSoftmax, and the losses of one axis, with the twin.
func checkSoftmax(t *testing.T, r *rig, lim plan.Limits, s scanShape, dtype tensor.DType, strategies ...plan.Strategy) {
	rng := rand.New(rand.NewPCG(5, uint64(len(s.shape))))
	x := randomTensor(t, rng, tensor.Type{DType: dtype, Shape: s.shape})
	op := tensor.LogSoftmax{Axis: s.axis}
	want, err := cpuref.Run(op, x)
	require.NoError(t, err)
	for _, strategy := range strategies {
		for _, inPlace := range []bool{false, true} {
			name := fmt.Sprintf("%s %+v %s %s, in place %v", r.device.Info().Name, op, x.Type, strategy, inPlace)
			lim.InPlace = inPlace
			p, err := plan.New(op, []tensor.Type{x.Type}, lim, strategy)
			if dtype == tensor.F64 && !lim.Caps.Float64 {
				require.ErrorIs(t, err, gpu.ErrUnsupported, name)
				return
			}
			require.NoError(t, err, name)
			got, _ := r.run(t, p, inPlace, x)
			requireSame(t, want, got, name)
		}
	}
}

func TestLogSoftmaxMatchesTwin(t *testing.T) {
	t.Parallel()
	for _, r := range rigs(t) {
		for _, dtype := range floats {
			shapes := []scanShape{{tensor.Shape{1}, 0}, {tensor.Shape{3, 17}, 1}, {tensor.Shape{2, 4097}, 1}, {tensor.Shape{257, 3}, 0}}
			if dtype == tensor.F32 || dtype == tensor.F16 && !testing.Short() {
				shapes = append(shapes, scanShape{tensor.Shape{300, 33}, 1}, scanShape{tensor.Shape{65537}, 0}, scanShape{tensor.Shape{4097, 5}, 0},
					scanShape{tensor.Shape{130, 8193}, 1}, scanShape{tensor.Shape{2, 4099, 1030}, 1})
			}
			if dtype == tensor.F32 && !testing.Short() {
				for _, n := range sizes {
					shapes = append(shapes, scanShape{tensor.Shape{2, n}, 1}, scanShape{tensor.Shape{n, 3}, 0})
				}
			}
			for _, s := range shapes {
				checkSoftmax(t, r, r.limits, s, dtype, plan.Lane, plan.Workgroup)
			}
		}
	}
}

// Windows of outer indices, of tiles, and strips of columns; small workgroups.
func TestLogSoftmaxInWindowsMatchesTwin(t *testing.T) {
	t.Parallel()
	for _, r := range rigs(t) {
		for i, dtype := range []tensor.DType{tensor.F32, tensor.F16} {
			lim := r.limits
			lim.MaxRange = 65536
			shapes := []scanShape{{tensor.Shape{70, 501}, 1}, {tensor.Shape{3, 40001}, 1}, {tensor.Shape{9001, 3}, 0}, {tensor.Shape{5000, 37}, 0}}
			for _, s := range shapes[i:] {
				checkSoftmax(t, r, lim, s, dtype, plan.Lane, plan.Workgroup)
			}
			lim = r.limits
			lim.WorkgroupSize = 16
			checkSoftmax(t, r, lim, scanShape{tensor.Shape{3, 8195}, 1}, dtype, plan.Lane, plan.Workgroup)
		}
	}
}

func (c nllCase) crossEntropy() tensor.SoftmaxCrossEntropyLoss {
	return tensor.SoftmaxCrossEntropyLoss(c.op)
}

func (c nllCase) checkCrossEntropy(t *testing.T, r *rig, lim plan.Limits, strategy plan.Strategy) {
	op := c.crossEntropy()
	name := fmt.Sprintf("%s %+v %s", r.device.Info().Name, c, strategy)
	inputs := c.inputs(t, rand.New(rand.NewPCG(2, uint64(c.n*c.d))))
	want, err := cpuref.Run(op, inputs...)
	require.NoError(t, err, name)
	p, err := plan.New(op, typesOf(inputs), lim, strategy)
	if c.dtype == tensor.F64 && !lim.Caps.Float64 && c.n > 0 {
		require.ErrorIs(t, err, gpu.ErrUnsupported, name)
		return
	}
	require.NoError(t, err, name)
	got, status := r.run(t, p, false, inputs...)
	requireSame(t, want, got, name)
	if len(status) > 0 {
		assert.Zero(t, status[0], name)
	}
}

func crossEntropyCases(shapes [][3]int) []nllCase {
	var all []nllCase
	for i, s := range shapes {
		for k, dtype := range floats {
			reduction := tensor.Reduction((i + k) % 3)
			ignored := []*int64{nil, ptr(-100), ptr(0)}[(i+k/2)%3]
			all = append(all, nllCase{s[0], s[1], s[2], dtype, k%2 == 0, i%2 == 0, tensor.NLL{Reduction: reduction, IgnoreIndex: ignored}})
		}
	}
	return all
}

func TestCrossEntropyMatchesTwin(t *testing.T) {
	t.Parallel()
	shapes := [][3]int{{0, 3, 2}, {1, 1, 1}, {33, 5, 1}, {15, 2, 3}, {2, 7, 4097}, {150, 4099, 1}, {4097, 3, 1}, {3, 70001, 1}, {2, 4097, 5}}
	if testing.Short() {
		shapes = shapes[:6]
	}
	for _, r := range rigs(t) {
		for _, c := range crossEntropyCases(shapes) {
			for _, strategy := range []plan.Strategy{plan.Lane, plan.Workgroup} {
				c.checkCrossEntropy(t, r, r.limits, strategy)
			}
		}
	}
}

func TestCrossEntropyInWindowsMatchesTwin(t *testing.T) {
	t.Parallel()
	for _, r := range rigs(t) {
		lim := r.limits
		lim.MaxRange = 65536
		for _, c := range crossEntropyCases([][3]int{{1000, 51, 3}, {3, 40001, 1}, {1, 8000, 5}, {20001, 5, 1}, {2, 5000, 37}}) {
			c.checkCrossEntropy(t, r, lim, plan.Lane)
		}
	}
}

// Jobs that are cut to several dispatches, also where these overwrite their input.
func TestSoftmaxAndLossesInSmallGridsMatchTwin(t *testing.T) {
	t.Parallel()
	for _, r := range rigs(t) {
		lim := r.limits
		lim.MaxGroups = 2
		for _, strategy := range []plan.Strategy{plan.Lane, plan.Workgroup} {
			for _, s := range []scanShape{{tensor.Shape{5000, 7}, 1}, {tensor.Shape{3, 9001}, 1}, {tensor.Shape{300, 77}, 0}} {
				checkSoftmax(t, r, lim, s, tensor.F16, strategy)
			}
			for _, c := range crossEntropyCases([][3]int{{2, 7, 4097}}) {
				c.checkCrossEntropy(t, r, lim, strategy)
			}
			for _, c := range nllCases([][3]int{{2, 7, 4097}})[:6] {
				c.check(t, r, lim, strategy)
			}
		}
	}
}

func TestCrossEntropyReportsFirstBadLabel(t *testing.T) {
	t.Parallel()
	for _, r := range rigs(t) {
		for _, value := range []int64{3, -1, 1 << 40, -1 << 63} {
			c := nllCase{20001, 3, 1, tensor.F32, true, false, tensor.NLL{IgnoreIndex: ptr(-7)}}
			inputs := c.inputs(t, rand.New(rand.NewPCG(3, 4)))
			labels, err := tensor.Values[int64](inputs[1])
			require.NoError(t, err)
			labels[20000], labels[12345] = 99, value
			p, err := plan.New(c.crossEntropy(), typesOf(inputs), r.limits, plan.Auto)
			require.NoError(t, err)
			_, status := r.run(t, p, false, inputs...)
			assert.Equal(t, []uint32{1, 12345, 0, uint32(value), uint32(value >> 32)}, status[:5])
		}
	}
}
