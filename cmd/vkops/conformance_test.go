package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"vkops/internal/cases"
)

func TestConformance(t *testing.T) {
	found, err := cases.Find(testdata)
	require.NoError(t, err)
	require.Greater(t, len(found), 100)
	for _, device := range devices(t) {
		r := vkops("test", testdata, "--device", device)
		require.Equal(t, exitOK, r.code, "%s%s", failures(r.stdout), r.stderr)
		lines := strings.Split(strings.TrimSpace(r.stdout), "\n")
		require.Len(t, lines, len(found)+2)
		require.Regexp(t, `^\d+ cases on .+$`, lines[0])
		require.Equal(t, device == "cpu", strings.HasSuffix(lines[0], " cases on cpu"), lines[0])
		require.Regexp(t, `^\d+ passed, 0 failed$`, lines[len(lines)-1])
		for _, line := range lines[1 : len(lines)-1] {
			require.Regexp(t, `^PASS \S+( on cpu, not on .+)?$`, line)
			if strings.Contains(line, " on cpu, not on ") {
				require.NotEqual(t, "cpu", device)
				require.Contains(t, line, "float64", "the only type that a device may leave to the twin")
			}
		}
	}
}

func failures(stdout string) string {
	var failed []string
	for _, line := range strings.Split(stdout, "\n") {
		if strings.HasPrefix(line, "FAIL") {
			failed = append(failed, line+"\n")
		}
	}
	return strings.Join(failed, "")
}

func TestAFailedCase(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "wrong")
	require.NoError(t, os.CopyFS(dir, os.DirFS(filepath.Join(testdata, "spec", "test_log1p_float32"))))
	output := filepath.Join(dir, "test_data_set_0", "output_0.pb")
	data, err := os.ReadFile(output)
	require.NoError(t, err)
	data[len(data)-1] ^= 0x80 // the sign of the last element
	require.NoError(t, os.Chmod(output, 0o600))
	require.NoError(t, os.WriteFile(output, data, 0o600))
	good := filepath.Join(testdata, "spec", "test_log1p_scalar")

	r := vkops("test", "--device", "cpu", dir, good)
	require.Equal(t, exitFailed, r.code)
	require.Regexp(t, `(?s)^2 cases on cpu\nFAIL wrong: .*element .* want .*\nPASS test_log1p_scalar\n1 passed, 1 failed\n$`, r.stdout)
	require.Empty(t, r.stderr)

	r = vkops("test", "--device", "cpu", "--json", dir, good)
	require.Equal(t, exitFailed, r.code)
	lines := jsonLines(t, r.stdout)
	require.Len(t, lines, 3)
	require.Equal(t, false, lines[0]["passed"])
	require.Contains(t, lines[0]["error"], "want")
	require.Equal(t, true, lines[1]["passed"])
	require.Equal(t, map[string]any{"passed": 1.0, "failed": 1.0}, lines[2])
}
