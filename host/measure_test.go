package host

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"vkops/tensor"
)

func TestMeasure(t *testing.T) {
	if testing.Short() {
		t.Skip("takes two seconds for each operator")
	}
	rt, v := openTested(t)
	x, err := tensor.Of(counting[float32](6000), 60, 100)
	require.NoError(t, err)
	targets, err := tensor.Of(make([]int64, 60), 60)
	require.NoError(t, err)
	for bytes, c := range map[int64]struct {
		op     tensor.Op
		inputs []tensor.Dense
	}{
		48000:                   {tensor.CumSum{Axis: 1}, []tensor.Dense{x}},
		60*8 + 60*4 + 60*4:      {tensor.NLL{Reduction: tensor.None}, []tensor.Dense{x, targets}},
		60*8 + 60*4 + 100*4 + 4: {tensor.NLL{}, []tensor.Dense{x, targets, {Type: tensor.Type{DType: tensor.F32, Shape: tensor.Shape{100}}, Data: x.Data[:400]}}},
	} {
		m, err := Measure(background, rt, c.op, c.inputs...)
		require.NoError(t, err)
		assert.Equal(t, bytes, m.Bytes)
		assert.Equal(t, v.info.Caps.TimestampBits > 0, m.KernelNs > 0)
		for name, ns := range map[string]int64{"resident": m.ResidentNs, "end to end": m.EndToEndNs, "copy": m.CopyNs,
			"memcpy": m.MemcpyNs, "cpuref": m.CpurefNs, "empty": m.EmptyNs} {
			assert.Positive(t, ns, name)
		}
		assert.NotEmpty(t, m.CopyKernel)
		assert.GreaterOrEqual(t, m.Rounds, minRounds)
	}
	bad, err := tensor.Of([]int64{100}, 1)
	require.NoError(t, err)
	row, err := tensor.Of(counting[float32](100), 1, 100)
	require.NoError(t, err)
	_, err = Measure(background, rt, tensor.NLL{}, row, bad)
	assert.ErrorIs(t, err, ErrTarget)
}

func TestMeasureOfTheTwin(t *testing.T) {
	rt, err := Open(WithDevice(twinName))
	require.NoError(t, err)
	defer rt.Close()
	x, err := tensor.Of(counting[float32](100000), 100000)
	require.NoError(t, err)
	m, err := Measure(background, rt, tensor.CumSum{}, x)
	require.NoError(t, err)
	assert.Zero(t, m.KernelNs)
	assert.Positive(t, m.ResidentNs)
	assert.Positive(t, m.CopyNs)
}

func TestMeterTakesOnlyWhatItIsAsked(t *testing.T) {
	rt, v := openTested(t)
	x, err := tensor.Of(counting[float32](6000), 6000)
	require.NoError(t, err)
	m, err := NewMeter(rt, tensor.CumSum{}, x)
	require.NoError(t, err)
	defer m.Close()
	m.Only(TimeResident, TimeCopy, TimeKernel)
	require.NoError(t, m.Round(background))
	m.Reset()
	assert.Equal(t, Measurement{Bytes: 48000}, m.Result(), "nothing of the warm-up is left")
	runs := 0
	m.Also("mine", func() { runs++ })
	r, err := m.Take(background, 3)
	require.NoError(t, err)
	assert.Equal(t, 3, r.Rounds)
	assert.Equal(t, 4, runs, "one is the warm-up")
	assert.Contains(t, r.Others, Timing("mine"))
	assert.Positive(t, r.ResidentNs)
	assert.Positive(t, r.CopyNs)
	assert.Equal(t, v.info.Caps.TimestampBits > 0, r.KernelNs > 0)
	assert.Zero(t, r.EndToEndNs+r.MemcpyNs+r.CpurefNs+r.EmptyNs)

	ended, cancel := context.WithCancel(background)
	cancel()
	assert.ErrorIs(t, m.Round(ended), context.Canceled)
}
