package oracle

import (
	"fmt"
	"math"

	"vkops/tensor"
)

// tiny is the size below which errors of log-probabilities count in absolute terms:
// terms below 2^-100 of the largest may be left out.
const tiny = 0x1p-50

func (c *checker) logSoftmax(op tensor.LogSoftmax, shape tensor.Shape, input []float64) error {
	v, err := op.View(shape)
	if err != nil {
		return err
	}
	f := working(c.dtype)
	for at := range v.Lines() {
		l := c.softmaxLine(v, at, input)
		for p := range v.N {
			i := (at/v.Inner*v.N+p)*v.Inner + at%v.Inner
			want, special := l.logProbability(input[i])
			if special {
				c.special(i, want.hi)
				continue
			}
			rounding := 0.0
			if c.format != f {
				rounding = c.format.ulp(want.hi) / 2
			}
			c.beyondRounding(i, want, f.ulp(math.Max(math.Abs(want.hi), tiny)), 1, rounding)
		}
	}
	return nil
}

// softmaxLine is what the elements of a line have in common.
type softmaxLine struct {
	max float64
	log dd // of the sum of exp(x-max)
	nan bool
}

// softmaxLine looks at line `at` of the view.
func (c *checker) softmaxLine(v tensor.View, at int64, input []float64) softmaxLine {
	l := softmaxLine{max: math.Inf(-1)}
	element := func(p int64) float64 { return input[(at/v.Inner*v.N+p)*v.Inner+at%v.Inner] }
	first := int64(0) // position of the largest
	for p := range v.N {
		x := element(p)
		if l.nan = l.nan || x != x; x > l.max {
			l.max, first = x, p
		}
	}
	if l.nan || math.IsInf(l.max, 0) {
		return l
	}
	scale := logSum{wide: c.dtype == tensor.F64}
	var others dd
	for p := range v.N {
		if p != first {
			others = others.add(scale.scale(element(p), l.max))
		}
	}
	l.log = others.log1p()
	return l
}

func (l *softmaxLine) logProbability(x float64) (want dd, special bool) {
	switch {
	case l.nan || math.IsInf(l.max, -1) || math.IsInf(x, 1):
		return dd{math.NaN(), 0}, true
	case math.IsInf(x, -1) || math.IsInf(l.max, 1) || math.IsInf(x-l.max, -1):
		return dd{math.Inf(-1), 0}, true
	}
	return twoSum(x, -l.max).sub(l.log), false
}

// log1p is ln(1+x) of x >= 0, to about 2^-98 of the result.
func (x dd) log1p() dd {
	if x.hi < 0x1p-6 {
		sum := dd{}
		for n := 20; n >= 1; n-- {
			sum = inverse[n].sub(sum.mul(x))
		}
		return sum.mul(x)
	}
	return x.addFloat(1).log()
}

// crossEntropy allows each log-probability 2 units in the last place and the result
// one more.
func (c *checker) crossEntropy(op tensor.SoftmaxCrossEntropyLoss, input []float64, inputs []tensor.Dense) error {
	nll := op.View(inputs[0].Shape)
	v := tensor.View{Outer: nll.N, N: nll.C, Inner: nll.D}
	var weight []float64
	if len(inputs) == 3 {
		var err error
		if weight, err = floats(inputs[2]); err != nil {
			return err
		}
	}
	var losses, weights sum
	units := 0.0 // what the losses may be off
	for i := range nll.Samples() {
		class := label(inputs[1], i)
		if op.IgnoreIndex != nil && class == *op.IgnoreIndex {
			if op.Reduction == tensor.None {
				c.special(i, 0)
			}
			continue
		}
		if class < 0 || class >= v.N {
			return fmt.Errorf("oracle: %w", op.ErrorAt(i, class, v.N))
		}
		w := 1.0
		if weight != nil {
			w = weight[class]
		}
		l := c.softmaxLine(v, i, input)
		y, _ := l.logProbability(input[(i/v.Inner*v.N+class)*v.Inner+i%v.Inner])
		loss := -y.float() * w
		unit := math.Abs(w)*c.format.ulp(math.Max(math.Abs(y.hi), tiny)) + c.format.ulp(loss)
		if op.Reduction == tensor.None {
			c.crossEntropyOf(i, loss, unit)
			continue
		}
		losses.add(loss)
		weights.add(w)
		units += unit
	}
	over, overSpecial := losses.special()
	under, underSpecial := weights.special()
	if !overSpecial {
		over = losses.value().float()
	}
	if !underSpecial {
		under = weights.value().float()
	}
	special := overSpecial || underSpecial && op.Reduction == tensor.Mean
	f := working(c.dtype)
	switch {
	case !special && !f.finite(losses.magnitudes):
		return nil // a part of a sum may overflow on the way
	case op.Reduction == tensor.Sum:
		c.crossEntropyOf(0, over, units+c.format.ulp(over))
	case op.Reduction == tensor.Mean:
		if weights.magnitudes > conditioned*math.Abs(under) && under != 0 {
			return nil
		}
		mean := over / under
		c.crossEntropyOf(0, mean, units/math.Abs(under)+c.format.ulp(mean))
	}
	return nil
}

// crossEntropyOf checks a result to two units. A zero may have either sign, as one
// that is rounded to.
func (c *checker) crossEntropyOf(i int64, want, unit float64) {
	if want != want || math.IsInf(want, 0) {
		c.special(i, want)
		return
	}
	c.finite(i, dd{want, 0}, unit, 2*unit, true)
}
