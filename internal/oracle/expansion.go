package oracle

import "math"

// expansion is a running sum of float64 in four parts of falling size: some 200
// bits, enough that sums of millions of terms are exact for every purpose here.
type expansion [4]float64

func (e *expansion) add(x float64) {
	for i := range e {
		s := twoSum(e[i], x)
		e[i], x = s.hi, s.lo
	}
}

// value renormalizes the parts, which may cancel.
func (e *expansion) value() dd {
	s := dd{}
	for i := len(e) - 1; i >= 0; i-- {
		s = s.addFloat(e[i])
	}
	return s
}

// sum is a running sum that knows about infinities and NaN.
type sum struct {
	expansion
	magnitudes       float64 // sum of |x|
	nan, plus, minus bool    // seen: NaN, +Inf, -Inf
}

func (s *sum) add(x float64) {
	switch {
	case x != x:
		s.nan = true
	case math.IsInf(x, 0):
		s.plus, s.minus = s.plus || x > 0, s.minus || x < 0
	default:
		s.expansion.add(x)
		s.magnitudes += math.Abs(x)
	}
}

// special is the sum where it is not finite.
func (s *sum) special() (float64, bool) {
	switch {
	case s.nan || s.plus && s.minus:
		return math.NaN(), true
	case s.plus:
		return math.Inf(1), true
	case s.minus:
		return math.Inf(-1), true
	default:
		return 0, false
	}
}
