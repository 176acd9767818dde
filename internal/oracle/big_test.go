package oracle

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
)

const digits = 300

func number(x float64) *big.Float { return new(big.Float).SetPrec(digits).SetFloat64(x) }

func (a dd) big() *big.Float {
	x := number(a.hi)
	return x.Add(x, number(a.lo))
}

// bigExp is the series on x/2^16, squared 16 times.
func bigExp(x *big.Float) *big.Float {
	const squarings = 16
	r := new(big.Float).SetMantExp(x, -squarings)
	term, sum := number(1), number(1)
	for n := 1; n < 60; n++ {
		term.Quo(term.Mul(term, r), number(float64(n)))
		sum.Add(sum, term)
	}
	for range squarings {
		sum.Mul(sum, sum)
	}
	return sum
}

// bigLog solves exp(y) = x by Newton's rule.
func bigLog(x *big.Float) *big.Float {
	start, _ := x.Float64()
	y := number(math.Log(start))
	for range 5 {
		q := new(big.Float).SetPrec(digits).Quo(x, bigExp(y))
		y.Add(y, q.Sub(q, number(1)))
	}
	return y
}

// requireClose demands that got is within tolerance times scale of want.
func requireClose(t *testing.T, want *big.Float, got dd, tolerance, scale float64, x any) {
	t.Helper()
	off := new(big.Float).SetPrec(digits).Sub(want, got.big())
	d, _ := off.Float64()
	require.LessOrEqual(t, math.Abs(d), tolerance*scale, "at %v", x)
}

func TestLogarithmsAgainstSeries(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	r := rand.New(rand.NewPCG(seed, 1))
	for i := range 400 {
		x := dd{r.NormFloat64() * math.Ldexp(1, r.IntN(16)-8), 0}
		x.lo = x.hi * 0x1p-54 * r.Float64()
		if math.Abs(x.hi) < 600 {
			want := bigExp(x.big())
			size, _ := want.Float64()
			requireClose(t, want, x.exp(), 0x1p-95, size, x)
		}
		if p := (dd{math.Abs(x.hi), math.Copysign(x.lo, 1)}); p.hi != 0 {
			want := bigLog(p.big())
			requireClose(t, want, p.log(), 0x1p-95, math.Max(1, math.Abs(p.log().hi)), p)
		}
		small := math.Ldexp(r.Float64()-0.5, -i/4)
		want := number(1)
		want = bigLog(want.Add(want, number(small)))
		requireClose(t, want, log1p(small), 0x1p-90, math.Abs(small), small)
	}
}

func TestExpansionHoldsWhatCancels(t *testing.T) {
	var s sum
	for _, x := range []float64{1, 1e30, 0x1p-100, 1e-40, -1e30, 1e17, -1} {
		s.add(x)
	}
	s.add(-1e17)
	require.Equal(t, 0x1p-100+1e-40, s.value().float())
	require.Greater(t, s.magnitudes, 2e30)
}

func TestDivisionOfDoubleDoubles(t *testing.T) {
	third := dd{1, 0}.div(dd{3, 0})
	want := number(1)
	requireClose(t, want.Quo(want, number(3)), third, 0x1p-104, 1, "1/3")
}
