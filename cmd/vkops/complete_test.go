package main

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/stretchr/testify/require"
)

func TestCompletion(t *testing.T) {
	for typed, want := range map[string][]string{
		"bench --op l":               {"logcumsumexp", "log1p", "logsoftmax"},
		"bench --op cumsum,n":        {"cumsum,nll"},
		"verify --dtype bf":          {"bfloat16"},
		"bench --strategy l":         {"lane", "lookback"},
		"run nll --reduction m":      {"mean"},
		"run cumsum --dtype ":        {"bfloat16"},
		"info ":                      {"onnx"},
		"run log1p --device cpu -i ": {"npy", "npz", "pb"},
		"bench --times res":          {"resident"},
	} {
		r := vkops(append([]string{"__complete"}, strings.Split(typed, " ")...)...)
		require.Equal(t, exitOK, r.code, r.stderr)
		lines := strings.Split(strings.TrimSpace(r.stdout), "\n")
		require.ElementsMatch(t, want, lines[:len(lines)-1], typed)
	}
	r := vkops("__complete", "devices", "--device", "")
	require.Contains(t, r.stdout, "cpu\tthe twin in Go\n")
	r = vkops("completion", "bash")
	require.Equal(t, exitOK, r.code)
	require.Contains(t, r.stdout, "__start_vkops")
}

// Every command of ours has a line that says what it is for, and an example.
func TestHelpHasExamples(t *testing.T) {
	var check func(cmd *cobra.Command)
	check = func(cmd *cobra.Command) {
		require.NotEmpty(t, cmd.Short, cmd.CommandPath())
		require.Contains(t, cmd.Example, "vkops ", cmd.CommandPath())
		for _, sub := range cmd.Commands() {
			check(sub)
		}
	}
	check((&cli{}).root())
	r := vkops("--version")
	require.Equal(t, exitOK, r.code, r.stderr)
	require.Contains(t, r.stdout, "vkops version ")
}

func TestInfo(t *testing.T) {
	nll := filepath.Join(testdata, "spec", "test_nllloss_NCd1_mean_weight_negative_ii", "model.onnx")
	r := vkops("info", nll, "--device", "cpu")
	require.Equal(t, exitOK, r.code, r.stderr)
	for _, part := range []string{"opset", "input   \"input\" float32[3 5 6]", "output  ", "node    NegativeLogLikelihoodLoss", "on the twin", "run it: vkops run "} {
		require.Contains(t, r.stdout, part)
	}
	r = vkops("info", nll, "--device", "cpu", "--json")
	require.Equal(t, exitOK, r.code, r.stderr)
	line := jsonLines(t, r.stdout)[0]
	require.Len(t, line["inputs"], 3)
	require.Len(t, line["nodes"], 1)
	require.Len(t, line["steps"], 1)

	cumsum := filepath.Join(testdata, "spec", "test_cumsum_1d", "model.onnx")
	r = vkops("info", cumsum, "--device", "no such device")
	require.Equal(t, exitOK, r.code, r.stderr)
	require.Contains(t, r.stdout, "no plan: ")

	require.Equal(t, exitBadInput, vkops("info", "none.onnx").code)
	require.Equal(t, exitBadInput, vkops("info", nll, "--dim", "N=x").code)
}
