package tests

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"vkops/tensor"
)

func cumsum(name string, op tensor.CumSum, x, want tensor.Dense) trouble {
	return trouble{name, op, []tensor.Dense{x}, want, exact}
}

func TestCumSumTroubles(t *testing.T) {
	forward, exclusive := tensor.CumSum{}, tensor.CumSum{Exclusive: true}
	reverse, both := tensor.CumSum{Reverse: true}, tensor.CumSum{Exclusive: true, Reverse: true}
	f32 := tensor.F32
	troubles := []trouble{
		cumsum("look-back loses an aggregate", forward, filled(tensor.I64, constant(1), 524288), filled(tensor.I64, ramp, 524288)),
		cumsum("half sticks at 2048", forward, row(tensor.F16, 2048, 1, 1, 1), row(tensor.F16, 2048, 2048, 2050, 2052)),
		cumsum("bfloat16 sticks at 256", forward, row(tensor.BF16, 256, 1, 1, 1), row(tensor.BF16, 256, 256, 258, 260)),
		cumsum("4096 ones of float16", forward, filled(tensor.F16, constant(1), 4096), filled(tensor.F16, ramp, 4096)),
		cumsum("512 ones of bfloat16", forward, filled(tensor.BF16, constant(1), 512), filled(tensor.BF16, ramp, 512)),
		cumsum("exclusive by subtraction", exclusive, row(f32, 1, 1<<25), row(f32, 0, 1)),
		cumsum("exclusive infinities", exclusive, row(f32, 1, inf, 2, negInf, 3), row(f32, 0, 1, inf, inf, nan)),
		cumsum("infinities", forward, row(f32, 1, inf, 2, negInf, 3), row(f32, 1, inf, inf, nan, nan)),
		cumsum("negative axis", tensor.CumSum{Axis: -1}, filled(f32, constant(1), 10, 2), filled(f32, func(i int) float64 { return float64(i%2 + 1) }, 10, 2)),
		cumsum("rank 5", forward, filled(f32, constant(1), 1, 2, 3, 4, 5), filled(f32, constant(1), 1, 2, 3, 4, 5)),
		cumsum("rank 9", tensor.CumSum{Axis: 4}, filled(f32, constant(1), 1, 2, 1, 2, 3, 1, 2, 1, 2), filled(f32, func(i int) float64 { return float64(i/4%3 + 1) }, 1, 2, 1, 2, 3, 1, 2, 1, 2)),
		cumsum("uint64 beyond 32 bits", forward, integers[uint64](1<<32-1, 1), integers[uint64](1<<32-1, 1<<32)),
		cumsum("int64 sums beyond 32 bits", forward, filled(tensor.I64, constant(1<<30), 5000), filled(tensor.I64, func(i int) float64 { return float64(i+1) * (1 << 30) }, 5000)),
		cumsum("int64 borrows", forward, integers[int64](-1, 1), integers[int64](-1, 0)),
		cumsum("int64 wraps", forward, integers[int64](math.MaxInt64, 1, 1), integers[int64](math.MaxInt64, math.MinInt64, math.MinInt64+1)),
		cumsum("uint64 wraps", reverse, integers[uint64](5, 1, math.MaxUint64), integers[uint64](5, 0, math.MaxUint64)),
		cumsum("sums beyond 2^30", forward, filled(tensor.U32, constant(1<<20), 4096), filled(tensor.U32, func(i int) float64 { return float64((i + 1) << 20 % (1 << 32)) }, 4096)),
		cumsum("zeros", forward, filled(f32, constant(0), 1000000), filled(f32, constant(0), 1000000)),
		cumsum("one long row", tensor.CumSum{Axis: 1}, filled(f32, constant(1), 1, 16384, 32), filled(f32, func(i int) float64 { return float64(i/32 + 1) }, 1, 16384, 32)),
	}
	for _, dtype := range tensor.AllDTypes() {
		troubles = append(troubles,
			cumsum("every type: "+dtype.String(), forward, row(dtype, 1, 2, 3, 4, 5), row(dtype, 1, 3, 6, 10, 15)),
			cumsum("mode forward "+dtype.String(), forward, row(dtype, 1, 2, 3), row(dtype, 1, 3, 6)),
			cumsum("mode exclusive "+dtype.String(), exclusive, row(dtype, 1, 2, 3), row(dtype, 0, 1, 3)),
			cumsum("mode reverse "+dtype.String(), reverse, row(dtype, 1, 2, 3), row(dtype, 6, 5, 3)),
			cumsum("mode both "+dtype.String(), both, row(dtype, 1, 2, 3), row(dtype, 5, 3, 0)),
			cumsum("empty "+dtype.String(), forward, filled(dtype, nil, 0), filled(dtype, nil, 0)),
			cumsum("empty lines "+dtype.String(), tensor.CumSum{Axis: 1}, filled(dtype, nil, 3, 0, 4), filled(dtype, nil, 3, 0, 4)),
			cumsum("no lines "+dtype.String(), tensor.CumSum{Axis: 1, Exclusive: true, Reverse: true}, filled(dtype, nil, 0, 5), filled(dtype, nil, 0, 5)),
			cumsum("empty last "+dtype.String(), forward, filled(dtype, nil, 2, 0), filled(dtype, nil, 2, 0)))
	}
	drift := cumsum("drift of 16384 small terms", forward, filled(f32, constant(float64(float32(0.0090909))), 16384),
		filled(f32, func(i int) float64 { return float64(float32(0.0090909)) * float64(i+1) }, 16384))
	large := cumsum("drift of large terms", forward, filled(f32, func(i int) float64 { return float64(float32(1e10 + float64(i)*1e6)) }, 10000), tensor.Dense{})
	sum := 0.0
	large.want = filled(f32, func(i int) float64 { sum += float64(float32(1e10 + float64(i)*1e6)); return sum }, 10000)
	drift.tolerance, large.tolerance = within(0x1p-23, 0), within(0x1p-23, 0)
	requireTroubles(t, append(troubles, drift, large))
}

