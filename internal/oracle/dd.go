package oracle

import "math"

// dd is an unevaluated sum hi + lo with |lo| at most half an ulp of hi: about 106
// bits.
type dd struct{ hi, lo float64 }

// twoSum is a + b exactly.
func twoSum(a, b float64) dd {
	s := a + b
	t := s - a
	return dd{s, (a - (s - t)) + (b - t)}
}

// fastTwoSum is twoSum for |a| >= |b|.
func fastTwoSum(a, b float64) dd {
	s := a + b
	return dd{s, b - (s - a)}
}

// twoProduct is a * b exactly, short of underflow.
func twoProduct(a, b float64) dd {
	p := a * b
	return dd{p, math.FMA(a, b, -p)}
}

func (a dd) add(b dd) dd {
	s, t := twoSum(a.hi, b.hi), twoSum(a.lo, b.lo)
	s = fastTwoSum(s.hi, s.lo+t.hi)
	return fastTwoSum(s.hi, s.lo+t.lo)
}

func (a dd) neg() dd     { return dd{-a.hi, -a.lo} }
func (a dd) sub(b dd) dd { return a.add(b.neg()) }

func (a dd) addFloat(b float64) dd {
	s := twoSum(a.hi, b)
	return fastTwoSum(s.hi, s.lo+a.lo)
}

func (a dd) mul(b dd) dd {
	p := twoProduct(a.hi, b.hi)
	return fastTwoSum(p.hi, p.lo+(a.hi*b.lo+a.lo*b.hi))
}

func (a dd) mulFloat(b float64) dd {
	p := twoProduct(a.hi, b)
	return fastTwoSum(p.hi, math.FMA(a.lo, b, p.lo))
}

func (a dd) div(b dd) dd {
	q1 := a.hi / b.hi
	r := a.sub(b.mulFloat(q1))
	q2 := r.hi / b.hi
	r = r.sub(b.mulFloat(q2))
	return fastTwoSum(q1, q2).addFloat(r.hi / b.hi)
}

// scaled is a 2^e.
func (a dd) scaled(e int) dd { return dd{math.Ldexp(a.hi, e), math.Ldexp(a.lo, e)} }

func (a dd) float() float64 { return a.hi + a.lo }

// minus is a - x, rounded: an error.
func (a dd) minus(x float64) float64 { return a.addFloat(-x).float() }
