package tensor

import (
	"errors"
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/x448/float16"

	"vkops/internal/hostmemory"
)

func TestBFloat16RoundsToNearestEven(t *testing.T) {
	for _, c := range []struct {
		in   uint32
		want BFloat16
	}{
		{0x3f800000, 0x3f80}, {0x80000000, 0x8000},
		{0x3f808000, 0x3f80}, {0x3f818000, 0x3f82}, {0x3f808001, 0x3f81}, // ties and just above one
		{math.Float32bits(0.2691408770292272), 0x3e8a}, // cutting would give 0x3e89
		{0x7f7fffff, 0x7f80}, {0xff7fffff, 0xff80}, {0x7f800000, 0x7f80},
		{0x7f800001, 0x7fc0}, {0xffffffff, 0x7fc0}, // NaN payload only in the low bits
		{0x00000001, 0x0000}, {0x00008001, 0x0001},
	} {
		assert.Equal(t, c.want, BFloat16FromFloat32(math.Float32frombits(c.in)), "%08x", c.in)
	}
	for i := 0; i <= 0xffff; i++ {
		b := BFloat16(i)
		if f := b.Float32(); f == f {
			require.Equal(t, b, BFloat16FromFloat32(f))
		}
	}
}

func TestShapeElements(t *testing.T) {
	for _, c := range []struct {
		shape Shape
		want  int64
	}{{nil, 1}, {Shape{}, 1}, {Shape{3}, 3}, {Shape{2, 3}, 6}, {Shape{0}, 0}, {Shape{math.MaxInt, math.MaxInt, 0}, 0}, {Shape{math.MaxInt}, math.MaxInt}} {
		n, err := c.shape.Elements()
		require.NoError(t, err)
		assert.Equal(t, c.want, n, "%v", c.shape)
	}
	for _, s := range []Shape{{-1}, {0, -1}, {1 << 32, 1 << 31}} {
		_, err := s.Elements()
		assert.ErrorIs(t, err, ErrShape, "%v", s)
	}
	_, err := Type{F64, Shape{1 << 61}}.Bytes()
	assert.ErrorIs(t, err, ErrShape)
}

func TestViews(t *testing.T) {
	v, err := CumSum{Axis: -2}.View(Shape{2, 3, 4, 5})
	require.NoError(t, err)
	assert.Equal(t, View{Outer: 6, N: 4, Inner: 5}, v)
	assert.Equal(t, int64(30), v.Lines())
	v, err = LogCumSumExp{}.View(Shape{7})
	require.NoError(t, err)
	assert.Equal(t, View{1, 7, 1}, v)
	v, err = CumSum{Axis: 1}.View(Shape{math.MaxInt, 0, math.MaxInt})
	require.NoError(t, err)
	assert.Zero(t, v.Elements())
	assert.Equal(t, NLLView{2, 3, 20}, NLL{}.View(Shape{2, 3, 4, 5}))
	assert.Equal(t, NLLView{2, 3, 1}, NLL{}.View(Shape{2, 3}))
}

func TestInferRefuses(t *testing.T) {
	f32 := func(s ...int) Type { return Type{F32, s} }
	i64 := func(s ...int) Type { return Type{I64, s} }
	for _, c := range []struct {
		op   Op
		in   []Type
		kind error
		msg  string
	}{
		{CumSum{Axis: 3}, []Type{f32(2, 3)}, ErrAxis, "cumsum: axis 3 out of range for rank 2"},
		{CumSum{Axis: -46}, []Type{f32(3, 0, 4)}, ErrAxis, "cumsum: axis -46 out of range for rank 3"},
		{CumSum{}, []Type{f32()}, ErrAxis, "cumsum: a scalar has no axis; rank must be at least 1"},
		{CumSum{}, []Type{{Invalid, Shape{1}}}, ErrType, "cumsum: x has element type invalid; allowed: float16, bfloat16, float32, float64, int32, int64, uint32, uint64"},
		{CumSum{}, []Type{f32(-1)}, ErrShape, "cumsum: x: shape mismatch: negative dimension -1 in [-1]"},
		{CumSum{}, nil, ErrArity, "cumsum: 0 inputs, takes 1"},
		{LogCumSumExp{Axis: -2}, []Type{f32(4)}, ErrAxis, "logcumsumexp: axis -2 out of range for rank 1"},
		{LogCumSumExp{}, []Type{{I32, Shape{4}}}, ErrType, "logcumsumexp: X has element type int32; allowed: float16, bfloat16, float32, float64"},
		{Log1p{}, []Type{{U64, nil}}, ErrType, "log1p: input has element type uint64; allowed: float16, bfloat16, float32, float64"},
		{LogSoftmax{}, []Type{{I32, Shape{4}}}, ErrType, "logsoftmax: input has element type int32; allowed: float16, bfloat16, float32, float64"},
		{LogSoftmax{}, []Type{f32(-1)}, ErrShape, "logsoftmax: input: shape mismatch: negative dimension -1 in [-1]"},
		{NLL{}, []Type{f32(2, 3)}, ErrArity, "nll: 1 inputs, takes 2 to 3"},
		{NLL{}, []Type{f32(2), i64(2)}, ErrShape, "nll: input [2] has rank 1; must be at least 2"},
		{NLL{}, []Type{f32(2, 3), i64(3)}, ErrShape, "nll: target has shape [3]; input [2 3] needs [2]"},
		{NLL{}, []Type{f32(2, 3), f32(2)}, ErrType, "nll: target has element type float32; allowed: int32, int64"},
		{NLL{}, []Type{{BF16, Shape{2, 3}}, i64(2)}, ErrType, "nll: input has element type bfloat16; allowed: float16, float32, float64"},
		{NLL{}, []Type{f32(2, 3), i64(2), f32(4)}, ErrShape, "nll: weight has shape [4]; 3 classes need [3]"},
		{NLL{}, []Type{f32(2, 3), i64(2), {F64, Shape{3}}}, ErrType, "nll: weight has element type float64; input has float32"},
		{NLL{Reduction: 7}, []Type{f32(2, 3), i64(2)}, ErrAttribute, "nll: reduction 7 is not mean, sum or none"},
	} {
		_, err := c.op.Infer(c.in...)
		require.Error(t, err, c.msg)
		assert.ErrorIs(t, err, c.kind)
		assert.Equal(t, c.msg, err.Error())
		var e *Error
		require.True(t, errors.As(err, &e))
		assert.Equal(t, c.op.Name(), e.Op)
	}
}

