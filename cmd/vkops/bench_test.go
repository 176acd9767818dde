package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"vkops/internal/workload"
)

func TestBenchCombinations(t *testing.T) {
	f := benchFlags{
		ops: []string{"cumsum", "logcumsumexp", "log1p", "nll"}, dtypes: []string{"float32", "float64"}, shapes: []string{"4x5", "6x7"},
		axes: []int{0, 1}, exclusive: []bool{false, true}, reverse: []bool{false}, reductions: []string{"mean", "sum", "none"},
		labels: []string{"int32", "int64"}, weights: []bool{false, true}, ignore: []bool{true}, strategies: []string{"auto"},
	}
	list, err := f.parse()
	require.NoError(t, err)
	require.Len(t, list, 2*2*(2*2+2+1+3*2*2), "an operator is measured with the attributes that it has")
}

func TestBenchBeyondMemory(t *testing.T) {
	r := vkopsWith("", "bench", "--op", "cumsum", "--shape", "1000000x1000000", "--device", "cpu")
	require.Equal(t, exitFailed, r.code)
	require.Contains(t, r.stderr, "float32[1000000 1000000]: out of memory: 4000000000000 bytes")
}

func TestBenchPresets(t *testing.T) {
	var changed []string
	f := benchFlags{preset: "targets", ops: []string{"cumsum"}, changed: func(name string) bool { return len(changed) > 0 && changed[0] == name }}
	list, err := f.parse()
	require.NoError(t, err)
	require.Equal(t, workload.Targets(), list)
	changed = []string{"op"}
	list, err = f.parse()
	require.NoError(t, err)
	require.Less(t, len(list), len(workload.Targets()))
}

func TestBenchServes(t *testing.T) {
	r := vkopsWith("next\nround\nreset\nround\nround\nresult\nnext\nnext\n",
		"bench", "--serve", "--op", "log1p,cumsum", "--shape", "300", "--times", "resident,plain,cpuref", "--device", "cpu")
	require.Equal(t, exitOK, r.code, r.stderr)
	lines := jsonLines(t, r.stdout)
	require.Len(t, lines, 8)
	require.Equal(t, "log1p", lines[0]["op"])
	require.Equal(t, "round", lines[1]["done"])
	result := lines[5]
	require.Equal(t, "log1p", result["op"])
	require.Equal(t, 2.0, result["rounds"])
	require.Greater(t, result["plain_ns"], 0.0)
	require.Greater(t, result["cpuref_ns"], 0.0)
	require.Nil(t, result["copy_ns"])
	require.Equal(t, "cumsum", lines[6]["op"])
	require.Nil(t, lines[7], "nothing is left")

	for stdin, message := range map[string]string{"round\n": `"round" before "next"`, "next\nfaster\n": `"faster" is not next, round`} {
		r := vkopsWith(stdin, "bench", "--serve", "--shape", "30", "--device", "cpu")
		require.Equal(t, exitBadInput, r.code)
		require.Contains(t, r.stderr, message)
	}
}

func TestBenchDraws(t *testing.T) {
	image := filepath.Join(t.TempDir(), "times.svg")
	r := vkops("bench", "--op", "cumsum,log1p", "--shape", "100,2000", "--rounds", "1", "--device", "cpu", "--json", "--plot", image)
	require.Equal(t, exitOK, r.code, r.stderr)
	require.Len(t, jsonLines(t, r.stdout), 4)
	drawn, err := os.ReadFile(image)
	require.NoError(t, err)
	for _, text := range []string{"cumsum axis=0 float32 on cpu", "log1p float32 on cpu", "vkops", "copy", "twin"} {
		require.Contains(t, string(drawn), ">"+text+"<")
	}
	require.NotContains(t, string(drawn), "torch")

	lines := strings.ReplaceAll(r.stdout, `"slices_on_twin"`, `"peers":{"torch":1000},"slices_on_twin"`)
	r = vkopsWith(lines, "bench", "--from", "-", "--plot", image)
	require.Equal(t, exitOK, r.code, r.stderr)
	drawn, err = os.ReadFile(image)
	require.NoError(t, err)
	require.Contains(t, string(drawn), ">torch<")
}
