package prove

import (
	"math"
	"math/big"
)

const (
	precision = 300
	wide      = 1200 // holds 1+x of every float64 x exactly
)

func number(x float64) *big.Float { return new(big.Float).SetPrec(precision).SetFloat64(x) }

// exactLog1p is ln(1+x) of a finite x > -1 to more than 250 bits: with 1+x = 2^e m, as
// e ln(2) + ln(m).
func exactLog1p(x float64) *big.Float {
	m, e := new(big.Float).SetPrec(wide).Add(new(big.Float).SetFloat64(x), big.NewFloat(1)), 0
	if math.Abs(x) > 0.25 { // nearer to 1 ln(2) would cancel
		e = m.MantExp(m)
	}
	sum := logOf(m)
	return sum.Add(sum, new(big.Float).SetPrec(precision).Mul(ln2, number(float64(e))))
}

var ln2 = logOf(number(2))

// logOf is ln m for m from 1/2 to 2, as 2 atanh((m-1)/(m+1)).
func logOf(m *big.Float) *big.Float {
	one := big.NewFloat(1)
	above := new(big.Float).SetPrec(wide).Sub(m, one)
	below := new(big.Float).SetPrec(wide).Add(m, one)
	term := number(0).Quo(above, below)
	square := number(0).Mul(term, term)
	sum := number(0)
	for n := 1; n < 400 && term.Sign() != 0; n += 2 {
		sum.Add(sum, number(0).Quo(term, number(float64(n))))
		term.Mul(term, square)
	}
	return sum.Mul(sum, number(2))
}

// exactULP is how far got is from ln(1+x), in units of the last of a type's digits
// bits, and ln(1+x) itself.
func exactULP(x, got float64, digits, minExponent int) (ulps, want float64) {
	exact := exactLog1p(x)
	want, _ = exact.Float64()
	e := minExponent
	if exact.Sign() != 0 {
		e = max(e, exact.MantExp(nil)-1)
	}
	off := number(0).Sub(number(got), exact)
	off.SetMantExp(off, digits-1-e)
	ulps, _ = off.Float64()
	return math.Abs(ulps), want
}
