package main

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"vkops/onnx"
	"vkops/tensor"
)

// asCommand makes the test binary behave as vkops, so that tests can run it with
// an environment of its own.
const asCommand = "VKOPS_TEST_AS_COMMAND"

func TestMain(m *testing.M) {
	if os.Getenv(asCommand) == "1" {
		main()
	}
	os.Exit(m.Run())
}

// result is what a run of the command line left.
type result struct {
	code           int
	stdout, stderr string
}

// vkops runs the command line inside this process.
func vkops(args ...string) result { return vkopsWith("", args...) }

// vkopsWith runs the command line with a standard input.
func vkopsWith(stdin string, args ...string) result {
	var stdout, stderr bytes.Buffer
	code := execute(context.Background(), args, strings.NewReader(stdin), &stdout, &stderr)
	return result{code, stdout.String(), stderr.String()}
}

// process runs the command line as a process with more environment.
func process(t *testing.T, env []string, args ...string) result {
	t.Helper()
	cmd := exec.Command(os.Args[0], args...)
	cmd.Env = append(append(os.Environ(), asCommand+"=1"), env...)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err := cmd.Run(); err != nil {
		require.IsType(t, new(exec.ExitError), err)
	}
	return result{cmd.ProcessState.ExitCode(), stdout.String(), stderr.String()}
}

// devices are the values of --device that a test runs on: the twin and the
// default Vulkan device.
func devices(t *testing.T) []string {
	t.Helper()
	if os.Getenv("VKOPS_TEST_NO_DEVICE") == "1" {
		t.Log("NOT TESTED on a Vulkan device: VKOPS_TEST_NO_DEVICE=1")
		return []string{"cpu"}
	}
	t.Setenv("VKOPS_DEVICE", "") // what is tested is the default
	return []string{"cpu", ""}
}

// save writes a tensor into a folder of the test and gives its path.
func save[T tensor.Element](t *testing.T, name string, values []T, shape ...int) string {
	t.Helper()
	d, err := tensor.Of(values, shape...)
	require.NoError(t, err)
	path := filepath.Join(t.TempDir(), name)
	require.NoError(t, onnx.WriteFile(path, d, "x"))
	return path
}

func load(t *testing.T, path string) tensor.Dense {
	t.Helper()
	d, err := onnx.ReadFile(path, onnx.NPYOptions{Void2: tensor.BF16})
	require.NoError(t, err)
	return d
}

// jsonLines decodes a standard output that holds JSON values and nothing else.
func jsonLines(t *testing.T, stdout string) []map[string]any {
	t.Helper()
	var lines []map[string]any
	for _, line := range strings.Split(strings.TrimSuffix(stdout, "\n"), "\n") {
		var object map[string]any
		require.NoError(t, json.Unmarshal([]byte(line), &object), "%q", line)
		lines = append(lines, object)
	}
	return lines
}
