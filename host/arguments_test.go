package host_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"vkops/host"
	"vkops/tensor"
)

func TestBadArgumentsOfSlices(t *testing.T) {
	onEach(t, func(t *testing.T, rt *host.Runtime) {
		x := f32(1, 2, 3, 4, 5, 6)
		shape := tensor.Shape{2, 3}
		cumsum := func(dst, x []float32, shape tensor.Shape, axis int) func() error {
			return func() error {
				_, err := host.CumSum(ctx, rt, dst, x, shape, tensor.CumSum{Axis: axis})
				return err
			}
		}
		nll := func(dst, x []float32, target []int64, weight []float32, shape tensor.Shape, op tensor.NLL) func() error {
			return func() error {
				_, err := host.NLL(ctx, rt, dst, x, target, weight, shape, op)
				return err
			}
		}
		two, weight := []int64{0, 1}, f32(1, 1)
		for _, c := range []struct {
			run  func() error
			kind error
			text string
		}{
			{cumsum(nil, x, shape, 3), host.ErrAxis, "cumsum: axis 3 out of range for rank 2"},
			{cumsum(nil, x, shape, -3), host.ErrAxis, "cumsum: axis -3 out of range for rank 2"},
			{cumsum(nil, nil, tensor.Shape{3, 0, 4}, -46), host.ErrAxis, "cumsum: axis -46 out of range for rank 3"},
			{cumsum(nil, x[:1], tensor.Shape{}, 0), host.ErrAxis, "cumsum: a scalar has no axis; rank must be at least 1"},
			{cumsum(nil, x[:5], shape, 0), host.ErrShape, "cumsum: x has 5 elements; shape [2 3] holds 6"},
			{cumsum(nil, x, tensor.Shape{2, -3}, 0), host.ErrShape, "cumsum: x: shape mismatch: negative dimension -3 in [2 -3]"},
			{cumsum(make([]float32, 7), x, shape, 0), host.ErrShape, "cumsum: dst has 7 elements; result [2 3] holds 6"},
			{cumsum(x[1:], x[:5], tensor.Shape{5}, 0), host.ErrOverlap, "cumsum: dst overlaps the x"},
			{nll(nil, x, two[:1], nil, shape, tensor.NLL{}), host.ErrShape, "nll: target has 1 elements; shape [2] holds 2"},
			{nll(nil, x, two, f32(1, 1), shape, tensor.NLL{}), host.ErrShape, "nll: weight has shape [2]; 3 classes need [3]"},
			{nll(nil, x, two, nil, shape, tensor.NLL{Reduction: 9}), host.ErrAttribute, "nll: reduction 9 is not mean, sum or none"},
			{nll(nil, x, two, nil, tensor.Shape{6}, tensor.NLL{}), host.ErrShape, "nll: input [6] has rank 1; must be at least 2"},
			{nll(x[:1], x, two, nil, shape, tensor.NLL{}), host.ErrOverlap, "nll: dst overlaps the input"},
			{nll(weight, x[:4], two, weight, tensor.Shape{2, 2}, tensor.NLL{Reduction: tensor.None}), host.ErrOverlap, "nll: dst overlaps the weight"},
			{nll(nil, x, []int64{0, 3}, nil, shape, tensor.NLL{}), host.ErrTarget, "nll: target[1] = 3 is outside [0, 3) and is not ignore_index"},
			{nll(nil, x, []int64{-1 << 40, 3}, nil, shape, tensor.NLL{}), host.ErrTarget, "nll: target[0] = -1099511627776 is outside [0, 3) and is not ignore_index"},
		} {
			err := c.run()
			assert.ErrorIs(t, err, c.kind)
			assert.EqualError(t, err, c.text)
		}
	})
}

