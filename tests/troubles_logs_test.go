package tests

import (
	"fmt"
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"vkops/internal/cases"
	"vkops/tensor"
)

func TestLogCumSumExpTroubles(t *testing.T) {
	f32 := tensor.F32
	along := func(axis int, name string, x, want tensor.Dense, tolerance cases.Tolerance) trouble {
		return trouble{name, tensor.LogCumSumExp{Axis: axis}, []tensor.Dense{x}, want, tolerance}
	}
	two := tensor.Shape{2, 7}
	masked := []float64{2, negInf, negInf, 1, negInf, negInf, 3, 2, 1, negInf, 1, negInf, negInf, 3}
	e2 := func(x float64) float64 { return math.Exp(x) }
	down := make([]float64, 14)
	across := make([]float64, 14)
	for i := range down {
		down[i], across[i] = masked[i], math.Log(e2(masked[i]))
		if i >= 7 {
			down[i] = math.Log(e2(masked[i-7]) + e2(masked[i]))
		}
		if i%7 > 0 {
			across[i] = math.Log(e2(across[i-1]) + e2(masked[i]))
		}
	}
	close32, close64 := within(3e-7, 3e-7), within(1e-15, 1e-15)
	troubles := []trouble{
		along(0, "two -inf, axis 0", shaped(f32, two, masked...), shaped(f32, two, down...), close32),
		along(1, "two -inf, axis 1", shaped(f32, two, masked...), shaped(f32, two, across...), close32),
		along(0, "-inf first", row(f32, negInf, 1), row(f32, negInf, 1), close32),
		along(0, "all -inf", row(f32, negInf, negInf, negInf), row(f32, negInf, negInf, negInf), exact),
		along(0, "masked prefix", row(f32, negInf, negInf, negInf, 1), row(f32, negInf, negInf, negInf, 1), close32),
		along(0, "a large step", row(f32, 0, 100), row(f32, 0, 100), exact),
		along(0, "two large steps", row(f32, 0, 100, 69, 1000), row(f32, 0, 100, 100, 1000), exact),
		along(0, "+inf", row(f32, inf, inf, 1), row(f32, inf, inf, inf), exact),
		along(0, "+inf after -inf", row(f32, negInf, inf, negInf, 1), row(f32, negInf, inf, inf, inf), exact),
		along(0, "NaN in the middle", row(f32, 1, nan, 2), row(f32, 1, nan, nan), exact),
		along(0, "NaN first", row(f32, nan, inf, negInf), row(f32, nan, nan, nan), exact),
		along(0, "NaN after +inf", row(f32, inf, nan, 1), row(f32, inf, nan, nan), exact),
		along(0, "top of float32", row(f32, 3e38, 3e38, 3e38), row(f32, 3e38, 3e38, 3e38), exact),
		along(0, "top of float16", row(tensor.F16, 65504, 65504), row(tensor.F16, 65504, 65504), exact),
		along(0, "bottom of float32", row(f32, -3e38, -3e38, -3e38), row(f32, -3e38, -3e38, -3e38), exact),
		along(0, "logarithm of a probability of 1", row(tensor.F64, math.Log(0.25), math.Log(0.75)), row(tensor.F64, math.Log(0.25), 0), close64),
	}
	for name, of := range map[string]func(i int) float64{
		"rising ramp":         func(i int) float64 { return float64(i) * 0.25 },
		"falling ramp":        func(i int) float64 { return float64(-i) * 0.25 },
		"steep ramp":          func(i int) float64 { return float64(i) * 50 },
		"probabilities of 1":  func(i int) float64 { return math.Log(float64(i%7+1) / 16000) },
		"saw":                 func(i int) float64 { return float64(i * 37 % 101) },
		"rare in a long wait": func(i int) float64 { return float64(1-min(1, i%3000)) * -90 },
	} {
		for _, dtype := range []tensor.DType{tensor.F16, tensor.BF16, tensor.F32, tensor.F64} {
			troubles = append(troubles, along(0, name+" "+dtype.String(), filled(dtype, of, 4500), byOracle, exact))
		}
	}
	logs := func(i int) float64 { return math.Log(float64(i + 1)) }
	for _, c := range []struct {
		dtype     tensor.DType
		n         int
		tolerance cases.Tolerance
	}{
		{tensor.F16, 4096, within(0x1p-10, 0)}, {tensor.BF16, 1024, within(0x1p-7, 0)},
		{tensor.F32, 1000000, within(0x1p-22, 0)}, {tensor.F64, 100000, within(0x1p-51, 0)},
	} {
		x := filled(c.dtype, constant(0), c.n)
		troubles = append(troubles, along(0, "drift: "+c.dtype.String(), x, filled(c.dtype, logs, c.n), c.tolerance),
			along(1, "empty "+c.dtype.String(), filled(c.dtype, nil, 2, 0, 3), filled(c.dtype, nil, 2, 0, 3), exact))
	}
	requireTroubles(t, troubles)
}

