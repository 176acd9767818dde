package main

import (
	"os"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestTune runs tune once and has a later command use what it kept.
func TestTune(t *testing.T) {
	if os.Getenv("VKOPS_TEST_NO_DEVICE") == "1" {
		t.Skip("VKOPS_TEST_NO_DEVICE=1: NOT TESTED ON ANY VULKAN DEVICE")
	}
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	r := vkops("tune", "--json")
	require.Equal(t, exitOK, r.code, r.stderr)
	lines := jsonLines(t, r.stdout)
	require.Len(t, lines, 1)
	got := lines[0]
	assert.NotEmpty(t, got["device"])
	assert.GreaterOrEqual(t, got["gain"], 1.0)
	assert.Positive(t, got["bytes_per_second"])
	assert.Contains(t, got, "workgroup_size")
	assert.Contains(t, got, "stretch")

	path := got["path"].(string)
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	assert.Contains(t, string(text), got["device"])
	x := save(t, "x.npy", []float32{1, 2, 3}, 3)
	run := []string{"run", "cumsum", "--axis", "0", "-i", x, "-o", "-"}
	r = vkops(run...)
	require.Equal(t, exitOK, r.code, r.stderr)
	assert.NotContains(t, r.stderr, "tuning")
	require.NoError(t, os.WriteFile(path, text[:len(text)/2], 0o600))
	r = vkops(run...)
	require.Equal(t, exitOK, r.code, r.stderr)
	assert.Contains(t, r.stderr, "tuning ignored", "the file was looked at")
}

func TestTuneNeedsADevice(t *testing.T) {
	r := vkops("tune", "--device", "cpu")
	assert.Equal(t, exitFailed, r.code)
	assert.Contains(t, r.stderr, "tune: ")
	assert.Empty(t, r.stdout)
	assert.Equal(t, exitBadInput, vkops("tune", "now").code)
	assert.Contains(t, vkops("tune", "--help").stdout, "Examples:")
}
