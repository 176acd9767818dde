package host

import (
	"bytes"
	"context"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"vkops/tensor"
)

func TestTune(t *testing.T) {
	dir := t.TempDir()
	rt, _ := openTested(t, WithCacheDir(dir), WithStrategy(Auto))
	got, path, err := Tune(background, rt)
	require.NoError(t, err)
	assert.GreaterOrEqual(t, got.Gain, 1.0)
	assert.Positive(t, got.BytesPerSecond)
	kept, err := readTuning(path, rt.info.Info)
	require.NoError(t, err)
	assert.Equal(t, got, kept)

	_, v := openTested(t, WithCacheDir(dir))
	assert.Equal(t, uint32(got.WorkgroupSize), v.limits.WorkgroupSize)
	assert.Equal(t, submissionAt(got.BytesPerSecond), v.limits.MaxStepBytes)

	twin, err := Open(WithDevice("cpu"))
	require.NoError(t, err)
	defer twin.Close()
	_, _, err = Tune(background, twin)
	assert.ErrorIs(t, err, ErrUnsupported)
}

// endingContext ends when it has been asked so many times.
type endingContext struct {
	context.Context
	left int
}

func (c *endingContext) Err() error {
	if c.left--; c.left < 0 {
		return context.Canceled
	}
	return nil
}

func TestTuneEndsWithItsContext(t *testing.T) {
	dir := t.TempDir()
	rt, _ := openTested(t, WithCacheDir(dir))
	for _, left := range []int{0, 1, 2, 10} {
		_, path, err := Tune(&endingContext{background, left}, rt)
		assert.ErrorIs(t, err, context.Canceled)
		assert.Empty(t, path)
	}
	kept, err := filepath.Glob(filepath.Join(dir, "tuning-*"))
	require.NoError(t, err)
	assert.Empty(t, kept)
}

// TestTuneIsOverInTime has no time left for anything but the planner's choice.
func TestTuneIsOverInTime(t *testing.T) {
	_, v := openTested(t)
	s := &tuner{bench: bench{v: v}, started: time.Now().Add(-tuneFor)}
	defer s.free()
	got, err := s.tune(background)
	require.NoError(t, err)
	assert.Len(t, s.times, len(tunedWork()))
	assert.Equal(t, Tuning{Gain: 1, BytesPerSecond: got.BytesPerSecond}, got)
}

// TestTuningsKeepBits runs every operator with tunings that no device would choose.
func TestTuningsKeepBits(t *testing.T) {
	dir := t.TempDir()
	for strategy, want := range map[Strategy]Tuning{
		Lane: {WorkgroupSize: 16, BytesPerSecond: 1}, Workgroup: {WorkgroupSize: 1 << 16, Stretch: 256},
	} {
		_, first := openTested(t)
		require.NoError(t, writeTuning(tuningPath(dir, first.info.Info), first.info.Info, want))
		rt, v := openTested(t, WithCacheDir(dir), WithStrategy(strategy))
		require.Equal(t, uint32(want.WorkgroupSize), v.limits.WorkgroupSize)
		for _, c := range faultCases(t) {
			got, err := rt.RunDense(background, c.op, c.inputs...)
			require.NoError(t, err)
			require.Equal(t, c.want, got, "%s %s %+v", strategy, c, want)
		}
	}
}

func TestBadTuningsAreIgnored(t *testing.T) {
	dir := t.TempDir()
	rt, plain := openTested(t, WithCacheDir(dir))
	info := rt.info.Info
	path := tuningPath(dir, info)
	other := info
	other.Driver = "another driver"
	good := Tuning{WorkgroupSize: 2 * int(max(1, plain.limits.Caps.SubgroupSize))}
	for name, write := range map[string]func() error{
		"another driver": func() error { return writeTuning(path, other, good) },
		"not JSON":       func() error { return os.WriteFile(path, []byte("{"), 0o600) },
		"empty":          func() error { return os.WriteFile(path, nil, 0o600) },
		"no version":     func() error { return os.WriteFile(path, []byte("{}"), 0o600) },
		"odd size":       func() error { return writeTuning(path, info, Tuning{WorkgroupSize: 48}) },
		"negative size":  func() error { return writeTuning(path, info, Tuning{WorkgroupSize: -16}) },
		"odd stretch":    func() error { return writeTuning(path, info, Tuning{Stretch: 100}) },
		"negative rate":  func() error { return writeTuning(path, info, Tuning{BytesPerSecond: -1}) },
	} {
		require.NoError(t, write())
		var log bytes.Buffer
		_, v := openTested(t, WithCacheDir(dir), WithLogger(slog.New(slog.NewTextHandler(&log, nil))))
		assert.Equal(t, plain.limits, v.limits, name)
		assert.Equal(t, 1, strings.Count(log.String(), "tuning ignored"), name)
	}
	require.NoError(t, writeTuning(path, info, good))
	_, v := openTested(t, WithCacheDir(dir))
	assert.Equal(t, uint32(good.WorkgroupSize), v.limits.WorkgroupSize)
	_, v = openTested(t, WithCacheDir(dir), WithoutTuning())
	assert.Equal(t, plain.limits, v.limits)
	_, v = openTested(t, WithCacheDir(dir), WithWorkgroupSize(64))
	assert.Equal(t, uint32(64), v.limits.WorkgroupSize, "an option comes first")
	got, err := CumSum(background, rt, nil, []float32{1, 2}, tensor.Shape{2}, tensor.CumSum{})
	require.NoError(t, err)
	assert.Equal(t, []float32{1, 3}, got)
}
