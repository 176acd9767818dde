package cpuref

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"vkops/internal/prove"
	"vkops/tensor"
)

var inf, nan = math.Inf(1), math.NaN()

func TestLogSoftmaxAtTheEdges(t *testing.T) {
	for _, c := range []struct{ x, want []float64 }{
		{[]float64{5}, []float64{0}},
		{[]float64{-1e30}, []float64{0}},
		{[]float64{0, 0}, []float64{-math.Ln2, -math.Ln2}},
		{[]float64{1e30, 1e30}, []float64{-math.Ln2, -math.Ln2}},
		{[]float64{-inf, 3, -inf}, []float64{-inf, 0, -inf}},
		{[]float64{-inf, -inf}, []float64{nan, nan}},
		{[]float64{-inf, 1, inf, -2}, []float64{-inf, -inf, nan, -inf}},
		{[]float64{inf, inf}, []float64{nan, nan}},
		{[]float64{1, nan, -inf}, []float64{nan, nan, nan}},
		{[]float64{20, 0}, []float64{-math.Exp(-20), -20}}, // the rest of 1 is not lost
		{[]float64{3e38, -3e38}, []float64{0, -inf}},
	} {
		for _, d := range []tensor.DType{tensor.F32, tensor.BF16} {
			y, err := Run(tensor.LogSoftmax{}, dense(d, c.x))
			require.NoError(t, err)
			require.Equal(t, dense(d, c.want).Data, y.Data, "%s %v", d, c.x)
		}
	}
}

// softmaxData are kinds of logits, of which each line has some.
func softmaxData(r *rand.Rand, n int) map[string][]float64 {
	data := logData(r, n)
	data["one stands out"] = series(n, func(i int) float64 { return []float64{0, 17 + r.Float64()}[(i+1)%n%100/99] })
	data["alike and far"] = series(n, func(i int) float64 { return []float64{-9.87654, 0}[i/(n-1)] })
	data["just below"] = series(n, func(i int) float64 { return -1e-3 * float64(i) })
	return data
}

func TestLogSoftmaxIsAccurate(t *testing.T) {
	r := newRandom(t)
	for _, d := range floatTypes {
		worst, where := 0.0, ""
		for _, n := range []int{2, 17, 300, 1 << 13} {
			for name, x := range softmaxData(r, n) {
				report := requireWithin(t, name, tensor.LogSoftmax{}, dense(d, x))
				if report.MaxULP > worst {
					worst, where = report.MaxULP, fmt.Sprint(name, ", ", n)
				}
			}
		}
		t.Logf("%s: at most %.4f ULP of max(|y|, 2^-50), %s", d, worst, where)
	}
}

// A log-probability near 0 is as precise as the small terms that it comes from. Without
// the rests of the exponentials the error here is above 1 unit.
func TestLogSoftmaxKeepsTheRestsOfTerms(t *testing.T) {
	r := newRandom(t)
	const lines = 4096
	for _, d := range []tensor.DType{tensor.F32, tensor.F64} {
		report := requireWithin(t, "terms alike", tensor.LogSoftmax{Axis: 1}, dense(d, prove.AlikeTerms(r, lines), lines, 16))
		t.Logf("%s: at most %.4f ULP", d, report.MaxULP)
	}
}

// Every way to share the work gives the same bits.
func TestLogSoftmaxOfLines(t *testing.T) {
	r := newRandom(t)
	for _, n := range []int64{1, 15, 16, 17, 255, 257, 4095, 4097, 5*tileSize + 3} {
		for _, v := range []tensor.View{{Outer: 1, N: n, Inner: 1}, {Outer: 3, N: n, Inner: 1}, {Outer: 2, N: n, Inner: 19}} {
			x := make([]float32, v.Elements())
			for i := range x {
				x[i] = 8 * float32(r.NormFloat64())
			}
			y := make([]float32, len(x))
			LogSoftmax(y, x, v)
			for line := range v.Lines() {
				at := func(i int64) int64 { return (line/v.Inner*n+i)*v.Inner + line%v.Inner }
				alone, got := make([]float32, n), make([]float32, n)
				for i := range n {
					alone[i], got[i] = x[at(i)], y[at(i)]
				}
				s := newSoftmax(alone, tensor.View{Outer: 1, N: n, Inner: 1}, copyRun[float32])
				state := s.longLines(0, 1)[0]
				for i, x := range alone {
					alone[i] = state.logProbability(x, false)
				}
				requireSameBits(t, alone, got, "line %d of %v", line, v)
			}
			LogSoftmax(x, x, v)
			requireSameBits(t, y, x, "in place, %v", v)
		}
	}
}

