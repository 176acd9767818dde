package cases

import (
	"fmt"
	"math"
	"strconv"

	"github.com/x448/float16"

	"vkops/tensor"
)

// Compare checks got against want: element type, shape and every element.
// Integers and infinities must be equal; floats may differ by the tolerance;
// with signedZero, an expected zero must come with its sign. The error names the
// first wrong element with both values.
func Compare(got, want tensor.Dense, tolerance Tolerance, signedZero bool) error {
	if got.DType != want.DType {
		return fmt.Errorf("element type is %s, want %s", got.DType, want.DType)
	}
	if !got.Type.Equal(want.Type) {
		return fmt.Errorf("shape is %s, want %s", got.Shape, want.Shape)
	}
	if len(got.Data) != len(want.Data) {
		return fmt.Errorf("%d bytes of data, want %d", len(got.Data), len(want.Data))
	}
	near := func(g, w float64) bool { return tolerance.near(g, w, signedZero) }
	switch got.DType {
	case tensor.F16:
		return compare(got, want, func(v float16.Float16) float64 { return float64(v.Float32()) }, near)
	case tensor.BF16:
		return compare(got, want, func(v tensor.BFloat16) float64 { return float64(v.Float32()) }, near)
	case tensor.F32:
		return compare(got, want, func(v float32) float64 { return float64(v) }, near)
	case tensor.F64:
		return compare(got, want, func(v float64) float64 { return v }, near)
	case tensor.I32:
		return compare(got, want, itself[int32], equal)
	case tensor.I64:
		return compare(got, want, itself[int64], equal)
	case tensor.U32:
		return compare(got, want, itself[uint32], equal)
	default:
		return compare(got, want, itself[uint64], equal)
	}
}

func itself[T any](v T) T { return v }

func equal[T comparable](a, b T) bool { return a == b }

// compare looks at elements of type T as numbers of type V.
func compare[T tensor.Element, V any](got, want tensor.Dense, number func(T) V, same func(got, want V) bool) error {
	g, w := tensor.ValuesOf[T](got.Data), tensor.ValuesOf[T](want.Data)
	for i := range w {
		a, b := number(g[i]), number(w[i])
		if !same(a, b) {
			return fmt.Errorf("element %d at %s is %s, want %s", i, position(i, want.Shape), show(a), show(b))
		}
	}
	return nil
}

// near is the rule for floats.
func (t Tolerance) near(got, want float64, signedZero bool) bool {
	switch {
	case math.IsNaN(got) || math.IsNaN(want):
		return t.NaNEqual && math.IsNaN(got) && math.IsNaN(want)
	case math.IsInf(got, 0) || math.IsInf(want, 0):
		return got == want
	case signedZero && want == 0 && got == 0:
		return math.Signbit(got) == math.Signbit(want)
	}
	return math.Abs(got-want) <= t.Absolute+t.Relative*math.Abs(want)
}

// position is the index of flat element i in a shape.
func position(i int, shape tensor.Shape) tensor.Shape {
	index := make(tensor.Shape, len(shape))
	for k := len(shape) - 1; k >= 0; k-- {
		index[k] = i % shape[k]
		i /= shape[k]
	}
	return index
}

// show prints a float so that a difference in its last bit is seen.
func show(v any) string {
	if f, ok := v.(float64); ok {
		return strconv.FormatFloat(f, 'g', -1, 64)
	}
	return fmt.Sprint(v)
}
