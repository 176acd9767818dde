package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"vkops/internal/verify"
	"vkops/tensor"
)

func TestVerify(t *testing.T) {
	list := devices(t)
	if testing.Short() {
		list = list[len(list)-1:]
	}
	for _, device := range list {
		args := []string{"verify", "--op", "nll", "--dtype", "float32", "--device", device}
		r := vkops(args...)
		require.Equal(t, exitOK, r.code, r.stderr)
		require.Contains(t, r.stdout, "seed 1\n")
		require.Contains(t, r.stdout, "float32/int64")
		require.True(t, strings.HasSuffix(r.stdout, "verify: every bit is the same\n"), r.stdout)
		if testing.Short() {
			continue
		}
		require.Equal(t, r, vkops(args...), "the same seed, the same run")

		r = vkops("verify", "--op", "log1p,nll", "--dtype", "float32", "--device", device, "--json", "--seed", "2")
		require.Equal(t, exitOK, r.code, r.stderr)
		lines := jsonLines(t, r.stdout)
		require.Len(t, lines, 3)
		for _, line := range lines {
			require.Equal(t, true, line["ok"])
			require.Equal(t, 2.0, line["seed"])
			require.Equal(t, 0.0, line["mismatches"])
			require.Less(t, line["max_ulp"], 1.0)
			require.Equal(t, device == "cpu", line["device"] == "cpu")
			require.NotContains(t, line, "why_cpu")
		}
	}
}

func TestStrategiesAreForced(t *testing.T) {
	for _, device := range devices(t)[1:] {
		for _, strategy := range []string{"lane", "workgroup", "lookback"} {
			r := vkops("bench", "--op", "cumsum", "--shape", "1000", "--strategy", strategy, "--device", device, "--json")
			require.Equal(t, exitOK, r.code, r.stdout+r.stderr)
			require.Equal(t, strategy, jsonLines(t, r.stdout)[0]["strategy"])
		}
	}
}

func TestVerifyReportsWhatItFound(t *testing.T) {
	bad := verified{verify.Outcome{Group: verify.Group{Op: "log1p", DType: tensor.F32}, Cases: 3, Values: 10, Mismatches: 2, First: "log1p of that"}, "device A", ""}
	far := verified{verify.Outcome{Group: verify.Group{Op: "cumsum", DType: tensor.F64}, Cases: 1, MaxULP: 7, Worst: "cumsum of this", OutOfBound: 1}, "cpu", "not on device B: no luck"}
	var stdout, stderr strings.Builder
	c := &cli{stdout: &stdout, stderr: &stderr}
	require.ErrorIs(t, c.reportVerify([]verified{bad, far}, 1), errReported)
	require.Equal(t, "vkops: mismatch: log1p of that\nvkops: error bound passed: cumsum of this\n", stderr.String())
	require.Regexp(t, `(?m)^log1p +float32 +3 +10 +2 +0\.000 +yes +device$`, stdout.String())
	require.Regexp(t, `(?m)^cumsum +float64 +1 +0 +0 +7\.000 +NO, in 1 cases +cpu$`, stdout.String())
	require.Contains(t, stdout.String(), "cumsum float64: not on device B: no luck\n")
	require.True(t, strings.HasSuffix(stdout.String(), "verify: FAILED\n"))
}

func TestBenchJSON(t *testing.T) {
	for _, device := range devices(t) {
		r := vkops("bench", "--op", "cumsum,log1p", "--dtype", "float32", "--shape", "64x100", "--axis", "-1", "--json", "--device", device)
		require.Equal(t, exitOK, r.code, r.stderr)
		lines := jsonLines(t, r.stdout)
		require.Len(t, lines, 2)
		first := lines[0]
		require.Equal(t, "cumsum", first["op"])
		require.Equal(t, "float32", first["dtype"])
		require.Equal(t, []any{64.0, 100.0}, first["shape"])
		require.Equal(t, map[string]any{"axis": -1.0, "exclusive": false, "reverse": false}, first["attrs"])
		require.NotEmpty(t, first["device"])
		require.NotEmpty(t, first["strategy"])
		for _, key := range []string{"resident_ns", "end_to_end_ns", "copy_ns", "cpuref_ns"} {
			require.Greater(t, first[key], 0.0, key)
			require.Equal(t, first[key], float64(int64(first[key].(float64))), "%s is an integer", key)
		}
		for _, key := range []string{"kernel_ns", "memcpy_ns"} {
			value, there := first[key]
			require.True(t, there, key)
			if device == "cpu" {
				require.Nil(t, value, key)
			}
		}
	}
}

