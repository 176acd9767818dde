package host

import (
	"bytes"
	"log/slog"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"vkops/cpuref"
	"vkops/tensor"
)

// withoutFloat64 opens the device as if it had no float64, and gives its log.
func withoutFloat64(t *testing.T) (*Runtime, *bytes.Buffer) {
	var log bytes.Buffer
	logger := slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug}))
	rt, v := openTested(t, WithLogger(logger))
	v.limits.Caps.Float64 = false
	return rt, &log
}

func TestFloat64WithoutTheFeature(t *testing.T) {
	rt, log := withoutFloat64(t)
	values := []float64{1, 1e-20, -1, 3}
	d, err := tensor.Of(values, 4)
	require.NoError(t, err)
	want, err := cpuref.Run(tensor.CumSum{}, d)
	require.NoError(t, err)

	e, err := rt.Explain(tensor.CumSum{}, d.Type)
	require.NoError(t, err)
	assert.True(t, e.Twin)
	assert.Contains(t, e.Reason, "float64")
	assert.Contains(t, e.String(), "on the twin: ")
	narrow, err := rt.Explain(tensor.CumSum{}, tensor.Type{DType: tensor.F32, Shape: tensor.Shape{4}})
	require.NoError(t, err)
	assert.False(t, narrow.Twin)

	got, err := rt.RunDense(background, tensor.CumSum{}, d)
	require.NoError(t, err)
	assert.Equal(t, want, got, "slices")
	assert.Contains(t, log.String(), "runs on the twin")

	x, err := Upload(rt, values, tensor.Shape{4})
	require.NoError(t, err)
	_, err = CumSumTensor(rt, x, x, tensor.CumSum{}) // in place
	require.NoError(t, err)
	got, err = x.Buffer.Download(background)
	require.NoError(t, err)
	assert.Equal(t, want, got, "tensors")

	require.NoError(t, x.Write(background, values))
	rec, err := rt.Record(func(r *Recording) error {
		_, err := CumSumTensor(r, x, x, tensor.CumSum{})
		return err
	})
	require.NoError(t, err)
	require.NoError(t, rec.Run())
	require.NoError(t, rec.Wait(background))
	got, err = x.Buffer.Download(background)
	require.NoError(t, err)
	assert.Equal(t, want, got, "replay")
}

func TestTargetErrorsOfTheFallback(t *testing.T) {
	rt, _ := withoutFloat64(t)
	input, err := Upload(rt, []float64{-1, -2, -3, -4}, tensor.Shape{2, 2})
	require.NoError(t, err)
	target, err := Upload(rt, []int64{0, 2}, tensor.Shape{2})
	require.NoError(t, err)
	loss, err := NLLTensor(rt, nil, input, target, nil, tensor.NLL{Reduction: tensor.None})
	require.NoError(t, err)
	sums, err := CumSumTensor(rt, nil, loss, tensor.CumSum{})
	require.NoError(t, err)
	assert.ErrorIs(t, loss.Wait(background), ErrTarget)
	assert.ErrorIs(t, sums.Wait(background), ErrTarget)
	require.NoError(t, target.Write(background, []int64{0, 1}))
	_, err = NLLTensor(rt, loss, input, target, nil, tensor.NLL{Reduction: tensor.None})
	require.NoError(t, err)
	got, err := loss.Download(background, nil)
	require.NoError(t, err)
	assert.Equal(t, []float64{1, 4}, got)
}

func TestSmallWorkOnTheTwin(t *testing.T) {
	small := []float32{1, 2, 3}
	large := make([]float32, smallElements(tensor.CumSum{}, true)+1)
	where := func(rt *Runtime, log *bytes.Buffer, x []float32) string {
		log.Reset()
		_, err := CumSum(background, rt, nil, x, tensor.Shape{len(x)}, tensor.CumSum{})
		require.NoError(t, err)
		e, err := rt.Explain(tensor.CumSum{}, tensor.Type{DType: tensor.F32, Shape: tensor.Shape{len(x)}})
		require.NoError(t, err)
		ran := strings.Contains(log.String(), "ran on the twin")
		assert.Equal(t, e.SlicesOnTwin, ran, "Explain tells what the log tells")
		if ran {
			return "twin"
		}
		return "device"
	}
	for name, c := range map[string]struct {
		opts []Option
		want string
	}{
		"default":      {nil, "twin"},
		"strategy":     {[]Option{WithStrategy(Lane)}, "device"},
		"verification": {[]Option{WithVerification(t.TempDir())}, "device"},
		"named":        {[]Option{WithDevice("0")}, "device"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Setenv("VKOPS_DEVICE", "")
			var log bytes.Buffer
			logger := slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug}))
			if withoutDevice(t) {
				t.SkipNow()
			}
			rt, err := Open(append(c.opts, WithLogger(logger))...)
			require.NoError(t, err)
			defer rt.Close()
			assert.Equal(t, c.want, where(rt, &log, small))
			assert.Equal(t, "device", where(rt, &log, large))
		})
	}
}
