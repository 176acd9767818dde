package oracle

import (
	"math"

	"vkops/tensor"
)

// conditioned is up to which ratio of the sum of magnitudes to the sum results are
// promised to 1 ULP.
const conditioned = 1 << 20

// beyond is what an ill-conditioned sum may be off, per sum of magnitudes.
func (c *checker) beyond() float64 {
	if c.dtype == tensor.F64 {
		return 0x1p-100
	}
	return 0x1p-44
}

func (c *checker) cumSum(op tensor.CumSum, shape tensor.Shape, input []float64) error {
	v, err := op.View(shape)
	if err != nil {
		return err
	}
	var s sum
	line(v, op.Reverse, func() { s = sum{} }, func(i int64) {
		if op.Exclusive {
			c.sum(i, &s, c.beyond())
			s.add(input[i])
		} else {
			s.add(input[i])
			c.sum(i, &s, c.beyond())
		}
	})
	return nil
}

// sum checks element i against a sum.
func (c *checker) sum(i int64, s *sum, beyond float64) {
	if want, special := s.special(); special {
		c.special(i, want)
		return
	}
	if !working(c.dtype).finite(s.magnitudes) {
		return // a part of the sum may overflow on the way
	}
	want := s.value()
	unit := c.format.ulp(want.hi)
	if s.magnitudes <= conditioned*math.Abs(want.hi) || s.magnitudes == 0 {
		c.finite(i, want, unit, unit, true)
	} else {
		c.finite(i, want, unit, unit+beyond*s.magnitudes, false)
	}
}

func checkIntegers(op tensor.Op, got, input tensor.Dense) (Report, error) {
	cumsum := op.(tensor.CumSum)
	v, err := cumsum.View(got.Shape)
	if err != nil {
		return Report{}, err
	}
	var r Report
	switch got.DType {
	case tensor.I32:
		r = integers[int32](cumsum, got, input, v)
	case tensor.I64:
		r = integers[int64](cumsum, got, input, v)
	case tensor.U32:
		r = integers[uint32](cumsum, got, input, v)
	default:
		r = integers[uint64](cumsum, got, input, v)
	}
	return r, nil
}

// integers compares sums modulo the type's range.
func integers[T int32 | int64 | uint32 | uint64](op tensor.CumSum, got, input tensor.Dense, v tensor.View) Report {
	y, x := tensor.ValuesOf[T](got.Data), tensor.ValuesOf[T](input.Data)
	r := Report{Within: true, Worst: -1}
	var sum T
	line(v, op.Reverse, func() { sum = 0 }, func(i int64) {
		want := sum
		sum += x[i]
		if !op.Exclusive {
			want = sum
		}
		r.Elements++
		if y[i] != want && r.Within {
			r = Report{math.Inf(1), i, float64(y[i]), float64(want), false, r.Elements}
		}
	})
	return r
}