// NaNs of any sign and payload go in, one NaN comes out, of first elements too.
func TestNaNPayloads(t *testing.T) {
	payloads := map[tensor.DType][]uint64{
		tensor.F16: {0x7c01, 0xfe00, 0xffff}, tensor.BF16: {0x7f81, 0xffc0, 0xffff},
		tensor.F32: {0x7f800001, 0xffc00000, 0xffffffff}, tensor.F64: {0x7ff<<52 | 1, 0xfff8 << 48, math.MaxUint64},
	}
	var troubles []trouble
	for dtype, all := range payloads {
		for _, bits := range all {
			first, later := row(dtype, 0, 1, 2, 3), row(dtype, 1, 0, inf, 3)
			put(first, 0, bits)
			put(later, 1, bits)
			for _, op := range []tensor.Op{tensor.CumSum{}, tensor.CumSum{Exclusive: true}, tensor.CumSum{Reverse: true}, tensor.LogCumSumExp{}, tensor.Log1p{}} {
				for _, x := range []tensor.Dense{first, later} {
					troubles = append(troubles, trouble{fmt.Sprintf("%s of NaN %x", op.Name(), bits), op, []tensor.Dense{x}, byOracle, exact})
				}
			}
			if dtype != tensor.BF16 {
				x := shaped(dtype, tensor.Shape{2, 1}, 0, 1)
				put(x, 0, bits)
				for _, reduction := range []tensor.Reduction{tensor.Mean, tensor.Sum, tensor.None} {
					troubles = append(troubles, trouble{fmt.Sprintf("nll of NaN %x", bits), tensor.NLL{Reduction: reduction},
						[]tensor.Dense{x, integers[int32](0, 0)}, byOracle, exact})
				}
			}
		}
	}
	requireTroubles(t, troubles)
}

func TestLog1pTroubles(t *testing.T) {
	of := func(name string, dtype tensor.DType, tolerance cases.Tolerance, xs ...float64) trouble {
		x := row(dtype, xs...)
		// The logarithm of what the type holds, not of what was written here.
		wants := make([]float64, len(xs))
		for i := range xs {
			wants[i] = math.Log1p(number(x, i))
		}
		return trouble{name, tensor.Log1p{}, []tensor.Dense{x}, row(dtype, wants...), tolerance}
	}
	tiny := math.Copysign(0, -1)
	requireTroubles(t, []trouble{
		of("small float32 go to 0", tensor.F32, exact, 1e-8, -1e-8, 1e-10, 1e-20, -1e-20, 0, tiny),
		of("small float64 go to 0", tensor.F64, exact, 1e-17, -1e-17, 1e-300, 0, tiny),
		of("series towards -1", tensor.F32, within(0x1p-23, 0), -0.999, -0.99, -0.9, -0.75, -0.5, -0.25, -0.1, 0.1, 0.25, 0.5),
		of("series towards -1, float64", tensor.F64, within(0x1p-52, 0), -0.999, -0.99, -0.9, -0.75, -0.5, -0.25, -0.1, 0.1, 0.25, 0.5),
		of("large bfloat16", tensor.BF16, exact, 1.821e38, 3e38, -0.5),
		of("bfloat16 constants", tensor.BF16, exact, 0.5, 10, 1e4, 0.2691408770292272),
		of("float16 subnormals", tensor.F16, exact, 6e-8, 1.2e-7, -6e-8, 6e-5),
		of("edges", tensor.F32, exact, -1, -2, inf, negInf, nan),
	})
}