func TestBadArgumentsOfTensors(t *testing.T) {
	onEach(t, func(t *testing.T, rt *host.Runtime) {
		other := openTwin(t)
		upload := func(rt *host.Runtime, shape ...int) *host.Tensor[float32] {
			n, err := tensor.Shape(shape).Elements()
			require.NoError(t, err)
			x, err := host.Upload(rt, make([]float32, n), shape)
			require.NoError(t, err)
			return x
		}
		x, foreign, freed := upload(rt, 2, 3), upload(other, 2, 3), upload(rt, 2, 3)
		freed.Free()
		freed.Free()
		ints, err := host.Upload(rt, make([]int64, 2), tensor.Shape{2})
		require.NoError(t, err)
		weight := upload(rt, 2)
		square := upload(rt, 2, 2)
		for _, c := range []struct {
			op     tensor.Op
			dst    *host.Buffer
			inputs []*host.Buffer
			kind   error
			text   string
		}{
			{tensor.CumSum{Axis: 2}, nil, []*host.Buffer{x.Buffer}, host.ErrAxis, "cumsum: axis 2 out of range for rank 2"},
			{tensor.CumSum{}, nil, nil, host.ErrArity, "cumsum: 0 inputs, takes 1"},
			{tensor.CumSum{}, nil, []*host.Buffer{x.Buffer, x.Buffer}, host.ErrArity, "cumsum: 2 inputs, takes 1"},
			{tensor.CumSum{}, nil, []*host.Buffer{nil}, host.ErrArity, "cumsum: x is nil"},
			{tensor.CumSum{}, nil, []*host.Buffer{freed.Buffer}, host.ErrFreed, "cumsum: x was freed"},
			{tensor.CumSum{}, freed.Buffer, []*host.Buffer{x.Buffer}, host.ErrFreed, "cumsum: output was freed"},
			{tensor.CumSum{}, nil, []*host.Buffer{foreign.Buffer}, host.ErrForeign, "cumsum: x belongs to another runtime"},
			{tensor.CumSum{}, foreign.Buffer, []*host.Buffer{x.Buffer}, host.ErrForeign, "cumsum: output belongs to another runtime"},
			{tensor.CumSum{}, square.Buffer, []*host.Buffer{x.Buffer}, host.ErrShape, "cumsum: output has shape [2 2]; result has [2 3]"},
			{tensor.CumSum{}, ints.Buffer, []*host.Buffer{weight.Buffer}, host.ErrType, "cumsum: output has element type int64; result has float32"},
			{tensor.Log1p{}, nil, []*host.Buffer{ints.Buffer}, host.ErrType, "log1p: input has element type int64; allowed: float16, bfloat16, float32, float64"},
			{tensor.LogCumSumExp{}, nil, []*host.Buffer{ints.Buffer}, host.ErrType, "logcumsumexp: X has element type int64; allowed: float16, bfloat16, float32, float64"},
			{tensor.NLL{Reduction: tensor.None}, weight.Buffer, []*host.Buffer{square.Buffer, ints.Buffer, weight.Buffer}, host.ErrOverlap, "nll: output is the weight"},
			{tensor.NLL{}, nil, []*host.Buffer{x.Buffer, nil}, host.ErrArity, "nll: target is nil"},
			{nil, nil, []*host.Buffer{x.Buffer}, host.ErrUnsupported, host.ErrUnsupported.Error() + ": operator <nil> is not one of package tensor"},
			{&tensor.CumSum{}, nil, []*host.Buffer{x.Buffer}, host.ErrUnsupported, host.ErrUnsupported.Error() + ": operator *tensor.CumSum is not one of package tensor"},
		} {
			_, err := rt.Run(c.op, c.dst, c.inputs...)
			assert.ErrorIs(t, err, c.kind)
			assert.EqualError(t, err, c.text)
			_, err = rt.Record(func(r *host.Recording) error {
				_, err := r.Run(c.op, c.dst, c.inputs...)
				return err
			})
			assert.ErrorIs(t, err, c.kind, "recorded")
			assert.ErrorContains(t, err, c.text, "recorded")
		}
	})
}

