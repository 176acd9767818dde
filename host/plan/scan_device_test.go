package plan_test

import (
	"bytes"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"vkops/cpuref"
	"vkops/host/plan"
	"vkops/tensor"
)

// randomBits fills a tensor: mostly moderate values, some specials.
func randomTensor(t *testing.T, rng *rand.Rand, typ tensor.Type) tensor.Dense {
	d, err := tensor.NewDense(typ)
	require.NoError(t, err)
	size := typ.DType.Size()
	for i := 0; i < len(d.Data); i += size {
		copy(d.Data[i:i+size], randomElement(rng, typ.DType))
	}
	return d
}

func randomElement(rng *rand.Rand, d tensor.DType) []byte {
	if !d.IsFloat() {
		return tensor.BytesOf([]uint64{rng.Uint64()})[:d.Size()]
	}
	x := rng.NormFloat64() * math.Exp2(float64(rng.IntN(20)-10))
	switch rng.IntN(5000) {
	case 0:
		x = math.Inf(1)
	case 1:
		x = math.Inf(-1)
	case 2:
		x = math.NaN()
	case 3, 4:
		x = math.Copysign(0, -1)
	}
	switch d {
	case tensor.F64:
		return tensor.BytesOf([]float64{x})
	case tensor.F32:
		return tensor.BytesOf([]float32{float32(x)})
	case tensor.BF16:
		return tensor.BytesOf([]tensor.BFloat16{tensor.BFloat16FromFloat32(float32(x))})
	default:
		return tensor.BytesOf([]tensor.BFloat16{tensor.BFloat16(rng.Uint32N(0x7000) | rng.Uint32N(2)<<15)})
	}
}

// requireSame compares bit for bit.
func requireSame(t *testing.T, want, got tensor.Dense, context string) {
	if bytes.Equal(want.Data, got.Data) {
		return
	}
	size, differ, first := want.DType.Size(), 0, -1
	for i := 0; i < len(want.Data); i += size {
		if !bytes.Equal(want.Data[i:i+size], got.Data[i:i+size]) {
			if first < 0 {
				first = i
			}
			differ++
		}
	}
	require.Failf(t, "bits differ", "%s: %d of %d elements, first at %d: want %x, got %x", context,
		differ, len(want.Data)/size, first/size, want.Data[first:first+size], got.Data[first:first+size])
}

func scanOps(axis int) []tensor.Op {
	return []tensor.Op{
		tensor.CumSum{Axis: axis},
		tensor.CumSum{Axis: axis, Exclusive: true},
		tensor.CumSum{Axis: axis, Reverse: true},
		tensor.CumSum{Axis: axis, Exclusive: true, Reverse: true},
	}
}

func TestScansMatchTwin(t *testing.T) {
	shapes := []struct {
		shape tensor.Shape
		axis  int
	}{
		{tensor.Shape{0}, 0}, {tensor.Shape{1}, 0}, {tensor.Shape{3, 4}, 1}, {tensor.Shape{3, 4}, 0},
	}
	for _, n := range []int{15, 16, 17, 255, 256, 257, 4095, 4096, 4097, 65535, 65536, 65537} {
		shapes = append(shapes, struct {
			shape tensor.Shape
			axis  int
		}{tensor.Shape{n}, 0}, struct {
			shape tensor.Shape
			axis  int
		}{tensor.Shape{n, 3}, 0}, struct {
			shape tensor.Shape
			axis  int
		}{tensor.Shape{2, n}, 1})
	}
	for _, r := range rigs(t) {
		for _, dtype := range tensor.AllDTypes() {
			for _, s := range shapes {
				for _, strategy := range []plan.Strategy{plan.Lane, plan.Workgroup} {
					for _, op := range scanOps(s.axis) {
						rng := rand.New(rand.NewPCG(1, uint64(len(s.shape))))
						name := fmt.Sprintf("%s %+v %s%s %s", r.device.Info().Name, op, dtype, s.shape, strategy)
						x := randomTensor(t, rng, tensor.Type{DType: dtype, Shape: s.shape})
						p, err := plan.New(op, []tensor.Type{x.Type}, r.limits, strategy)
						require.NoError(t, err, name)
						want, err := cpuref.Run(op, x)
						require.NoError(t, err)
						got, _ := r.run(t, p, false, x)
						requireSame(t, want, got, name)
						got, _ = r.run(t, p, true, x)
						requireSame(t, want, got, name+" in place")
					}
				}
			}
		}
	}
}