func TestBenchTable(t *testing.T) {
	r := vkops("bench", "--op", "nll", "--shape", "100x7", "--weight", "--target", "int32", "--reduction", "none", "--device", "cpu")
	require.Equal(t, exitOK, r.code, r.stderr)
	require.Regexp(t, `(?m)^nll reduction=none +float32 +100x7 `, r.stdout)
}

func TestDevices(t *testing.T) {
	r := vkops("devices", "--device", "cpu")
	require.Equal(t, exitOK, r.code, r.stderr)
	require.True(t, strings.HasPrefix(r.stdout, "cpu\n"), r.stdout)

	if len(devices(t)) == 1 {
		return // it said why
	}
	r = vkops("devices")
	require.Equal(t, exitOK, r.code, r.stderr)
	require.Contains(t, r.stdout, "(default)")
	require.Contains(t, r.stdout, "float64")
	require.Contains(t, r.stdout, "litmus")

	r = vkops("devices", "--json")
	require.Equal(t, exitOK, r.code, r.stderr)
	var list []device
	require.NoError(t, json.Unmarshal([]byte(r.stdout), &list))
	chosen := 0
	for i, d := range list {
		require.Equal(t, i, d.Index)
		require.True(t, d.Vulkan)
		require.NotEmpty(t, d.Name)
		require.NotZero(t, d.Limits["storage_buffer_range"])
		require.NotZero(t, d.Subgroup["size"])
		require.NotEmpty(t, d.Litmus, d.Error)
		for _, check := range d.Litmus {
			_, name, _ := strings.Cut(check.Name, " ")
			if check.Found != "yes" {
				name += ": " + check.Found
			}
			require.Contains(t, d.text(0), name)
		}
		if d.Default {
			chosen++
		}
	}
	require.Equal(t, 1, chosen)

	t.Setenv("VKOPS_DEVICE", "cpu")
	r = vkops("devices")
	require.Equal(t, exitOK, r.code, r.stderr)
	require.NotContains(t, r.stdout, "(default)")
}

// Without a driver the command says what to install; the twin still works.
func TestNoDriver(t *testing.T) {
	none := os.DevNull
	env := []string{"VKOPS_DEVICE=", "VK_DRIVER_FILES=" + none, "VK_ICD_FILENAMES=" + none}
	for _, args := range [][]string{{"devices"}, {"devices", "--json"}, {"verify"}} {
		r := process(t, env, args...)
		require.Equal(t, exitNoDevice, r.code, r.stderr)
		require.Contains(t, r.stderr, "mesa-vulkan-drivers")
		require.Empty(t, r.stdout)
	}
	r := process(t, env, "verify", "--device", "cpu", "--op", "log1p", "--dtype", "float16")
	require.Equal(t, exitOK, r.code, r.stderr)

	model := filepath.Join(testdata, "spec", "test_log1p_float32", "model.onnx")
	r = process(t, env, "info", model)
	require.Equal(t, exitOK, r.code, r.stderr)
	for _, part := range []string{"opset", "input   ", "output  ", "node    ", "no plan: ", "mesa-vulkan-drivers", "run it: "} {
		require.Contains(t, r.stdout, part)
	}
	r = process(t, env, "info", model, "--device", "0")
	require.Equal(t, exitNoDevice, r.code, "that device was asked for")
}

func TestSize(t *testing.T) {
	for bytes, want := range map[uint64]string{0: "0 B", 1023: "1023 B", 1024: "1 KiB", 128 << 20: "128 MiB", 1<<32 - 1: "4.0 GiB", 1536: "1.5 KiB"} {
		require.Equal(t, want, size(bytes))
	}
}
