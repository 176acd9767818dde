package oracle

import (
	"fmt"
	"math"

	"vkops/tensor"
)

// Report is how far a result is from the exact one.
type Report struct {
	// MaxULP is the largest error. For CumSum, and for sums and means of NLL, it is
	// in units in the last place of the exact value, over the elements whose sum of
	// magnitudes is at most 2^20 times the result; for Log1p in the same units; for
	// LogCumSumExp in those of max(|y|, 1), for LogSoftmax of max(|y|, 2^-50), both
	// of float32 for 16-bit types and then beyond the one rounding to the type. For
	// SoftmaxCrossEntropyLoss the unit is that of the log-probabilities, weighted and
	// reduced as they are, and of the result. A wrong infinity or NaN is +Inf.
	MaxULP float64
	// Worst is the flat index of that element, or of one that breaks its bound.
	Worst int64
	// Got and Want are its result and the exact value.
	Got, Want float64
	// Within is whether the promised bound holds for every element.
	Within bool
	// Elements is how many were compared.
	Elements int64
}

// Check compares got, the result of op on inputs, with exact values, and says
// whether the promised error bounds hold. The error is about arguments that do not
// fit together.
func Check(op tensor.Op, got tensor.Dense, inputs ...tensor.Dense) (Report, error) {
	types := make([]tensor.Type, len(inputs))
	for i, in := range inputs {
		types[i] = in.Type
	}
	want, err := op.Infer(types...)
	if err != nil {
		return Report{}, err
	}
	if !got.Type.Equal(want) {
		return Report{}, fmt.Errorf("oracle: %w: result is %s; %s gives %s", tensor.ErrShape, got.Type, op.Name(), want)
	}
	if !got.DType.IsFloat() {
		return checkIntegers(op, got, inputs[0])
	}
	values, err := floats(got)
	if err != nil {
		return Report{}, err
	}
	input, err := floats(inputs[0])
	if err != nil {
		return Report{}, err
	}
	c := &checker{report: Report{Within: true, Worst: -1}, format: formats[got.DType], dtype: got.DType, got: values}
	switch op := op.(type) {
	case tensor.CumSum:
		err = c.cumSum(op, got.Shape, input)
	case tensor.LogCumSumExp:
		err = c.logCumSumExp(op, got.Shape, input)
	case tensor.Log1p:
		c.log1p(input)
	case tensor.LogSoftmax:
		err = c.logSoftmax(op, got.Shape, input)
	case tensor.NLL:
		err = c.nll(op, input, inputs)
	case tensor.SoftmaxCrossEntropyLoss:
		err = c.crossEntropy(op, input, inputs)
	default:
		err = fmt.Errorf("oracle: no operator %q", op.Name())
	}
	return c.report, err
}

// checker collects the errors of one result.
type checker struct {
	report Report
	dtype  tensor.DType
	format format
	got    []float64
}

// finite records element i, whose exact value is want. Its error counts in the
// given unit if counted, and must be at most bound (in absolute terms).
func (c *checker) finite(i int64, want dd, unit, bound float64, counted bool) {
	c.report.Elements++
	off := c.distance(i, want)
	if counted || off > bound {
		c.record(i, off/unit, want.float(), off <= bound)
	}
}

// distance is how far element i is from its exact value. An infinity is as far off as
// the first number that is too large.
func (c *checker) distance(i int64, want dd) float64 {
	got := c.got[i]
	switch {
	case got != got:
		return math.Inf(1)
	case math.IsInf(got, 1):
		return math.Max(0, c.format.overflow()-want.float())
	case math.IsInf(got, -1):
		return math.Max(0, want.float()+c.format.overflow())
	}
	return math.Abs(want.minus(got))
}

// special records element i, whose exact value is an infinity, NaN, or a zero.
func (c *checker) special(i int64, want float64) {
	c.report.Elements++
	got := c.got[i]
	if got == want && math.Signbit(got) == math.Signbit(want) || got != got && want != want {
		c.record(i, 0, want, true)
		return
	}
	c.record(i, math.Inf(1), want, false)
}

func (c *checker) record(i int64, ulps, want float64, within bool) {
	r := &c.report
	broken := !within && r.Within
	if broken || r.Worst < 0 || ulps > r.MaxULP && (r.Within || !within) {
		r.Worst, r.Got, r.Want = i, c.got[i], want
	}
	r.MaxULP = math.Max(r.MaxULP, ulps)
	r.Within = r.Within && within
}

// line calls do for each position along the axis of each line, with the flat index.
func line(v tensor.View, reverse bool, start func(), do func(i int64)) {
	for o := range v.Outer {
		for c := range v.Inner {
			start()
			for p := range v.N {
				if reverse {
					p = v.N - 1 - p
				}
				do((o*v.N+p)*v.Inner + c)
			}
		}
	}
}
