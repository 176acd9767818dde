package elements

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/x448/float16"

	"vkops/tensor"
)

func of[T tensor.Element](t *testing.T, values ...T) tensor.Dense {
	d, err := tensor.Of(values, len(values))
	require.NoError(t, err)
	return d
}

func TestDiffering(t *testing.T) {
	for _, c := range []struct {
		a, b         tensor.Dense
		count, first int64
	}{
		{of(t, int32(1), 2), of(t, int32(1), 2), 0, -1},
		{of(t, float32(0), 1, 2), of(t, float32(0), 1.5, 3), 2, 1},
		{of(t, 0.0), of(t, math.Copysign(0, -1)), 1, 0},
		{of(t, uint64(5), 1<<63), of(t, uint64(5), 0), 1, 1},
		{of[float64](t), of[float64](t), 0, -1},
	} {
		count, first := Differing(c.a, c.b)
		assert.Equal(t, [2]int64{c.count, c.first}, [2]int64{count, first})
	}
}

func TestText(t *testing.T) {
	for want, d := range map[string]tensor.Dense{
		"1.5 (0x3e00)":                             of(t, float16.Fromfloat32(1.5)),
		"1.5 (0x3fc0)":                             of(t, tensor.BFloat16FromFloat32(1.5)),
		"1.5 (0x3fc00000)":                         of(t, float32(1.5)),
		"-2 (0xc000000000000000)":                  of(t, -2.0),
		"-1 (0xffffffff)":                          of(t, int32(-1)),
		"-2 (0xfffffffffffffffe)":                  of(t, int64(-2)),
		"7 (0x00000007)":                           of(t, uint32(7)),
		"9223372036854775808 (0x8000000000000000)": of(t, uint64(1)<<63),
	} {
		assert.Equal(t, want, Text(d, 0))
	}
}
