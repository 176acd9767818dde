package prove

import (
	"context"
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"

	"vkops/internal/oracle"
	"vkops/tensor"
)

// chunk is how many results are computed at once.
const chunk = 1 << 22

// closeTo1 is beyond which an error in ULP is computed again in 300 bits.
const closeTo1 = 1 - 0x1p-10

func log1pProofs(e Effort) []Proof {
	patterns := (1<<32 + int64(e.Stride) - 1) / int64(e.Stride)
	return []Proof{
		{"log1p float16, all inputs", "correctly rounded", 1 << 16, halves(tensor.F16)},
		{"log1p bfloat16, all inputs", "correctly rounded", 1 << 16, halves(tensor.BF16)},
		{fmt.Sprintf("log1p float32, one input in %d", e.Stride), "1 ULP; tiny inputs and zeros exact", patterns,
			func(ctx context.Context, run Runner, found *findings) error {
				return float32Patterns(ctx, run, found, patterns, int64(e.Stride))
			}},
		{"log1p float64, samples", "1 ULP; tiny inputs and zeros exact", int64(e.Samples),
			func(ctx context.Context, run Runner, found *findings) error {
				return float64Samples(ctx, run, found, e.Samples)
			}},
	}
}

// halves tries every element of a 16-bit type.
func halves(d tensor.DType) func(context.Context, Runner, *findings) error {
	return func(ctx context.Context, run Runner, found *findings) error {
		x, err := tensor.NewDense(tensor.Type{DType: d, Shape: tensor.Shape{1 << 16}})
		if err != nil {
			return err
		}
		for i := range 1 << 16 {
			binary.LittleEndian.PutUint16(x.Data[2*i:], uint16(i))
		}
		return checked(ctx, run, found, "all bit patterns", tensor.Log1p{}, x)
	}
}

// float32Patterns tries every stride-th bit pattern.
func float32Patterns(ctx context.Context, run Runner, found *findings, patterns, stride int64) error {
	const part = 1 << 16
	for first := int64(0); first < patterns; first += chunk {
		x := make([]float32, min(chunk, patterns-first))
		for i := range x {
			x[i] = math.Float32frombits(uint32((first + int64(i)) * stride))
		}
		in, err := tensor.Of(x, len(x))
		if err != nil {
			return err
		}
		out, err := run(ctx, tensor.Log1p{}, in)
		if err != nil {
			return err
		}
		y, err := tensor.Values[float32](out)
		if err != nil {
			return err
		}
		err = each(ctx, (len(x)+part-1)/part, func(i int) error {
			lo, hi := i*part, min((i+1)*part, len(x))
			found.add(checkFloat32(x[lo:hi], y[lo:hi]))
			return nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// checkFloat32 compares y with ln(1+x).
func checkFloat32(x, y []float32) Outcome {
	out := Outcome{Elements: int64(len(x))}
	worst, worstULP := -1, -1.0
	broken := func(i int, want float64) {
		if out.Broken == "" {
			out.Broken = where("x = %x (%v) gives %v, exact is %v", math.Float32bits(x[i]), x[i], y[i], want)
		}
	}
	for i, v := range x {
		got := y[i]
		switch {
		case !(v > -1) && v != -1:
			if math.Float32bits(got) != 0x7fc00000 {
				broken(i, math.NaN())
			}
			continue
		case v == -1:
			if !math.IsInf(float64(got), -1) {
				broken(i, math.Inf(-1))
			}
			continue
		case v < 0x1p-24 && v > -0x1p-24, math.IsInf(float64(v), 1):
			if math.Float32bits(got) != math.Float32bits(v) {
				broken(i, float64(v))
			}
			continue
		}
		want := math.Log1p(float64(v))
		e := math.Float64bits(want) >> 52 & 0x7ff // at least that of 2^-25
		ulps := math.Abs(float64(got)-want) * math.Float64frombits((2*1023+23-e)<<52)
		if ulps > closeTo1 || ulps != ulps {
			var exact float64
			if ulps, exact = exactFloat32(v, got); !(ulps <= 1) {
				broken(i, exact)
			}
		}
		if ulps > worstULP {
			worst, worstULP = i, ulps
		}
	}
	if worst >= 0 {
		ulps, exact := exactFloat32(x[worst], y[worst])
		out.Worst = Worst{ulps, where("x = %x (%v): got %v, exact %v", x[worst], x[worst], y[worst], exact)}
	}
	return out
}

// exactFloat32 is the error in ULP; infinite for a result that is no number.
func exactFloat32(x, got float32) (ulps, want float64) {
	if got != got || math.IsInf(float64(got), 0) {
		return math.Inf(1), math.Log1p(float64(x))
	}
	return exactULP(float64(x), float64(got), 24, -126)
}

// float64Samples tries random inputs where Log1p is hard.
func float64Samples(ctx context.Context, run Runner, found *findings, samples int) error {
	for first := 0; first < samples; first += chunk {
		n := min(chunk, samples-first)
		x, err := tensor.Of(Log1pInputs(rand.New(rand.NewPCG(64, uint64(first))), n), n)
		if err != nil {
			return err
		}
		y, err := run(ctx, tensor.Log1p{}, x)
		if err != nil {
			return err
		}
		const part = 1 << 14
		err = each(ctx, (n+part-1)/part, func(i int) error {
			slice := func(d tensor.Dense) tensor.Dense {
				data := d.Data[8*part*i : min(8*part*(i+1), len(d.Data))]
				return tensor.Dense{Type: tensor.Type{DType: d.DType, Shape: tensor.Shape{len(data) / 8}}, Data: data}
			}
			return found.check(where("elements from %d on", first+i*part), tensor.Log1p{}, slice(y), slice(x))
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// check compares a result with the oracle's values.
func (f *findings) check(what string, op tensor.Op, got tensor.Dense, inputs ...tensor.Dense) error {
	r, err := oracle.Check(op, got, inputs...)
	if err != nil {
		return err
	}
	out := Outcome{Elements: r.Elements}
	if r.Worst >= 0 {
		at := where("%s, element %d", what, r.Worst)
		if _, ok := op.(tensor.Log1p); ok && got.DType == tensor.F64 {
			x := tensor.ValuesOf[float64](inputs[0].Data)[r.Worst]
			at = where("x = %x (%v)", x, x)
			if x > -1 && !math.IsInf(x, 1) && r.Got-r.Got == 0 {
				r.MaxULP, r.Want = exactULP(x, r.Got, 53, -1022)
				r.Within = r.Within && r.MaxULP <= 1
			}
		}
		out.Worst = Worst{r.MaxULP, where("%s: got %v, exact %v", at, r.Got, r.Want)}
	}
	if !r.Within {
		out.Broken = out.Worst.Where
	}
	f.add(out)
	return nil
}

// checked runs an operator and compares the result.
func checked(ctx context.Context, run Runner, found *findings, what string, op tensor.Op, inputs ...tensor.Dense) error {
	got, err := run(ctx, op, inputs...)
	if err != nil {
		return err
	}
	return found.check(what, op, got, inputs...)
}
