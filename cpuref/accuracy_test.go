package cpuref

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/x448/float16"

	"vkops/internal/oracle"
	"vkops/tensor"
)

// requireWithin runs op and demands the promised error bound.
func requireWithin(t *testing.T, name string, op tensor.Op, inputs ...tensor.Dense) oracle.Report {
	t.Helper()
	got, err := Run(op, inputs...)
	require.NoError(t, err)
	r, err := oracle.Check(op, got, inputs...)
	require.NoError(t, err)
	require.True(t, r.Within, "%s %s %s: element %d is %v, want %v (%.3f)", op.Name(), inputs[0].Type, name, r.Worst, r.Got, r.Want, r.MaxULP)
	return r
}

// dense converts float64 values to a tensor of a type.
func dense(d tensor.DType, values []float64, shape ...int) tensor.Dense {
	t := tensor.Type{DType: d, Shape: shape}
	if shape == nil {
		t.Shape = tensor.Shape{len(values)}
	}
	out, err := tensor.NewDense(t)
	if err != nil {
		panic(err)
	}
	for i, v := range values {
		switch d {
		case tensor.F16:
			tensor.ValuesOf[float16.Float16](out.Data)[i] = halfFromFloat32(float32(v))
		case tensor.BF16:
			tensor.ValuesOf[tensor.BFloat16](out.Data)[i] = tensor.BFloat16FromFloat32(float32(v))
		case tensor.F32:
			tensor.ValuesOf[float32](out.Data)[i] = float32(v)
		case tensor.F64:
			tensor.ValuesOf[float64](out.Data)[i] = v
		}
	}
	return out
}

var floatTypes = []tensor.DType{tensor.F16, tensor.BF16, tensor.F32, tensor.F64}

// series fills n values from their index.
func series(n int, f func(i int) float64) []float64 {
	x := make([]float64, n)
	for i := range x {
		x[i] = f(i)
	}
	return x
}

// sumData are kinds of input that strain sums.
func sumData(r *rand.Rand, n int) map[string][]float64 {
	return map[string][]float64{
		"uniform":  series(n, func(int) float64 { return r.Float64() }),
		"normal":   series(n, func(int) float64 { return r.NormFloat64() }),
		"constant": series(n, func(int) float64 { return 0.0090909 }),
		"ones":     series(n, func(int) float64 { return 1 }),
		"large":    series(n, func(int) float64 { return 1e10 * r.NormFloat64() }),
		"pi":       series(n, func(i int) float64 { return math.Mod(float64(i)*math.Pi, 1) }),
		"cancelling": series(n, func(i int) float64 {
			return math.Ldexp(1+r.Float64(), (i/2*7919)%40-20) * float64(1-2*(i%2))
		}),
		"growing": series(n, func(i int) float64 { return math.Ldexp(r.Float64()-0.3, i*60/n-30) }),
	}
}

func TestCumSumIsAccurate(t *testing.T) {
	r := newRandom(t)
	n := 1 << 18
	if testing.Short() {
		n = 1 << 14
	}
	for _, d := range floatTypes {
		worst := 0.0
		for name, x := range sumData(r, n) {
			for mode := range 4 {
				report := requireWithin(t, name, tensor.CumSum{Exclusive: mode&1 != 0, Reverse: mode&2 != 0}, dense(d, x))
				worst = max(worst, report.MaxULP)
			}
		}
		t.Logf("%s: at most %.4f ULP", d, worst)
	}
}

// logData are kinds of input that strain logarithms of sums of exponentials.
func logData(r *rand.Rand, n int) map[string][]float64 {
	data := map[string][]float64{
		"normal":         series(n, func(int) float64 { return r.NormFloat64() }),
		"wide":           series(n, func(int) float64 { return 100 * r.NormFloat64() }),
		"zeros":          series(n, func(int) float64 { return 0 }),
		"probabilities":  series(n, func(int) float64 { return -math.Log(float64(n)) }),
		"geometric":      series(n, func(i int) float64 { return -float64(i+1) * math.Ln2 }),
		"infinities":     series(n, func(i int) float64 { return []float64{math.Inf(-1), 1}[i%7/6] }),
		"alternating":    series(n, func(i int) float64 { return float64(1-2*(i%2)) * 50 }),
		"random softmax": softmax(r, n),
	}
	for _, slope := range []float64{1e-6, 1e-3, 0.1, 0.7, 20} {
		data[fmt.Sprint("ramp up ", slope)] = series(n, func(i int) float64 { return slope * float64(i-n/2) })
		data[fmt.Sprint("ramp down ", slope)] = series(n, func(i int) float64 { return slope * float64(n/2-i) })
	}
	for _, c := range []float64{0.3, -0.7, 88, -103, 1e4, -1e5, 3e6, 2.6e8, 2.7e8, -2.7e8, 1e10, 1e16, 1.4e17, 1.5e17, -1e30, 3e38} {
		data[fmt.Sprint("constant ", c)] = series(n, func(int) float64 { return c })
		data[fmt.Sprint("around ", c)] = series(n, func(int) float64 { return c * (1 + 1e-6*r.NormFloat64()) })
	}
	return data
}

// softmax are log-probabilities that add up to 1.
func softmax(r *rand.Rand, n int) []float64 {
	x := series(n, func(int) float64 { return 3 * r.NormFloat64() })
	total := 0.0
	for _, v := range x {
		total += math.Exp(v)
	}
	return series(n, func(i int) float64 { return x[i] - math.Log(total) })
}

func TestLogCumSumExpIsAccurate(t *testing.T) {
	r := newRandom(t)
	n := 1 << 15
	if testing.Short() {
		n = 1 << 12
	}
	for _, d := range floatTypes {
		worst, where := 0.0, ""
		for name, x := range logData(r, n) {
			if d == tensor.F64 && !testing.Short() {
				x = x[:min(len(x), 1<<13)]
			}
			report := requireWithin(t, name, tensor.LogCumSumExp{}, dense(d, x))
			if report.MaxULP > worst {
				worst, where = report.MaxULP, name
			}
		}
		t.Logf("%s: at most %.4f ULP of max(|y|, 1), %s", d, worst, where)
	}
}