func TestInferGivesOutputType(t *testing.T) {
	in, target := Type{F16, Shape{2, 3, 4}}, Type{I32, Shape{2, 4}}
	out, err := NLL{Reduction: None}.Infer(in, target)
	require.NoError(t, err)
	assert.True(t, out.Equal(Type{F16, Shape{2, 4}}), "%s", out)
	out, err = NLL{}.Infer(in, target, Type{F16, Shape{3}})
	require.NoError(t, err)
	assert.True(t, out.Equal(Type{F16, Shape{}}), "%s", out)
	for _, s := range []Shape{{}, {0, 3}, {2}} {
		out, err = Log1p{}.Infer(Type{BF16, s})
		require.NoError(t, err)
		assert.True(t, out.Equal(Type{BF16, s}))
	}
}

func TestDense(t *testing.T) {
	d, err := Of([]float32{1, 2, 3, 4, 5, 6}, 2, 3)
	require.NoError(t, err)
	assert.Equal(t, "float32[2 3]", d.Type.String())
	v, err := Values[float32](d)
	require.NoError(t, err)
	assert.Equal(t, []float32{1, 2, 3, 4, 5, 6}, v)
	_, err = Values[int32](d)
	assert.ErrorIs(t, err, ErrType)
	_, err = Of([]float32{1}, 2)
	assert.ErrorIs(t, err, ErrShape)
	z, err := NewDense(Type{F64, Shape{3}})
	require.NoError(t, err)
	assert.Len(t, z.Data, 24)
	_, err = NewDense(Type{Invalid, Shape{3}})
	assert.ErrorIs(t, err, ErrType)
}

func TestDTypes(t *testing.T) {
	for _, d := range AllDTypes() {
		got, err := ParseDType(d.String())
		require.NoError(t, err)
		assert.Equal(t, d, got)
	}
	_, err := ParseDType("invalid")
	assert.ErrorIs(t, err, ErrType)
	assert.Equal(t, F16, DTypeOf[float16.Float16]())
	assert.Equal(t, BF16, DTypeOf[BFloat16]())
	assert.Equal(t, U64, DTypeOf[uint64]())
	assert.Equal(t, "dtype(99)", DType(99).String())
	assert.Zero(t, DType(99).Size())
	for _, r := range []Reduction{Mean, Sum, None} {
		got, err := ParseReduction("nll", r.String())
		require.NoError(t, err)
		assert.Equal(t, r, got)
	}
	_, err = ParseReduction("crossentropy", "median")
	assert.ErrorIs(t, err, ErrAttribute)
	assert.EqualError(t, err, `crossentropy: reduction "median" is not mean, sum or none`)
}

// What no memory holds is an error, not the end of the process.
func TestNewDenseBeyondMemory(t *testing.T) {
	for _, n := range []int{1 << 44, 1 << 50, 1 << 60} {
		_, err := NewDense(Type{DType: F32, Shape: Shape{n}})
		assert.ErrorIs(t, err, hostmemory.ErrOut, "%d elements", n)
	}
	_, err := NewDense(Type{DType: F32, Shape: Shape{1 << 40, 0, 1 << 60}})
	assert.NoError(t, err, "no element")
}