func TestBadArgumentsOfTransfers(t *testing.T) {
	onEach(t, func(t *testing.T, rt *host.Runtime) {
		_, err := host.Upload(rt, f32(1, 2), tensor.Shape{3})
		assert.ErrorIs(t, err, host.ErrShape)
		_, err = host.NewTensor[float32](rt, tensor.Shape{-1})
		assert.ErrorIs(t, err, host.ErrShape)
		_, err = host.NewTensor[float32](rt, tensor.Shape{1 << 43})
		assert.ErrorIs(t, err, host.ErrOutOfMemory)
		_, err = rt.NewBuffer(tensor.Type{})
		assert.ErrorIs(t, err, host.ErrType)

		x, err := host.Upload(rt, f32(1, 2), tensor.Shape{2})
		require.NoError(t, err)
		_, err = x.Download(ctx, make([]float32, 3))
		assert.ErrorIs(t, err, host.ErrShape)
		assert.ErrorIs(t, x.Write(ctx, make([]float32, 1)), host.ErrShape)
		_, err = host.AsTensor[int32](x.Buffer)
		assert.ErrorIs(t, err, host.ErrType)
		same, err := host.AsTensor[float32](x.Buffer)
		require.NoError(t, err)
		//lint:ignore SA1012 a nil context waits for ever
		got, err := same.Download(nil, nil)
		require.NoError(t, err)
		assert.Equal(t, f32(1, 2), got)

		x.Free()
		_, err = x.Download(ctx, nil)
		assert.ErrorIs(t, err, host.ErrFreed)
		assert.ErrorIs(t, x.Write(ctx, f32(1, 2)), host.ErrFreed)
		assert.ErrorIs(t, x.Wait(ctx), host.ErrFreed)
		_, err = x.Mapped(ctx)
		assert.ErrorIs(t, err, host.ErrFreed)

		var none *host.Tensor[float32]
		_, err = none.Download(ctx, nil)
		assert.ErrorIs(t, err, host.ErrArity)
		_, err = host.Log1pTensor(rt, nil, none)
		assert.ErrorIs(t, err, host.ErrArity)
	})
}

func TestEndedContext(t *testing.T) {
	onEach(t, func(t *testing.T, rt *host.Runtime) {
		ended, cancel := context.WithCancel(ctx)
		cancel()
		_, err := host.CumSum(ended, rt, nil, f32(1), tensor.Shape{1}, tensor.CumSum{})
		assert.ErrorIs(t, err, context.Canceled)
	})
}

func TestOpen(t *testing.T) {
	_, err := host.Open(host.WithDevice("no such device"))
	assert.ErrorIs(t, err, host.ErrNoDevice)
	_, err = host.Open(host.WithDevice("cpu"), host.WithStrategy("fastest"))
	assert.ErrorIs(t, err, host.ErrAttribute)
	for _, size := range []int{-1, 3, 1 << 17} {
		_, err = host.Open(host.WithDevice("cpu"), host.WithWorkgroupSize(size))
		assert.ErrorIs(t, err, host.ErrAttribute)
	}

	rt, err := host.Open(host.WithDevice("no such device"), host.WithTwinFallback())
	require.NoError(t, err)
	assert.True(t, rt.Device().Twin)
	require.NoError(t, rt.Close())

	for _, name := range []string{"cpu", "CPU", "Cpu", " cpu\n"} {
		t.Setenv("VKOPS_DEVICE", name)
		rt, err := host.Open()
		require.NoError(t, err)
		assert.True(t, rt.Device().Twin)
		assert.Equal(t, "cpu", rt.Device().Name)
		require.NoError(t, rt.Close())
	}
	t.Setenv("VKOPS_DEVICE", "no such device")
	_, err = host.Open()
	assert.ErrorIs(t, err, host.ErrNoDevice)
}

