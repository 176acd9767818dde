package oracle

import (
	"fmt"
	"math"

	"vkops/tensor"
)

func (c *checker) nll(op tensor.NLL, input []float64, inputs []tensor.Dense) error {
	v := op.View(inputs[0].Shape)
	var weight []float64
	if len(inputs) == 3 {
		var err error
		if weight, err = floats(inputs[2]); err != nil {
			return err
		}
	}
	var losses, weights sum
	for i := range v.Samples() {
		class := label(inputs[1], i)
		if op.IgnoreIndex != nil && class == *op.IgnoreIndex {
			if op.Reduction == tensor.None {
				c.special(i, 0)
			}
			continue
		}
		if class < 0 || class >= v.C {
			return fmt.Errorf("oracle: %w", op.ErrorAt(i, class, v.C))
		}
		w := 1.0
		if weight != nil {
			w = weight[class]
		}
		n, d := i/v.D, i%v.D
		loss := c.product(-input[(n*v.C+class)*v.D+d], w)
		if op.Reduction == tensor.None {
			c.loss(i, loss)
			continue
		}
		losses.add(loss)
		weights.add(w)
	}
	switch op.Reduction {
	case tensor.Sum:
		c.sum(0, &losses, 0x1p-44)
	case tensor.Mean:
		c.mean(&losses, &weights)
	}
	return nil
}

func label(target tensor.Dense, i int64) int64 {
	if target.DType == tensor.I32 {
		return int64(tensor.ValuesOf[int32](target.Data)[i])
	}
	return tensor.ValuesOf[int64](target.Data)[i]
}

// product is rounded to the type that arithmetic runs in.
func (c *checker) product(x, w float64) float64 {
	if c.dtype == tensor.F64 {
		return x * w
	}
	return float64(float32(x) * float32(w))
}

// loss checks one loss, which is rounded to the type.
func (c *checker) loss(i int64, want float64) {
	if want != want || math.IsInf(want, 0) {
		c.special(i, want)
		return
	}
	unit := c.format.ulp(want)
	c.finite(i, dd{want, 0}, unit, unit/2, true)
}

// mean checks the quotient of two sums.
func (c *checker) mean(losses, weights *sum) {
	over, overSpecial := losses.special()
	under, underSpecial := weights.special()
	l, w := losses.value(), weights.value()
	if !overSpecial {
		over = l.hi
	}
	if !underSpecial {
		under = w.hi
	}
	if overSpecial || underSpecial || under == 0 {
		c.special(0, over/under)
		return
	}
	f := working(c.dtype)
	if !f.finite(losses.magnitudes) || !f.finite(weights.magnitudes) {
		return // a part of a sum may overflow on the way
	}
	want := l.div(w)
	unit := c.format.ulp(want.hi)
	good := losses.magnitudes <= conditioned*math.Abs(l.hi) && weights.magnitudes <= conditioned*math.Abs(w.hi)
	if good || losses.magnitudes == 0 {
		c.finite(0, want, unit, unit, true)
		return
	}
	magnitudes := (losses.magnitudes + math.Abs(want.hi)*weights.magnitudes) / math.Abs(w.hi)
	c.finite(0, want, unit, unit+0x1p-44*magnitudes, false)
}
