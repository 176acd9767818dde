package cpuref

import (
	"math"
	"math/big"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/x448/float16"

	"vkops/tensor"
)

// nll runs the operator on an input [N, C, D] with int64 targets.
func nll[T tensor.Float](t *testing.T, op tensor.NLL, v tensor.NLLView, input []T, target []int64, weight []T) ([]T, error) {
	t.Helper()
	n, c, d := int(v.N), int(v.C), int(v.D)
	x, err := tensor.Of(input, n, c, d)
	require.NoError(t, err)
	labels, err := tensor.Of(target, n, d)
	require.NoError(t, err)
	inputs := []tensor.Dense{x, labels}
	if weight != nil {
		w, err := tensor.Of(weight, c)
		require.NoError(t, err)
		inputs = append(inputs, w)
	}
	out, err := Run(op, inputs...)
	if err != nil {
		return nil, err
	}
	return tensor.ValuesOf[T](out.Data), nil
}

func ignore(i int64) *int64 { return &i }

// oneRow has a row of C values for each target.
func oneRow(n, c int) tensor.NLLView { return tensor.NLLView{N: int64(n), C: int64(c), D: 1} }

func TestNLLExamples(t *testing.T) {
	v := tensor.NLLView{N: 2, C: 3, D: 2}
	input := []float32{1, 2, 2, 2, 3, 2, 0, 1, 2, 2, 1, 2}
	target := []int64{2, 1, 0, 2}
	weight := []float32{0.2, 0.3, 0.1}
	losses, err := nll(t, tensor.NLL{Reduction: tensor.None}, v, input, target, nil)
	require.NoError(t, err)
	require.Equal(t, []float32{-3, -2, float32(math.Copysign(0, -1)), -2}, losses)
	sum, err := nll(t, tensor.NLL{Reduction: tensor.Sum}, v, input, target, weight)
	require.NoError(t, err)
	require.InDelta(t, -1.1, float64(sum[0]), 1e-6)
	mean, err := nll(t, tensor.NLL{}, v, input, target, weight)
	require.NoError(t, err)
	require.InDelta(t, -1.5714, float64(mean[0]), 1e-4)
}

func TestNLLIgnores(t *testing.T) {
	nan := float32(math.NaN())
	input := []float32{-1, -2, nan, nan, -5, -6, nan, nan}
	target := []int64{0, 1, 1, -1}
	for _, index := range []int64{1, -1, 255, math.MinInt64} {
		labels := []int64{0, index, 1, index}
		if index == 1 {
			labels[2] = 0
		}
		op := tensor.NLL{Reduction: tensor.None, IgnoreIndex: ignore(index)}
		losses, err := nll(t, op, oneRow(4, 2), input, labels, nil)
		require.NoError(t, err)
		second := -input[4+labels[2]]
		requireSameBits(t, []float32{1, 0, second, 0}, losses, "ignore_index %d", index)
		op.Reduction = tensor.Mean
		mean, err := nll(t, op, oneRow(4, 2), input, labels, nil)
		require.NoError(t, err)
		require.Equal(t, (1+second)/2, mean[0])
	}
	_, err := nll(t, tensor.NLL{}, oneRow(4, 2), input, target, nil)
	require.ErrorIs(t, err, tensor.ErrTarget)
	require.EqualError(t, err, "nll: target[3] = -1 is outside [0, 2) and is not ignore_index")

	all := tensor.NLL{IgnoreIndex: ignore(-100)}
	none := []int64{-100, -100, -100, -100}
	for reduction, want := range map[tensor.Reduction][]float32{
		tensor.Mean: {canonicalNaN[float32]()}, tensor.Sum: {0}, tensor.None: {0, 0, 0, 0},
	} {
		all.Reduction = reduction
		got, err := nll(t, all, oneRow(4, 2), input, none, nil)
		require.NoError(t, err)
		requireSameBits(t, want, got, "all ignored, %s", reduction)
	}
}