func TestNLLTroubles(t *testing.T) {
	f32 := tensor.F32
	index := func(v int64) *int64 { return &v }
	nll := func(name string, op tensor.NLL, want tensor.Dense, inputs ...tensor.Dense) trouble {
		return trouble{name, op, inputs, want, exact}
	}
	mean, sum, none := tensor.NLL{}, tensor.NLL{Reduction: tensor.Sum}, tensor.NLL{Reduction: tensor.None}
	ignoring := func(op tensor.NLL, v int64) tensor.NLL {
		op.IgnoreIndex = index(v)
		return op
	}
	x := shaped(f32, tensor.Shape{4, 3}, -1, -2, -3, -4, -5, -6, -7, -8, -9, -10, -11, -12)
	labels := integers[int64](0, 1, 2, 1)
	scalar := func(dtype tensor.DType, v float64) tensor.Dense { return shaped(dtype, tensor.Shape{}, v) }
	spatial := filled(f32, func(i int) float64 { return -float64(i) }, 2, 3, 2, 2)
	spatialLabels, err := tensor.Of([]int32{2, 0, 1, 2, 0, 1, 2, 0}, 2, 2, 2)
	require.NoError(t, err)
	spatialLoss := filled(f32, func(i int) float64 {
		return float64(i/4*12 + []int{2, 0, 1, 2, 0, 1, 2, 0}[i]*4 + i%4)
	}, 2, 2, 2)
	holed := shaped(f32, tensor.Shape{2, 2}, nan, nan, -1, -2)
	weight := row(f32, 2, 3)
	troubles := []trouble{
		nll("none", none, row(f32, 1, 5, 9, 11), x, labels),
		nll("ignored are 0", ignoring(none, 1), row(f32, 1, 0, 9, 0), x, labels),
		nll("ignored leave the mean", ignoring(mean, 1), scalar(f32, 5), x, labels),
		nll("ignored leave the sum", ignoring(sum, 1), scalar(f32, 10), x, labels),
		nll("ignore -1, mean over the kept", ignoring(mean, -1), scalar(f32, 5), x, integers[int64](0, -1, 2, -1)),
		nll("ignore 255", ignoring(mean, 255), scalar(f32, 5), x, integers[int64](0, 255, 2, 255)),
		nll("ignore beyond 32 bits is no class", ignoring(mean, 1<<32), scalar(f32, 6.5), x, labels),
		nll("ignored NaN, mean", ignoring(mean, -1), scalar(f32, 2), holed, integers[int64](-1, 1)),
		nll("ignored NaN, sum", ignoring(sum, -1), scalar(f32, 2), holed, integers[int64](-1, 1)),
		nll("ignored NaN, none", ignoring(none, -1), row(f32, 0, 2), holed, integers[int64](-1, 1)),
		nll("all ignored, mean", ignoring(mean, -100), scalar(f32, nan), x, integers[int64](-100, -100, -100, -100)),
		nll("all ignored, sum", ignoring(sum, -100), scalar(f32, 0), x, integers[int64](-100, -100, -100, -100)),
		nll("all ignored, none", ignoring(none, -100), row(f32, 0, 0, 0, 0), x, integers[int64](-100, -100, -100, -100)),
		nll("weighted mean of one", mean, scalar(f32, float64(float32(0.0141))), shaped(f32, tensor.Shape{1, 2}, -0.0141, -4.2669), integers[int64](0), weight),
		nll("weighted mean", mean, scalar(f32, 8.0/5), shaped(f32, tensor.Shape{2, 2}, -1, 9, 9, -2), integers[int64](0, 1), weight),
		nll("negative weights", mean, scalar(f32, 4), shaped(f32, tensor.Shape{2, 2}, -1, 9, 9, -2), integers[int64](0, 1), row(f32, 2, -3)),
		nll("weights of 0", mean, scalar(f32, nan), shaped(f32, tensor.Shape{2, 2}, -1, 9, 9, -2), integers[int64](0, 1), row(f32, 0, 0)),
		nll("batch 0, mean", mean, scalar(f32, nan), filled(f32, nil, 0, 3), integers[int64]()),
		nll("batch 0, sum", sum, scalar(f32, 0), filled(f32, nil, 0, 3), integers[int64]()),
		nll("batch 0, none", none, filled(f32, nil, 0), filled(f32, nil, 0, 3), integers[int64]()),
		nll("empty inside", mean, scalar(f32, nan), filled(f32, nil, 2, 3, 0, 7), filled(tensor.I64, nil, 2, 0, 7)),
		nll("spatial", none, spatialLoss, spatial, spatialLabels),
		nll("float16 sum beyond the type", sum, scalar(tensor.F16, inf), filled(tensor.F16, constant(-0.5), 140000, 1), filled(tensor.I32, constant(0), 140000)),
		nll("float16 mean beyond the type", mean, scalar(tensor.F16, 0.5), filled(tensor.F16, constant(-0.5), 140000, 1), filled(tensor.I32, constant(0), 140000)),
	}
	millions := nll("mean over millions", mean, scalar(f32, float64(float32(0.1))), filled(f32, constant(-0.1), 2000000, 1), filled(tensor.I64, constant(0), 2000000))
	requireTroubles(t, append(troubles, millions))
}
