package tests

import (
	"encoding/binary"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"vkops/tensor"
)

// A recipe says what random tensors hold.
type recipe int

const (
	plain recipe = iota
	late         // one special value near the end of the data
	dense        // special values all over the data
	recipes
)

func (r recipe) String() string { return [...]string{"plain", "late", "dense"}[r] }

// specials are the bits of values at the edges, by type. Subnormals are not among
// them: devices may flush those.
var specials = map[tensor.DType][]uint64{
	tensor.F16:  {0x7c00, 0xfc00, 0x7e00, 0xfe01, 0x8000, 0x0000, 0x7bff, 0xfbff, 0x0400},
	tensor.BF16: {0x7f80, 0xff80, 0x7fc0, 0xffc1, 0x8000, 0x0000, 0x7f7f, 0xff7f},
	tensor.F32:  {0x7f800000, 0xff800000, 0x7fc00000, 0xff800001, 0x80000000, 0, 0x7f7fffff, 0xff7fffff},
	tensor.F64:  {0x7ff << 52, 0xfff << 52, 0x7ff8 << 48, 0xfff<<52 | 1, 1 << 63, 0, 0x7fefffffffffffff, 0xffefffffffffffff},
	tensor.I32:  {0x7fffffff, 0x80000000, 0xffffffff, 0},
	tensor.U32:  {0x7fffffff, 0x80000000, 0xffffffff, 0},
	tensor.I64:  {math.MaxInt64, 1 << 63, math.MaxUint64, 0xffffffff, 0x80000000},
	tensor.U64:  {math.MaxInt64, 1 << 63, math.MaxUint64, 0xffffffff, 0x80000000},
}

// make gives a tensor of random values: any integers; floats of both signs whose
// sizes differ by up to a factor of 2^8.
func (kind recipe) make(t testing.TB, r *rand.Rand, dtype tensor.DType, shape ...int) tensor.Dense {
	d, err := tensor.NewDense(tensor.Type{DType: dtype, Shape: shape})
	require.NoError(t, err)
	size := dtype.Size()
	n := len(d.Data) / size
	for i := range n {
		put(d, i, value(dtype, r.Uint64()))
	}
	edge := specials[dtype]
	switch kind {
	case late:
		if n > 0 {
			put(d, n-1-r.IntN(min(n, 300)), edge[r.IntN(len(edge))])
		}
	case dense:
		for i := r.IntN(40); i < n; i += 1 + r.IntN(80) {
			put(d, i, edge[r.IntN(len(edge))])
		}
	}
	return d
}

// value turns random bits into those of a moderate value.
func value(dtype tensor.DType, bits uint64) uint64 {
	exponent := bits >> 60 & 7
	switch dtype {
	case tensor.F16:
		return bits&0x83ff | (10+exponent)<<10
	case tensor.BF16:
		return bits&0x807f | (120+exponent)<<7
	case tensor.F32:
		return bits&0x807fffff | (120+exponent)<<23
	case tensor.F64:
		return bits&(1<<63|1<<52-1) | (1016+exponent)<<52
	}
	return bits
}

func put(d tensor.Dense, i int, bits uint64) {
	switch d.DType.Size() {
	case 2:
		binary.LittleEndian.PutUint16(d.Data[2*i:], uint16(bits))
	case 4:
		binary.LittleEndian.PutUint32(d.Data[4*i:], uint32(bits))
	default:
		binary.LittleEndian.PutUint64(d.Data[8*i:], bits)
	}
}
