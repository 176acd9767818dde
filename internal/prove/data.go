package prove

import (
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/x448/float16"

	"vkops/tensor"
)

// Data is a kind of input that strains an operator.
type Data struct {
	Name string
	Fill func(r *rand.Rand, n int) []float64
}

func series(f func(r *rand.Rand, i, n int) float64) func(*rand.Rand, int) []float64 {
	return func(r *rand.Rand, n int) []float64 {
		x := make([]float64, n)
		for i := range x {
			x[i] = f(r, i, n)
		}
		return x
	}
}

// Log1pInputs are n arguments: near 0, near -1, around powers of two and around the
// roots of 2 where the reduction changes, between -1 and 1, and anywhere.
func Log1pInputs(r *rand.Rand, n int) []float64 {
	x := make([]float64, n)
	for i := range x {
		small := math.Ldexp(1+r.Float64(), -r.IntN(60)) * float64(1-2*r.IntN(2)) // up to 2
		switch i % 7 {
		case 0:
			x[i] = small / 4
		case 1:
			x[i] = -1 + math.Abs(small)/4
		case 2:
			x[i] = math.Ldexp(1+small/64, r.IntN(300)-150)
		case 3:
			x[i] = math.Ldexp(1+small/64, r.IntN(80)-20) - 1
		case 4:
			x[i] = math.Ldexp(math.Sqrt2, r.IntN(5)-2)*(1+small/64) - 1
		case 5:
			x[i] = r.Float64()*2 - 1
		default:
			x[i] = math.Ldexp(r.Float64(), r.IntN(2000)-1000)
		}
	}
	return x
}

// Sums strain CumSum.
func Sums() []Data {
	return []Data{
		{"uniform", series(func(r *rand.Rand, _, _ int) float64 { return r.Float64() })},
		{"normal", series(func(r *rand.Rand, _, _ int) float64 { return r.NormFloat64() })},
		{"constant", series(func(*rand.Rand, int, int) float64 { return 0.0090909 })},
		{"ones", series(func(*rand.Rand, int, int) float64 { return 1 })},
		{"large", series(func(r *rand.Rand, _, _ int) float64 { return 1e10 * r.NormFloat64() })},
		{"pi", series(func(_ *rand.Rand, i, _ int) float64 { return math.Mod(float64(i)*math.Pi, 1) })},
		{"cancelling", series(func(r *rand.Rand, i, _ int) float64 {
			return math.Ldexp(1+r.Float64(), (i/2*7919)%40-20) * float64(1-2*(i%2))
		})},
		{"growing", series(func(r *rand.Rand, i, n int) float64 { return math.Ldexp(r.Float64()-0.3, i*60/n-30) })},
		{"specials", series(special)},
	}
}

// special is a random number, rarely an infinity, NaN, or the float32 type's largest.
func special(r *rand.Rand, i, n int) float64 {
	if i > n/2 && r.IntN(1+n/16) == 0 {
		return []float64{math.Inf(1), math.Inf(-1), math.NaN(), 0, math.Copysign(0, -1), math.MaxFloat32}[r.IntN(6)]
	}
	return r.NormFloat64()
}

// Logs strain LogCumSumExp.
func Logs() []Data {
	constant := func(c float64) func(*rand.Rand, int) []float64 {
		return series(func(*rand.Rand, int, int) float64 { return c })
	}
	all := []Data{
		{"normal", series(func(r *rand.Rand, _, _ int) float64 { return r.NormFloat64() })},
		{"wide", series(func(r *rand.Rand, _, _ int) float64 { return 100 * r.NormFloat64() })},
		{"equal log-probabilities", series(func(_ *rand.Rand, _, n int) float64 { return -math.Log(float64(n)) })},
		{"geometric log-probabilities", series(func(_ *rand.Rand, i, _ int) float64 { return -float64(i+1) * math.Ln2 })},
		{"random log-probabilities", logProbabilities},
		{"-inf and 1", series(func(_ *rand.Rand, i, _ int) float64 { return []float64{math.Inf(-1), 1}[i%7/6] })},
		{"alternating", series(func(_ *rand.Rand, i, _ int) float64 { return float64(1-2*(i%2)) * 50 })},
		{"specials", series(special)},
	}
	for _, slope := range []float64{1e-6, 1e-3, 0.1, 0.7, 20, 1e3} {
		all = append(all,
			Data{fmt.Sprint("ramp up ", slope), series(func(_ *rand.Rand, i, n int) float64 { return slope * float64(i-n/2) })},
			Data{fmt.Sprint("ramp down ", slope), series(func(_ *rand.Rand, i, n int) float64 { return slope * float64(n/2-i) })})
	}
	for _, c := range []float64{0, 0.3, -0.7, 88, -103, 1e4, -1e5, 3e6, 2.6e8, 2.7e8, -2.7e8, 1e10, 1e16, 1.4e17, 1.5e17, -1e30, 3e38} {
		all = append(all,
			Data{fmt.Sprint("constant ", c), constant(c)},
			Data{fmt.Sprint("around ", c), series(func(r *rand.Rand, _, _ int) float64 { return c * (1 + 1e-6*r.NormFloat64()) })})
	}
	return all
}

// AlikeTerms are lines of 16 that strain LogSoftmax where its result is near 0: beside
// the largest, 0, the others of a line are all the same, a little above a multiple of
// -ln(2). So each exponential is a little above a power of two, where its rounding error
// is largest, all errors are the same, and the sum of the terms is a little below a
// power of two, where its last place is smallest.
func AlikeTerms(r *rand.Rand, lines int) []float64 {
	x := make([]float64, 16*lines)
	for line := range lines {
		far := -float64(5+line%12)*math.Ln2 + 0.06*r.Float64()
		for i := range 15 {
			x[16*line+1+i] = far
		}
	}
	return x
}

// logProbabilities are logarithms of probabilities that add up to 1.
func logProbabilities(r *rand.Rand, n int) []float64 {
	x := make([]float64, n)
	total := 0.0
	for i := range x {
		x[i] = 3 * r.NormFloat64()
		total += math.Exp(x[i])
	}
	for i := range x {
		x[i] -= math.Log(total)
	}
	return x
}

// Dense rounds values to a type of floats.
func Dense(d tensor.DType, values []float64, shape ...int) (tensor.Dense, error) {
	if shape == nil {
		shape = []int{len(values)}
	}
	switch d {
	case tensor.F16:
		return tensor.Of(convert(values, func(v float64) float16.Float16 { return float16.Fromfloat32(float32(v)) }), shape...)
	case tensor.BF16:
		return tensor.Of(convert(values, func(v float64) tensor.BFloat16 { return tensor.BFloat16FromFloat32(float32(v)) }), shape...)
	case tensor.F32:
		return tensor.Of(convert(values, func(v float64) float32 { return float32(v) }), shape...)
	case tensor.F64:
		return tensor.Of(values, shape...)
	}
	return tensor.Dense{}, fmt.Errorf("%w: %s", tensor.ErrType, d)
}

func convert[T any](values []float64, to func(float64) T) []T {
	out := make([]T, len(values))
	for i, v := range values {
		out[i] = to(v)
	}
	return out
}
