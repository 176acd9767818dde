package oracle

import (
	"math"

	"vkops/tensor"
)

func (c *checker) log1p(input []float64) {
	for i, x := range input {
		c.log1pOf(int64(i), x)
	}
}

func (c *checker) log1pOf(i int64, x float64) {
	switch {
	case x != x || x < -1:
		c.special(i, math.NaN())
	case x == -1:
		c.special(i, math.Inf(-1))
	case math.IsInf(x, 1) || math.Abs(x) < math.Ldexp(1, -c.format.precision-1):
		c.special(i, x) // tiny: itself
	default:
		want := dd{math.Log1p(x), 0}
		if c.dtype == tensor.F64 {
			want = log1p(x)
		}
		unit := c.format.ulp(want.hi)
		bound := unit
		if c.format.precision < 24 {
			bound = unit / 2 // correctly rounded
		}
		c.finite(i, want, unit, bound, true)
	}
}

func (c *checker) logCumSumExp(op tensor.LogCumSumExp, shape tensor.Shape, input []float64) error {
	v, err := op.View(shape)
	if err != nil {
		return err
	}
	wide := c.dtype == tensor.F64
	f := working(c.dtype)
	var s logSum
	line(v, false, func() { s = logSum{max: math.Inf(-1), wide: wide} }, func(i int64) {
		s.add(input[i])
		want, special := s.value()
		if special {
			c.special(i, want.hi)
			return
		}
		unit := f.ulp(math.Max(math.Abs(want.hi), 1))
		rounding := 0.0
		if c.format != f {
			rounding = c.format.ulp(want.hi) / 2
		}
		c.beyondRounding(i, want, unit, 2, rounding)
	})
	return nil
}

// beyondRounding is finite for an error that may be so many units, and a rounding
// that does not count.
func (c *checker) beyondRounding(i int64, want dd, unit, units, rounding float64) {
	c.report.Elements++
	off := math.Max(0, c.distance(i, want)-rounding)
	c.record(i, off/unit, want.float(), off <= units*unit)
}

// logSum is a running log of a sum of exponentials: max + log(sum).
type logSum struct {
	max       float64
	sum       dd
	wide      bool // float64 is to be checked
	nan, plus bool
}

// scale is e^x for x <= 0; for narrow types float64 is far more than enough.
func (s *logSum) scale(x, minus float64) dd {
	switch d := x - minus; {
	case d < -300:
		return dd{}
	case s.wide:
		return twoSum(x, -minus).exp()
	default:
		return dd{math.Exp(d), 0}
	}
}

func (s *logSum) add(x float64) {
	switch {
	case x != x:
		s.nan = true
	case math.IsInf(x, 1):
		s.plus = true
	case math.IsInf(x, -1):
	case x > s.max:
		s.sum = s.sum.mul(s.scale(s.max, x)).addFloat(1)
		s.max = x
	default:
		s.sum = s.sum.add(s.scale(x, s.max))
	}
}

func (s *logSum) value() (want dd, special bool) {
	switch {
	case s.nan:
		return dd{math.NaN(), 0}, true
	case s.plus:
		return dd{math.Inf(1), 0}, true
	case math.IsInf(s.max, -1):
		return dd{math.Inf(-1), 0}, true
	case s.wide:
		return s.sum.log().addFloat(s.max), false
	default:
		return twoSum(s.max, math.Log(s.sum.float())), false
	}
}
