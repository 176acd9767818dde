package cpuref

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/x448/float16"

	"vkops/tensor"
)

// halfPatterns are all 65,536 elements of a 16-bit type.
func halfPatterns(t *testing.T, d tensor.DType) tensor.Dense {
	x, err := tensor.NewDense(tensor.Type{DType: d, Shape: tensor.Shape{1 << 16}})
	require.NoError(t, err)
	for i := range 1 << 16 {
		x.Data[2*i], x.Data[2*i+1] = byte(i), byte(i>>8)
	}
	return x
}

func TestLog1pOfEveryHalfIsCorrectlyRounded(t *testing.T) {
	for _, d := range []tensor.DType{tensor.F16, tensor.BF16} {
		r := requireWithin(t, "all", tensor.Log1p{}, halfPatterns(t, d))
		require.EqualValues(t, 1<<16, r.Elements)
		require.LessOrEqual(t, r.MaxULP, 0.5)
	}
}

// Calls of many halves look their results up; those of few compute them.
func TestLog1pOfManyHalvesIsThatOfFew(t *testing.T) {
	x := make([]float16.Float16, 1<<16+1000)
	for i := range x {
		x[i] = float16.Float16(i * 40503)
	}
	many, few := make([]float16.Float16, len(x)), make([]float16.Float16, len(x))
	Log1p(many, x)
	for lo := 0; lo < len(x); lo += 999 {
		hi := min(lo+999, len(x))
		Log1p(few[lo:hi], x[lo:hi])
	}
	requireSameBits(t, few, many, "of many")
}

// log1pData are n arguments: near 0, near -1, near powers of two and of the root
// of 2 around which the reduction changes, and anywhere.
func log1pData(r *rand.Rand, n int) []float64 {
	return series(n, func(i int) float64 {
		small := math.Ldexp(1+r.Float64(), -r.IntN(60)) * float64(1-2*r.IntN(2))
		switch i % 6 {
		case 0:
			return small / 4
		case 1:
			return -1 + math.Abs(small)/4
		case 2:
			return math.Ldexp(1+small/64, r.IntN(300)-150)
		case 3:
			return math.Ldexp(math.Sqrt2, r.IntN(5)-2)*(1+small/64) - 1
		case 4:
			return r.Float64()*2 - 1
		default:
			return math.Ldexp(r.Float64(), r.IntN(2000)-1000)
		}
	})
}

func TestLog1pIsAccurate(t *testing.T) {
	r := newRandom(t)
	n := 1 << 20
	if testing.Short() {
		n = 1 << 16
	}
	for _, d := range []tensor.DType{tensor.F32, tensor.F64} {
		report := requireWithin(t, "samples", tensor.Log1p{}, dense(d, log1pData(r, n)))
		t.Logf("%s: at most %.4f ULP, at %v", d, report.MaxULP, report.Want)
	}
	x := make([]float32, n) // any bits at all
	for i := range x {
		x[i] = math.Float32frombits(r.Uint32())
	}
	in, err := tensor.Of(x, n)
	require.NoError(t, err)
	requireWithin(t, "bits", tensor.Log1p{}, in)
}

func log1p[T tensor.Float](x ...T) []T {
	y := make([]T, len(x))
	Log1p(y, x)
	return y
}

func TestLog1pSpecials(t *testing.T) {
	inf, nan, minusZero := float32(math.Inf(1)), canonicalNaN[float32](), float32(math.Copysign(0, -1))
	x := []float32{0, minusZero, -1, -1 - 0x1p-23, -2, -inf, inf, math.Float32frombits(0xff800001), 1e-45, -1.1754942e-38, 1e-10, 1e-20}
	requireSameBits(t, []float32{0, minusZero, -inf, nan, nan, nan, inf, nan, 1e-45, -1.1754942e-38, 1e-10, 1e-20}, log1p(x...), "float32")
	wide, wideNaN := math.Inf(1), canonicalNaN[float64]()
	requireSameBits(t, []float64{0, -wide, wideNaN, wideNaN, wide, wideNaN, 5e-324, 1e-17},
		log1p(0, -1, math.Nextafter(-1, -2), -wide, wide, math.NaN(), 5e-324, 1e-17), "float64")
	// The largest bfloat16 stays finite, and rounding is not cutting.
	brain := tensor.BFloat16FromFloat32
	require.Equal(t, brain(88), log1p(brain(1.821e38))[0])
	require.Equal(t, brain(0.26953125), brain(0.2691408770272292))
}

func TestLog1pInPlaceAndEmpty(t *testing.T) {
	r := newRandom(t)
	x := mixed[float32](r, 100003)
	want := log1p(x...)
	Log1p(x, x)
	requireSameBits(t, want, x, "in place")
	require.Empty(t, log1p[float64]())
}