func TestNLLNamesTheFirstBadTarget(t *testing.T) {
	const n = 200000
	target := make([]int64, n)
	input := make([]float32, 2*n)
	target[190001], target[130007], target[150000] = 5, -31, 2
	for _, reduction := range []tensor.Reduction{tensor.Mean, tensor.Sum, tensor.None} {
		dst := []float32{7}
		if reduction == tensor.None {
			dst = make([]float32, n)
			dst[0] = 7
		}
		err := NLL(dst, input, target, nil, oneRow(n, 2), tensor.NLL{Reduction: reduction})
		require.EqualError(t, err, "nll: target[130007] = -31 is outside [0, 2) and is not ignore_index")
		require.Equal(t, float32(7), dst[0], "untouched")
	}
}

func TestNLLWeights(t *testing.T) {
	inf := float32(math.Inf(1))
	for _, c := range []struct {
		input  []float32
		target []int64
		weight []float32
		mean   float32
	}{
		{[]float32{-0.0141, -4.2669}, []int64{0}, []float32{2, 3}, 0.0141},
		{[]float32{-1, -2, -1, -2}, []int64{0, 1}, []float32{1, -3}, 2.5},
		{[]float32{-1, -2}, []int64{1}, []float32{1, 0}, canonicalNaN[float32]()},
		{[]float32{-1, -2}, []int64{0}, []float32{inf, 0}, canonicalNaN[float32]()},
		{[]float32{-1, -2, -3, 4}, []int64{0, 1}, []float32{1, -1}, inf},
	} {
		mean, err := nll(t, tensor.NLL{}, oneRow(len(c.target), 2), c.input, c.target, c.weight)
		require.NoError(t, err)
		requireSameBits(t, []float32{c.mean}, mean, "%v weights %v", c.input, c.weight)
	}
}

func TestNLLHalfSumsAreWide(t *testing.T) {
	const n = 131072
	input := make([]float16.Float16, n)
	for i := range input {
		input[i] = float16.Fromfloat32(-0.5)
	}
	v := tensor.NLLView{N: 1, C: 1, D: n}
	mean, err := nll(t, tensor.NLL{}, v, input, make([]int64, n), nil)
	require.NoError(t, err)
	require.Equal(t, float16.Fromfloat32(0.5), mean[0])
	sum, err := nll(t, tensor.NLL{Reduction: tensor.Sum}, v, input, make([]int64, n), nil)
	require.NoError(t, err)
	require.Equal(t, float16.Inf(1), sum[0])
}

func TestNLLEmpty(t *testing.T) {
	for _, v := range []tensor.NLLView{{N: 0, C: 3, D: 7}, {N: 2, C: 3, D: 0}, {N: 0, C: 0, D: 0}} {
		for reduction, want := range map[tensor.Reduction][]float32{tensor.Mean: {canonicalNaN[float32]()}, tensor.Sum: {0}, tensor.None: nil} {
			got, err := nll(t, tensor.NLL{Reduction: reduction}, v, []float32{}, []int64{}, nil)
			require.NoError(t, err)
			requireSameBits(t, want, got, "%+v %s", v, reduction)
		}
	}
}

func TestNLLIsAccurate(t *testing.T) {
	r := newRandom(t)
	for _, d := range []tensor.DType{tensor.F16, tensor.F32, tensor.F64} {
		worst := 0.0
		for _, v := range []tensor.NLLView{{N: 1, C: 2, D: 1}, {N: 17, C: 3, D: 15}, {N: 257, C: 5, D: 16}, {N: 4097, C: 3, D: 1}, {N: 3, C: 2, D: 40000}} {
			input := dense(d, series(int(v.N*v.C*v.D), func(int) float64 { return -math.Abs(5 * r.NormFloat64()) }), int(v.N), int(v.C), int(v.D))
			signed := dense(d, series(int(v.N*v.C*v.D), func(int) float64 { return math.Ldexp(r.NormFloat64(), r.IntN(12)) }), int(v.N), int(v.C), int(v.D))
			labels := make([]int32, v.Samples())
			for i := range labels {
				labels[i] = r.Int32N(int32(v.C))
			}
			target, err := tensor.Of(labels, int(v.N), int(v.D))
			require.NoError(t, err)
			weight := dense(d, series(int(v.C), func(int) float64 { return r.Float64() + 0.1 }))
			for _, reduction := range []tensor.Reduction{tensor.Mean, tensor.Sum, tensor.None} {
				for _, x := range []tensor.Dense{input, signed} {
					op := tensor.NLL{Reduction: reduction, IgnoreIndex: ignore(1)}
					worst = max(worst, requireWithin(t, reduction.String(), op, x, target).MaxULP)
					worst = max(worst, requireWithin(t, reduction.String(), op, x, target, weight).MaxULP)
				}
			}
		}
		t.Logf("%s: at most %.4f ULP", d, worst)
	}
}