// What is nil, or too short, is an error and no panic.
func TestNothingGiven(t *testing.T) {
	rt, err := host.Open(nil, host.WithDevice("cpu"))
	require.NoError(t, err, "an option that is nil changes nothing")
	defer rt.Close()
	x, err := host.Upload(rt, f32(1, 2, 3, 4), tensor.Shape{2, 2})
	require.NoError(t, err)
	var recording *host.Recording
	for _, c := range []struct {
		run  func() error
		kind error
		text string
	}{
		{func() error {
			_, err := host.CumSum(ctx, nil, nil, f32(1), tensor.Shape{1}, tensor.CumSum{})
			return err
		}, host.ErrClosed, "cumsum: closed: the runtime is nil"},
		{func() error { _, err := host.CumSumTensor(nil, nil, x, tensor.CumSum{}); return err }, host.ErrClosed, "cumsum: the runtime or recording is nil"},
		{func() error { _, err := host.CumSumTensor(recording, nil, x, tensor.CumSum{}); return err }, host.ErrClosed, "closed: the recording is nil"},
		{func() error { _, err := rt.Record(nil); return err }, host.ErrAttribute, "record: bad attribute: no function is given"},
		{func() error { _, err := x.Download(ctx, make([]float32, 3)); return err }, host.ErrShape, "download: shape mismatch: 3 elements for float32[2 2], which holds 4"},
		{func() error { return x.Write(ctx, f32(1, 2)) }, host.ErrShape, "write: shape mismatch: 2 elements for float32[2 2], which holds 4"},
	} {
		err := c.run()
		assert.ErrorIs(t, err, c.kind)
		assert.EqualError(t, err, c.text)
	}
}

// TestWhatWasNeverOpened uses the zero values and nil in place of what Open, NewBuffer
// and Record give.
func TestWhatWasNeverOpened(t *testing.T) {
	typ := tensor.Type{DType: tensor.F32, Shape: tensor.Shape{3}}
	for _, rt := range []*host.Runtime{nil, {}} {
		_, err := host.Log1p(ctx, rt, nil, f32(1))
		assert.ErrorIs(t, err, host.ErrClosed)
		_, err = rt.NewBuffer(typ)
		assert.ErrorIs(t, err, host.ErrClosed)
		_, err = rt.Explain(tensor.Log1p{}, typ)
		assert.ErrorIs(t, err, host.ErrClosed)
		_, err = rt.Record(func(*host.Recording) error { return nil })
		assert.ErrorIs(t, err, host.ErrClosed)
		assert.NoError(t, rt.Close())
	}
	for _, rec := range []*host.Recorded{nil, {}} {
		assert.ErrorIs(t, rec.Run(), host.ErrClosed)
		assert.ErrorIs(t, rec.Wait(ctx), host.ErrClosed)
		rec.Free()
	}
	for _, r := range []*host.Recording{nil, {}} {
		_, err := r.Run(tensor.Log1p{}, nil)
		assert.ErrorIs(t, err, host.ErrClosed)
	}
	assert.Empty(t, (*host.Runtime)(nil).Device().Name)
	new(host.Meter).Close()
	for _, b := range []*host.Buffer{nil, {}} {
		assert.Empty(t, b.Type().Shape)
		assert.Empty(t, b.Shape())
		_, err := b.Download(ctx)
		assert.ErrorIs(t, err, host.ErrArity)
		assert.ErrorIs(t, b.Wait(ctx), host.ErrArity)
		b.Free()
	}
	for _, x := range []*host.Tensor[float32]{nil, {}} {
		assert.Empty(t, x.Type().Shape)
		assert.Empty(t, x.Shape())
		_, err := x.Download(ctx, nil)
		assert.ErrorIs(t, err, host.ErrArity)
		_, err = x.Mapped(ctx)
		assert.ErrorIs(t, err, host.ErrArity)
		assert.ErrorIs(t, x.DownloadInto(ctx, tensor.Dense{}), host.ErrArity)
		assert.ErrorIs(t, x.Write(ctx, nil), host.ErrArity)
		assert.ErrorIs(t, x.Wait(ctx), host.ErrArity)
		x.Free()
	}
}