// A workgroup for each of so many lines is slow on a CPU, so these are tried in one
// setting only; TestScansEqualTheTwin has such shapes in all of them.
func TestManyLines(t *testing.T) {
	troubles := []trouble{
		cumsum("more than 65535 lines", tensor.CumSum{}, filled(tensor.F32, func(i int) float64 { return float64(i % 1000) }, 2, 300, 300),
			filled(tensor.F32, func(i int) float64 {
				if i < 90000 {
					return float64(i % 1000)
				}
				return float64((i-90000)%1000 + i%1000)
			}, 2, 300, 300)),
		cumsum("70000 rows", tensor.CumSum{Axis: 1}, filled(tensor.I32, constant(1), 70000, 3), filled(tensor.I32, func(i int) float64 { return float64(i%3 + 1) }, 70000, 3)),
	}
	requireResults(t, devices(t)[0], troubles, onTwinJudged(t, troubles))
}

// The same bits call after call, on data that any other order of adding changes.
func TestCumSumIsTheSameEveryTime(t *testing.T) {
	rounds := 20
	if testing.Short() {
		rounds = 3
	}
	ints := filled(tensor.I32, func(i int) float64 { return float64(i * 7 % 4) }, 400001)
	floats := filled(tensor.F32, func(i int) float64 { return math.Mod(float64(i)*math.Pi, 1) }, 400003)
	everywhere(t, func(t *testing.T, run runner) {
		for _, x := range []tensor.Dense{ints, floats} {
			first, err := run(tensor.CumSum{}, x)
			require.NoError(t, err)
			for range rounds {
				again, err := run(tensor.CumSum{}, x)
				require.NoError(t, err)
				require.Equal(t, -1, differing(first, again))
			}
		}
	})
}