// The law of bits: the loss is NLL's of the LogSoftmax.
func TestCrossEntropyIsNLLOfLogSoftmax(t *testing.T) {
	r := newRandom(t)
	ignored := int64(1)
	for _, shape := range []tensor.Shape{{1, 1}, {17, 5}, {300, 33}, {2, 7, 129}, {3, 4097, 2}, {0, 3}, {2, 3, 0}} {
		v := tensor.LogSoftmax{Axis: 1}
		n := shape[0]
		labelShape := tensor.Shape{n}
		if len(shape) == 3 {
			labelShape = tensor.Shape{n, shape[2]}
		}
		elements, _ := shape.Elements()
		samples, _ := labelShape.Elements()
		for _, d := range []tensor.DType{tensor.F16, tensor.F32, tensor.F64} {
			scores := dense(d, series(int(elements), func(int) float64 { return 4 * r.NormFloat64() }))
			scores.Shape = shape
			labels := make([]int32, samples)
			for i := range labels {
				labels[i] = int32(r.IntN(shape[1]))
			}
			target, err := tensor.Of(labels, labelShape...)
			require.NoError(t, err)
			weight := dense(d, series(shape[1], func(int) float64 { return r.Float64() }))
			logs, err := Run(v, scores)
			require.NoError(t, err)
			for k := range 6 {
				op := tensor.SoftmaxCrossEntropyLoss{Reduction: tensor.Reduction(k % 3), IgnoreIndex: []*int64{nil, &ignored}[k%2]}
				weights := []tensor.Dense{weight}[:k/3]
				want, err := Run(op.NLL(), append([]tensor.Dense{logs, target}, weights...)...)
				require.NoError(t, err)
				got, err := Run(op, append([]tensor.Dense{scores, target}, weights...)...)
				require.NoError(t, err)
				require.Equal(t, want.Data, got.Data, "%s %v %+v", d, shape, op)
			}
		}
	}
}

func TestCrossEntropyOfBFloat16(t *testing.T) {
	r := newRandom(t)
	const samples, classes = 100, 10
	scores := dense(tensor.BF16, series(samples*classes, func(int) float64 { return 4 * r.NormFloat64() }))
	scores.Shape = tensor.Shape{samples, classes}
	labels := make([]int64, samples)
	for i := range labels {
		labels[i] = int64(r.IntN(classes))
	}
	target, err := tensor.Of(labels, samples)
	require.NoError(t, err)
	logs, err := Run(tensor.LogSoftmax{Axis: 1}, scores)
	require.NoError(t, err)
	losses, err := Run(tensor.SoftmaxCrossEntropyLoss{Reduction: tensor.None}, scores, target)
	require.NoError(t, err)
	sum := pairIdentity[float32]()
	for i, loss := range tensor.ValuesOf[tensor.BFloat16](losses.Data) {
		y := tensor.ValuesOf[tensor.BFloat16](logs.Data)[i*classes+int(labels[i])]
		require.Equal(t, -y.Float32(), loss.Float32())
		sum = sum.take(loss.Float32())
	}
	total, err := Run(tensor.SoftmaxCrossEntropyLoss{Reduction: tensor.Sum}, scores, target)
	require.NoError(t, err)
	require.Equal(t, tensor.BFloat16FromFloat32(sum.value()), tensor.ValuesOf[tensor.BFloat16](total.Data)[0])
}

func TestCrossEntropyIgnores(t *testing.T) {
	ignored := int64(7)
	scores := dense(tensor.F32, []float64{0, 0, nan, inf, 1, nan})
	scores.Shape = tensor.Shape{3, 2}
	labels, err := tensor.Of([]int64{1, 7, 7}, 3)
	require.NoError(t, err)
	losses, err := Run(tensor.SoftmaxCrossEntropyLoss{Reduction: tensor.None, IgnoreIndex: &ignored}, scores, labels)
	require.NoError(t, err)
	requireSameBits(t, []float32{math.Ln2, 0, 0}, tensor.ValuesOf[float32](losses.Data), "losses")
	mean, err := Run(tensor.SoftmaxCrossEntropyLoss{IgnoreIndex: &ignored}, scores, labels)
	require.NoError(t, err)
	requireSameBits(t, []float32{math.Ln2}, tensor.ValuesOf[float32](mean.Data), "mean")
	_, err = Run(tensor.SoftmaxCrossEntropyLoss{}, scores, labels)
	require.ErrorIs(t, err, tensor.ErrTarget)
	require.EqualError(t, err, "crossentropy: labels[1] = 7 is outside [0, 2) and is not ignore_index")
}
