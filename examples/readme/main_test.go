package main

import (
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// The program of the README is this one, letter for letter.
func TestReadmeShowsThisProgram(t *testing.T) {
	readme, err := os.ReadFile("../../README.md")
	require.NoError(t, err)
	_, rest, found := strings.Cut(string(readme), "```go\n")
	require.True(t, found, "README.md has a Go program")
	program, _, found := strings.Cut(rest, "```")
	require.True(t, found)
	source, err := os.ReadFile("main.go")
	require.NoError(t, err)
	require.Equal(t, string(source), program)
	require.Equal(t, 25, strings.Count(program, "\n"), "the README promises 25 lines")
}

func TestProgramRuns(t *testing.T) {
	for _, device := range []string{"cpu", ""} {
		if device == "" && os.Getenv("VKOPS_TEST_NO_DEVICE") == "1" {
			t.Log("NOT TESTED on a Vulkan device: VKOPS_TEST_NO_DEVICE=1")
			continue
		}
		cmd := exec.Command("go", "run", ".")
		cmd.Env = append(os.Environ(), "VKOPS_DEVICE="+device)
		out, err := cmd.CombinedOutput()
		require.NoError(t, err, "%s", out)
		require.Regexp(t, `^104857\.6 on .+\n$`, string(out))
		if device == "cpu" {
			require.Equal(t, "104857.6 on cpu\n", string(out))
		}
	}
}
