// Package sample makes tensors of pseudo-random elements for checks and
// measurements. The same generator state gives the same elements everywhere.
//
// No finite element is near the subnormal range of the type that the operators
// compute in, nor are the products and sums that they form: equal bits are not
// promised there, because some devices flush subnormals to zero.
package sample

import (
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/x448/float16"

	"vkops/tensor"
)

// Kind says what the elements look like.
type Kind int

// The kinds of floating-point data. Integers are uniform over all bit patterns,
// whatever the kind.
const (
	Uniform  Kind = iota // in [-1, 1), never zero
	Wide                 // both signs, magnitudes over many powers of two
	Rising               // from -40 to 40 along the flat index, with some noise
	Falling              // the same from 40 to -40
	LogProbs             // logarithms of probabilities; runs of 64 add up to 1
	Specials             // Uniform with NaNs, infinities, zeros and huge values
	kinds
)

var kindNames = [kinds]string{"uniform", "wide", "rising", "falling", "logprobs", "specials"}

// Kinds lists all kinds.
func Kinds() []Kind {
	all := make([]Kind, kinds)
	for i := range all {
		all[i] = Kind(i)
	}
	return all
}

// String is the name in messages.
func (k Kind) String() string {
	if k >= 0 && k < kinds {
		return kindNames[k]
	}
	return fmt.Sprintf("kind(%d)", int(k))
}

// Tensor makes a tensor of type t with elements of the kind.
func Tensor(r *rand.Rand, t tensor.Type, kind Kind) (tensor.Dense, error) {
	d, err := tensor.NewDense(t)
	if err != nil {
		return tensor.Dense{}, err
	}
	if !t.DType.IsFloat() {
		for i := range d.Data {
			d.Data[i] = byte(r.Uint32())
		}
		return d, nil
	}
	values := floats(r, len(d.Data)/t.DType.Size(), kind, t.DType)
	switch t.DType {
	case tensor.F16:
		convert(d, values, func(v float64) float16.Float16 { return float16.Fromfloat32(float32(v)) })
	case tensor.BF16:
		convert(d, values, func(v float64) tensor.BFloat16 { return tensor.BFloat16FromFloat32(float32(v)) })
	case tensor.F32:
		convert(d, values, func(v float64) float32 { return float32(v) })
	default:
		convert(d, values, func(v float64) float64 { return v })
	}
	return d, nil
}

// Labels makes class labels of type t (int32 or int64) in [0, classes). With
// ignored, one label in four is that value instead.
func Labels(r *rand.Rand, t tensor.Type, classes int, ignored *int64) (tensor.Dense, error) {
	d, err := tensor.NewDense(t)
	if err != nil {
		return tensor.Dense{}, err
	}
	if classes < 1 && len(d.Data) > 0 {
		return tensor.Dense{}, fmt.Errorf("%w: no class to label %s with", tensor.ErrShape, t)
	}
	label := func() int64 {
		if ignored != nil && r.IntN(4) == 0 {
			return *ignored
		}
		return r.Int64N(int64(classes))
	}
	switch t.DType {
	case tensor.I32:
		fill(tensor.ValuesOf[int32](d.Data), func() int32 { return int32(label()) })
	case tensor.I64:
		fill(tensor.ValuesOf[int64](d.Data), label)
	default:
		return tensor.Dense{}, fmt.Errorf("%w: labels of type %s", tensor.ErrType, t.DType)
	}
	return d, nil
}

func fill[T any](dst []T, next func() T) {
	for i := range dst {
		dst[i] = next()
	}
}

func convert[T tensor.Float](d tensor.Dense, values []float64, round func(float64) T) {
	dst := tensor.ValuesOf[T](d.Data)
	for i, v := range values {
		dst[i] = round(v)
	}
}

// spread is the largest magnitude of a binary exponent in Wide: sums of such
// values over any axis in use stay finite in the type.
func spread(d tensor.DType) int {
	if d == tensor.F16 {
		return 5
	}
	return 20
}

func floats(r *rand.Rand, n int, kind Kind, d tensor.DType) []float64 {
	values := make([]float64, n)
	position := func(i int) float64 { return float64(i) / float64(n) }
	for i := range values {
		switch kind {
		case Wide:
			values[i] = math.Ldexp(uniform(r), r.IntN(2*spread(d)+1)-spread(d))
		case Rising:
			values[i] = 80*position(i) - 40 + uniform(r)
		case Falling:
			values[i] = 40 - 80*position(i) + uniform(r)
		case Specials:
			values[i] = uniform(r)
			if r.IntN(1+n/8) < 2 {
				values[i] = special(r, d)
			}
		default:
			values[i] = uniform(r)
		}
	}
	if kind == LogProbs {
		logProbs(values)
	}
	return values
}

// uniform is in [-1, 1) with a magnitude of at least 2^-21.
func uniform(r *rand.Rand) float64 {
	v := math.Ldexp(float64(1+r.IntN(1<<20)), -20)
	if r.IntN(2) == 0 {
		return -v
	}
	return v - 1.0/(1<<21)
}

// special is a value that must be treated apart. NaN is rare among them, because
// a scan spreads it over the rest of its line.
func special(r *rand.Rand, d tensor.DType) float64 {
	largest := map[tensor.DType]float64{
		tensor.F16:  65504,
		tensor.BF16: math.Ldexp(255, 120),
		tensor.F32:  math.MaxFloat32,
		tensor.F64:  math.MaxFloat64,
	}[d]
	switch r.IntN(16) {
	case 0:
		return math.NaN()
	case 1, 2:
		return math.Inf(1)
	case 3, 4, 5, 6:
		return math.Inf(-1)
	case 7, 8:
		return math.Copysign(0, -1)
	case 9, 10:
		return 0
	case 11:
		return largest
	case 12:
		return -largest
	case 13:
		return -1
	default:
		return 1
	}
}

// logProbs turns runs of 64 values into logarithms of probabilities with sum 1.
func logProbs(values []float64) {
	for len(values) > 0 {
		run := values[:min(64, len(values))]
		sum := 0.0
		for _, v := range run {
			sum += math.Exp(4 * v)
		}
		for i, v := range run {
			run[i] = 4*v - math.Log(sum)
		}
		values = values[len(run):]
	}
}
