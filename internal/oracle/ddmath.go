package oracle

import "math"

// ln2 in two parts.
var ln2 = dd{0x1.62e42fefa39efp-1, 0x1.abc9e3b39803fp-56}

// inverse[n] is 1/n.
var inverse = func() (table [32]dd) {
	for n := 1; n < len(table); n++ {
		table[n] = dd{1, 0}.div(dd{float64(n), 0})
	}
	return table
}()

// exp is e^x for |x| below 700, to about 2^-98 of the result.
func (x dd) exp() dd {
	const squarings = 6
	k := math.Round(x.hi / ln2.hi)
	r := x.sub(ln2.mulFloat(k)).scaled(-squarings)
	// exp(r)-1 by Taylor: |r| < 0.0055.
	sum := dd{}
	for n := 13; n >= 1; n-- {
		sum = sum.addFloat(1).mul(r).mul(inverse[n])
	}
	for range squarings { // (1+s)^2 - 1 loses nothing of a small s
		sum = sum.mulFloat(2).add(sum.mul(sum))
	}
	return sum.addFloat(1).scaled(int(k))
}

// log is ln x for a positive normal x, to about 2^-98 of max(|ln x|, 1).
func (x dd) log() dd {
	m, e := math.Frexp(x.hi)
	if m < math.Sqrt2/2 {
		e--
	}
	m2 := x.scaled(-e)
	// One Newton step doubles the digits; its error is cubic with this form.
	y := math.Log(m2.hi)
	d := m2.mul(dd{-y, 0}.exp()).addFloat(-1)
	fine := d.sub(d.mul(d).mulFloat(0.5))
	return ln2.mulFloat(float64(e)).add(fine.addFloat(y))
}

// log1p is ln(1+x) of a finite x > -1, to about 2^-98 of the result.
func log1p(x float64) dd {
	if math.Abs(x) < 0x1p-6 {
		sum := dd{}
		for n := 20; n >= 1; n-- {
			sum = inverse[n].sub(sum.mulFloat(x))
		}
		return sum.mulFloat(x)
	}
	return twoSum(1, x).log()
}
