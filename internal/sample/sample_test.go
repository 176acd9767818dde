package sample

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"vkops/tensor"
)

func generator() *rand.Rand { return rand.New(rand.NewPCG(1, 2)) }

func TestSameSeedSameElements(t *testing.T) {
	for _, d := range tensor.AllDTypes() {
		for _, kind := range Kinds() {
			a, err := Tensor(generator(), tensor.Type{DType: d, Shape: tensor.Shape{3, 100}}, kind)
			require.NoError(t, err)
			b, err := Tensor(generator(), tensor.Type{DType: d, Shape: tensor.Shape{3, 100}}, kind)
			require.NoError(t, err)
			require.Equal(t, a, b)
			require.Len(t, a.Data, 300*d.Size())
		}
	}
}

func TestUniformIsNeverZeroAndUsesBothSigns(t *testing.T) {
	d, err := Tensor(generator(), tensor.Type{DType: tensor.F32, Shape: tensor.Shape{10000}}, Uniform)
	require.NoError(t, err)
	values, err := tensor.Values[float32](d)
	require.NoError(t, err)
	negative := 0
	for _, v := range values {
		require.NotZero(t, v)
		require.LessOrEqual(t, v, float32(1))
		require.GreaterOrEqual(t, v, float32(-1))
		if v < 0 {
			negative++
		}
	}
	require.InDelta(t, 5000, negative, 500)
}

func TestLogProbsAddUpToOne(t *testing.T) {
	d, err := Tensor(generator(), tensor.Type{DType: tensor.F64, Shape: tensor.Shape{130}}, LogProbs)
	require.NoError(t, err)
	values, err := tensor.Values[float64](d)
	require.NoError(t, err)
	for _, bounds := range [][2]int{{0, 64}, {64, 128}, {128, 130}} {
		sum := 0.0
		for _, v := range values[bounds[0]:bounds[1]] {
			sum += math.Exp(v)
		}
		require.InDelta(t, 1, sum, 1e-12)
	}
}

func TestSpecialsHoldEverySpecialValue(t *testing.T) {
	for _, d := range []tensor.DType{tensor.F32, tensor.F64} {
		seen := map[string]bool{}
		r := generator()
		for range 1000 {
			v := special(r, d)
			switch {
			case math.IsNaN(v):
				seen["nan"] = true
			case math.IsInf(v, 1):
				seen["+inf"] = true
			case math.IsInf(v, -1):
				seen["-inf"] = true
			case v == 0 && math.Signbit(v):
				seen["-0"] = true
			case v == 0:
				seen["+0"] = true
			}
		}
		require.Len(t, seen, 5)
	}
}

func TestLabelsStayInRangeExceptTheIgnored(t *testing.T) {
	ignored := int64(-7)
	for _, d := range []tensor.DType{tensor.I32, tensor.I64} {
		for _, ii := range []*int64{nil, &ignored} {
			labels, err := Labels(generator(), tensor.Type{DType: d, Shape: tensor.Shape{1000}}, 3, ii)
			require.NoError(t, err)
			count := map[int64]int{}
			if d == tensor.I32 {
				for _, v := range tensor.ValuesOf[int32](labels.Data) {
					count[int64(v)]++
				}
			} else {
				for _, v := range tensor.ValuesOf[int64](labels.Data) {
					count[v]++
				}
			}
			want := 3
			if ii != nil {
				want = 4
				require.InDelta(t, 250, count[ignored], 100)
			}
			require.Len(t, count, want)
		}
	}
	_, err := Labels(generator(), tensor.Type{DType: tensor.F32}, 3, nil)
	require.ErrorIs(t, err, tensor.ErrType)
	_, err = Labels(generator(), tensor.Type{DType: tensor.I32, Shape: tensor.Shape{2}}, 0, nil)
	require.ErrorIs(t, err, tensor.ErrShape)
	_, err = Labels(generator(), tensor.Type{DType: tensor.I32, Shape: tensor.Shape{0}}, 0, nil)
	require.NoError(t, err)
}