func exact[T real](p pair[T]) *big.Rat {
	hi := new(big.Rat).SetFloat64(float64(p.hi))
	return hi.Add(hi, new(big.Rat).SetFloat64(float64(p.lo)))
}

func TestQuotientIsRoundedOnce(t *testing.T) {
	r := newRandom(t)
	part := func(i int) float64 {
		if i%3 == 0 {
			return float64(1+r.IntN(64)) * float64(1-2*r.IntN(2)) // exact quotients and ties
		}
		return math.Ldexp(1+r.Float64(), r.IntN(80)-40) * float64(1-2*r.IntN(2))
	}
	rounds := 100000
	if testing.Short() {
		rounds = 10000
	}
	for i := range rounds {
		a, b := part(i), part(i/3)
		low := func(x float64) float64 { return x * math.Ldexp(r.Float64()-0.5, -20-r.IntN(30)) }
		if i%2 == 0 {
			low = func(float64) float64 { return 0 }
		}
		n, d := pair[float32]{float32(a), float32(low(a))}, pair[float32]{float32(b), float32(low(b))}
		want, _ := new(big.Rat).Quo(exact(n), exact(d)).Float32()
		require.Equal(t, want, pairQuotient(n, d, false), "%v / %v", n, d)
		wn, wd := pair[float64]{a, low(low(a))}, pair[float64]{b, low(low(b))}
		wide, _ := new(big.Rat).Quo(exact(wn), exact(wd)).Float64()
		require.Equal(t, wide, pairQuotient(wn, wd, false), "%v / %v", wn, wd)
		half := halfFromFloat32(pairQuotient(n, d, true))
		q := new(big.Float).SetPrec(200).SetRat(new(big.Rat).Quo(exact(n), exact(d)))
		f, _ := q.Float64()
		require.Equal(t, halfFromFloat64(f), half, "%v / %v", n, d)
	}
}

// halfFromFloat64 rounds once, for values that are no midpoint before their last
// bits.
func halfFromFloat64(x float64) float16.Float16 {
	odd := float32(x)
	if float64(odd) != x {
		bits := math.Float32bits(odd)
		if math.Abs(float64(odd)) > math.Abs(x) {
			bits--
		}
		odd = math.Float32frombits(bits | 1)
	}
	return halfFromFloat32(odd)
}

func TestQuotientOutsideTheRange(t *testing.T) {
	of := func(x float32) pair[float32] { return pair[float32]{x, 0} }
	inf := float32(math.Inf(1))
	for _, c := range []struct{ a, b, want float32 }{
		{3e38, 1e-3, inf}, {-3e38, 1e-3, -inf}, {1e-38, 1e7, 0x1p-149}, {1e-38, 2e8, 0}, {1e-38, 1e3, 1e-41},
		{math.MaxFloat32, 1, math.MaxFloat32}, {0, 5, 0}, {1, inf, 0}, {inf, 2, inf}, {5, 0, inf}, {-5, 0, -inf},
	} {
		require.Equal(t, c.want, pairQuotient(of(c.a), of(c.b), false), "%v / %v", c.a, c.b)
	}
	for _, c := range [][2]float32{{0, 0}, {inf, inf}, {inf, -inf}, {canonicalNaN[float32](), 1}, {1, canonicalNaN[float32]()}} {
		require.Equal(t, uint32(0x7fc00000), math.Float32bits(pairQuotient(of(c[0]), of(c[1]), false)))
	}
}
