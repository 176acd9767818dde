package main

import (
	"bytes"
	"context"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/x448/float16"

	"vkops/cpuref"
	"vkops/host"
	"vkops/tensor"
)

const testdata = "../../tests/testdata"

func TestRunOperators(t *testing.T) {
	x := save(t, "x.npy", []float32{1, 2, 3, 4, 5, 6}, 2, 3)
	input := save(t, "input.npy", []float32{-1, -2, -3, -4, -5, -6}, 2, 3)
	target := save(t, "target.npy", []int64{2, 0}, 2)
	small := save(t, "target32.pb", []int32{2, -7}, 2)
	weight := save(t, "weight.npy", []float32{1, 2, 3}, 3)
	zero := float32(0)
	for _, device := range devices(t) {
		for _, c := range []struct {
			args  string
			shape tensor.Shape
			want  []float32
		}{
			{"cumsum --axis 1 -i " + x, tensor.Shape{2, 3}, []float32{1, 3, 6, 4, 9, 15}},
			{"cumsum --axis -2 -i " + x, tensor.Shape{2, 3}, []float32{1, 2, 3, 5, 7, 9}},
			{"cumsum --axis=1 --exclusive -i " + x, tensor.Shape{2, 3}, []float32{0, 1, 3, 0, 4, 9}},
			{"cumsum --axis 1 --reverse -i " + x, tensor.Shape{2, 3}, []float32{6, 5, 3, 15, 11, 6}},
			{"cumsum --axis 1 --exclusive --reverse --input " + x, tensor.Shape{2, 3}, []float32{5, 3, 0, 11, 6, 0}},
			{"logcumsumexp --axis 1 -i " + x, tensor.Shape{2, 3}, []float32{1, 2.3132617, 3.407606, 4, 5.3132617, 6.407606}},
			{"logcumsumexp -i " + x, tensor.Shape{2, 3}, []float32{1, 2, 3, 4.0485873, 5.0485873, 6.0485873}},
			{"log1p -i " + x, tensor.Shape{2, 3}, []float32{0.6931472, 1.0986123, 1.3862944, 1.609438, 1.7917595, 1.9459101}},
			{"nll -i " + input + " -i " + target, tensor.Shape{}, []float32{3.5}},
			{"nll --reduction sum -i " + input + " -i " + target, tensor.Shape{}, []float32{7}},
			{"nll --reduction none -i " + input + " -i " + target, tensor.Shape{2}, []float32{3, 4}},
			{"nll --reduction none --ignore-index -7 -i " + input + " -i " + small, tensor.Shape{2}, []float32{3, zero}},
			{"nll -i " + input + " -i " + target + " -i " + weight, tensor.Shape{}, []float32{13.0 / 4}},
		} {
			out := filepath.Join(t.TempDir(), "y.npy")
			args := strings.Fields(c.args)
			r := vkops(append([]string{"run", args[0], "--device", device, "-o", out}, args[1:]...)...)
			require.Equal(t, exitOK, r.code, "%s: %s", c.args, r.stderr)
			require.Empty(t, r.stderr)
			require.Contains(t, r.stdout, out)
			y := load(t, out)
			require.Equal(t, c.shape, y.Shape, c.args)
			got, err := tensor.Values[float32](y)
			require.NoError(t, err)
			require.InDeltaSlice(t, c.want, got, 1e-6, c.args)
		}
	}
}

func TestRunReadsAndWritesBothFormats(t *testing.T) {
	halves := []float16.Float16{float16.Fromfloat32(1), float16.Fromfloat32(2.5)}
	brain := []tensor.BFloat16{tensor.BFloat16FromFloat32(1), tensor.BFloat16FromFloat32(2.5)}
	for _, in := range []string{save(t, "x.npy", halves, 2), save(t, "x.pb", halves, 2)} {
		for _, ending := range []string{".npy", ".pb"} {
			out := filepath.Join(t.TempDir(), "y"+ending)
			r := vkops("run", "cumsum", "--device", "cpu", "--axis", "0", "-i", in, "-o", out)
			require.Equal(t, exitOK, r.code, r.stderr)
			require.Equal(t, []float16.Float16{halves[0], float16.Fromfloat32(3.5)}, tensor.ValuesOf[float16.Float16](load(t, out).Data))
		}
	}
	in, out := save(t, "x.npy", brain, 2), filepath.Join(t.TempDir(), "y.npy")
	r := vkops("run", "cumsum", "--device", "cpu", "--axis", "0", "-i", in, "-o", out, "--dtype", "bfloat16")
	require.Equal(t, exitOK, r.code, r.stderr)
	require.Equal(t, tensor.BF16, load(t, out).DType)

	r = vkops("run", "cumsum", "--device", "cpu", "--axis", "0", "-i", in, "-o", out)
	require.Equal(t, exitBadInput, r.code, "two-byte voids are bfloat16 only if that is said")
}

func TestRunModels(t *testing.T) {
	dir := filepath.Join(testdata, "spec", "test_nllloss_NCd1_mean_weight_negative_ii")
	set := filepath.Join(dir, "test_data_set_0")
	for _, device := range devices(t) {
		out := filepath.Join(t.TempDir(), "loss.pb")
		r := vkops("run", filepath.Join(dir, "model.onnx"), "--device", device, "-o", out,
			"-i", filepath.Join(set, "input_0.pb"), "-i", filepath.Join(set, "input_1.pb"), "-i", filepath.Join(set, "input_2.pb"))
		require.Equal(t, exitOK, r.code, r.stderr)
		want := tensor.ValuesOf[float32](load(t, filepath.Join(set, "output_0.pb")).Data)
		require.InDeltaSlice(t, want, tensor.ValuesOf[float32](load(t, out).Data), 1e-6)
	}
}

// TestRunInParts has tensors for which the device has no room, and checks that nothing else
// computes them.
func TestRunInParts(t *testing.T) {
	const n = 3 << 20
	values := make([]float32, n)
	for i := range values {
		values[i] = -float32(i%1000) / 8
	}
	targets := make([]int64, n/2)
	for i := range targets {
		targets[i] = int64(i % 2)
	}
	line, err := tensor.Of(values, n)
	require.NoError(t, err)
	input, err := tensor.Of(values, n/2, 2)
	require.NoError(t, err)
	target, err := tensor.Of(targets, n/2)
	require.NoError(t, err)
	for _, device := range devices(t)[1:] {
		var log bytes.Buffer
		rt, err := host.Open(host.WithDevice(device), host.WithMemoryBudget(8<<20), host.WithLogger(slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug}))))
		require.NoError(t, err)
		for op, inputs := range map[tensor.Op][]tensor.Dense{
			tensor.CumSum{}: {line}, tensor.LogSoftmax{Axis: 1}: {input}, tensor.NLL{}: {input, target}, tensor.SoftmaxCrossEntropyLoss{}: {input, target},
		} {
			log.Reset()
			got, err := apply(t.Context(), rt, op, inputs...)
			require.NoError(t, err, op.Name())
			want, err := cpuref.Run(op, inputs...)
			require.NoError(t, err)
			require.True(t, bytes.Equal(want.Data, got.Data), op.Name())
			require.NotContains(t, log.String(), "on the twin", op.Name())
		}
		require.NoError(t, rt.Close())
	}
}

func TestRunJSON(t *testing.T) {
	x, out := save(t, "x.npy", []int32{1, 2, 3}, 3), filepath.Join(t.TempDir(), "y.npy")
	r := vkops("run", "cumsum", "--axis", "0", "--reverse", "-i", x, "-o", out, "--device", "CPU", "--json")
	require.Equal(t, exitOK, r.code, r.stderr)
	require.Equal(t, []map[string]any{{
		"op": "cumsum", "attrs": map[string]any{"axis": 0.0, "exclusive": false, "reverse": true},
		"inputs": []any{"int32[3]"}, "output": "int32[3]", "file": out, "device": "cpu",
	}}, jsonLines(t, r.stdout))
}

// Bad input is found before a device is opened: the device named here does not
// exist, and nobody gets to ask for it.
func TestBadInput(t *testing.T) {
	x := save(t, "x.npy", []float32{1, 2, 3, 4, 5, 6}, 2, 3)
	ints := save(t, "ints.npy", []int32{1, 2, 3, 4, 5, 6}, 2, 3)
	target := save(t, "target.npy", []int64{0, 3}, 2)
	folder := t.TempDir()
	foreign := filepath.Join(folder, "foreign.onnx")
	require.NoError(t, os.WriteFile(foreign, []byte("no model at all"), 0o600))
	truncated := filepath.Join(folder, "truncated.npy")
	whole, err := os.ReadFile(x)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(truncated, whole[:len(whole)-1], 0o600))

	out := filepath.Join(folder, "y.npy")
	for _, c := range []struct{ args, stderr string }{
		{"", "vkops: no command given (see 'vkops --help')\n"},
		{"convolve", "vkops: unknown command \"convolve\" for \"vkops\" (see 'vkops --help')\n"},
		{"help verfy", "vkops: unknown command \"verfy\" for \"vkops\"; did you mean verify? (see 'vkops --help')\n"},
		{"help cumsum", "vkops: unknown command \"cumsum\" for \"vkops\"; did you mean run cumsum? (see 'vkops --help')\n"},
		{"help run cumsun", "vkops: unknown command \"cumsun\" for \"vkops run\"; did you mean cumsum? (see 'vkops --help')\n"},
		{"verfy", "vkops: unknown command \"verfy\" for \"vkops\"; did you mean verify? (see 'vkops --help')\n"},
		{"tune --axis 1", "vkops: unknown flag: --axis (see 'vkops tune --help')\n"},
		{"--axis 1", "vkops: unknown flag: --axis (see 'vkops --help')\n"},
		{"devices extra", "vkops: "},
		{"run", "vkops: accepts 1 arg(s), received 0 (see 'vkops run --help')\n"},
		{"run sum", "vkops: run: \"sum\" is neither an operator (cumsum, logcumsumexp, log1p, logsoftmax, nll, crossentropy) nor a .onnx file\n"},
		{"run cumsum --axis 3 -i " + x + " -o " + out, "vkops: cumsum: axis 3 out of range for rank 2\n"},
		{"run cumsum --axis -3 -i " + x + " -o " + out, "vkops: cumsum: axis -3 out of range for rank 2\n"},
		{"run cumsum --axis one -i " + x + " -o " + out, "vkops: invalid argument \"one\" for \"--axis\" flag"},
		{"run cumsum -i " + x + " -o " + out, "vkops: cumsum: --axis is missing; --axis 0"},
		{"run cumsum --axis 1 -o " + out, "vkops: cumsum: 0 inputs, takes 1\nvkops: name each input with -i"},
		{"run cumsum --axis 1 -i " + x + " -i " + x + " -o " + out, "vkops: cumsum: 2 inputs, takes 1\n"},
		{"run cumsum --axis 1 -i " + x, "vkops: cumsum: no output is named; add -o y.npy\n"},
		{"run cumsum --axis 1 -i " + x + " -o " + out + " -o " + out, "vkops: cumsum: 2 outputs named with -o, gives 1\n"},
		{"run cumsum --axis 1 --ignore-index 3 -i " + x + " -o " + out, "vkops: unknown flag: --ignore-index (see 'vkops run cumsum --help')\n"},
		{"run cumsum extra --axis 1 -i " + x + " -o " + out, "vkops: cumsum: what is \"extra\"? inputs are named with -i, outputs with -o (see 'vkops run cumsum --help')\n"},
		{"run logsoftmx -i " + x + " -o " + out, "did you mean logsoftmax?"},
		{"run cumsun --axis 0 -i " + x + " -o " + out, "vkops: unknown flag: --axis; did you mean cumsum? (see 'vkops run --help')\n"},
		{"cumsum --axis 0", "; did you mean run cumsum? (see 'vkops --help')\n"},
		{"run CumSum --axis 2 -i " + x + " -o " + out, "out of range for rank 2\nvkops: the first axis is 0, the last -1\n"},
		{"info " + x, "an ONNX model is expected here\n"},
		{"test " + x, "it is a file; name the folder that holds it\n"},
		{"bench --plot p.png", "--plot p.png does not end in .svg"},
		{"bench --plot " + folder + "/none/p.svg", "there is no folder " + folder + "/none"},
		{"run cumsum --axis 1 -i " + folder + "/none.npy -o " + out, "no such file"},
		{"run cumsum --axis 1 -i " + truncated + " -o " + out, "truncated"},
		{"run cumsum --axis 1 -i " + x + " -o " + out + ".txt", "ends in none of .npy, .npz and .pb"},
		{"run cumsum --axis 1 -i " + x + " -o " + folder + "/none/y.npy", "there is no folder " + folder + "/none: "},
		{"run cumsum --axis 1 --dtype float16 -i " + x + " -o " + out, "--dtype \"float16\" is not bfloat16"},
		{"run logcumsumexp --axis 2 -i " + x + " -o " + out, "vkops: logcumsumexp: axis 2 out of range for rank 2\n"},
		{"run logcumsumexp --exclusive -i " + x + " -o " + out, "vkops: unknown flag: --exclusive"},
		{"run logcumsumexp -i " + ints + " -o " + out, "vkops: logcumsumexp: X has element type int32; allowed: float16, bfloat16, float32, float64\n"},
		{"run log1p --json -i " + x + " -o -", "both want the standard output"},
		{"run nll -i - -i - -o " + out, "can be one input only"},
		{"run log1p -i - -o " + out, "standard input: "},
		{"run log1p -i " + out + "/x.npz:a -o " + out, "x.npz"},
		{"run log1p --axis 0 -i " + x + " -o " + out, "vkops: unknown flag: --axis"},
		{"run crossentropy --reduction avg -i " + x + " -i " + target + " -o " + out, "vkops: crossentropy: reduction \"avg\" is not mean, sum or none\n"},
		{"bench --op crossentropy --reduction avg", "vkops: crossentropy: reduction \"avg\" is not mean, sum or none\n"},
		{"run nll --reduction max -i " + x + " -i " + target + " -o " + out, "vkops: nll: reduction \"max\" is not mean, sum or none\n"},
		{"run nll -i " + x + " -i " + x + " -o " + out, "vkops: nll: target has element type float32; allowed: int32, int64\nvkops: convert the array first"},
		{"run nll -i " + x + " -i " + target + " -i " + x + " -o " + out, "vkops: nll: weight has shape [2 3]; 3 classes need [3]\n"},
		{"run nll -i " + x + " -i " + target + " -o " + out, "vkops: nll: target[1] = 3 is outside [0, 3) and is not ignore_index\nvkops: labels count from 0; --ignore-index N"},
		{"run " + foreign + " -i " + x + " -o " + out, "foreign.onnx"},
		{"run " + folder + "/none.onnx -i " + x + " -o " + out, "no such file"},
		{"test", "vkops: requires at least 1 arg(s)"},
		{"test " + folder, "no test case found"},
		{"test " + folder + "/none", "no such file"},
		{"verify --seed x", "vkops: invalid argument \"x\" for \"--seed\" flag"},
		{"verify --op sum", "vkops: operator \"sum\" is not cumsum, logcumsumexp, log1p, logsoftmax, nll or crossentropy\n"},
		{"verify --dtype int8", "uint32, uint64\n"},
		{"verify --op log1p --dtype int32", "none of log1p takes int32"},
		{"verify --strategy fast", "strategy \"fast\" is not auto, lane, workgroup"},
		{"bench --op sum", "vkops: operator \"sum\" is not cumsum"},
		{"bench --shape 4by4", "shape \"4by4\" is not of the form 4096x4096"},
		{"bench --shape -4", "shape \"-4\" is not of the form 4096x4096"},
		{"bench --shape 4294967296x4294967296", "2^63"},
		{"bench --dtype float8", "float8"},
		{"bench --axis 2", "vkops: cumsum: axis 2 out of range for rank 2\n"},
		{"bench --op nll --shape 5", "nll: shape mismatch: [5] is not N x C x d"},
		{"bench --strategy fast", "strategy \"fast\" is not auto, lane, workgroup or lookback"},
		{"bench --times resident,ever", "--times \"ever\" is not kernel, resident"},
		{"bench --rounds -1", "--rounds -1 is negative"},
		{"bench --preset all", "--preset \"all\" is not \"targets\""},
		{"bench --preset targets --op nll --dtype float16", "has nothing of these operators, types and shapes"},
		{"bench --preset targets --axis 1", "[axis preset] were all set"},
		{"bench --from x.jsonl", "needs --plot FILE.svg"},
		{"bench --from " + folder + "/none.jsonl --plot " + folder + "/p.svg", "no such file"},
		{"bench --from " + foreign + " --plot " + folder + "/p.svg", "not the output of 'vkops bench --json'"},
		{"bench --op nll --reduction max", "reduction \"max\""},
		{"bench --op=", "need a value each"},
	} {
		r := vkops(append(strings.Fields(c.args), "--device", "no such device")...)
		require.Equal(t, exitBadInput, r.code, "%s: %s", c.args, r.stderr)
		require.Contains(t, r.stderr, c.stderr, c.args)
		require.True(t, strings.HasPrefix(r.stderr, "vkops: "), "%s: %s", c.args, r.stderr)
		require.Empty(t, r.stdout, c.args)
		require.NoFileExists(t, out, c.args)
	}
	entries, err := os.ReadDir(folder)
	require.NoError(t, err)
	require.Len(t, entries, 2, "nothing new was written")
}

func TestNoSuchDevice(t *testing.T) {
	x, out := save(t, "x.npy", []float32{1}, 1), filepath.Join(t.TempDir(), "y.npy")
	for _, args := range [][]string{
		{"run", "log1p", "-i", x, "-o", out}, {"devices"}, {"verify"}, {"bench", "--shape", "1"},
		{"test", filepath.Join(testdata, "edge")},
	} {
		for _, name := range []string{"no such device", "999"} {
			for _, json := range []string{"--json=false", "--json"} {
				r := vkops(append(args, json, "--device", name)...)
				require.Equal(t, exitNoDevice, r.code, "%v: %s", args, r.stderr)
				require.Contains(t, r.stderr, "vkops: ")
				require.Empty(t, r.stdout)
			}
		}
	}
	require.NoFileExists(t, out)
}

func TestAFailedRunLeavesTheOldOutput(t *testing.T) {
	x, target := save(t, "x.npy", []float32{1, 2}, 1, 2), save(t, "target.npy", []int64{2}, 1)
	out := save(t, "y.npy", []float32{42})
	before, err := os.ReadFile(out)
	require.NoError(t, err)
	for _, device := range devices(t) {
		r := vkops("run", "nll", "--device", device, "-i", x, "-i", target, "-o", out)
		require.Equal(t, exitBadInput, r.code)
		after, err := os.ReadFile(out)
		require.NoError(t, err)
		require.Equal(t, before, after)
	}
	entries, err := os.ReadDir(filepath.Dir(out))
	require.NoError(t, err)
	require.Len(t, entries, 1, "no temporary file is left")
}

func TestRunGraph(t *testing.T) {
	dir := filepath.Join(testdata, "graphs", "chain_of_three")
	set := filepath.Join(dir, "test_data_set_0")
	run := []string{"run", filepath.Join(dir, "model.onnx"), "-i", filepath.Join(set, "input_0.pb")}
	for _, device := range devices(t) {
		z, y := filepath.Join(t.TempDir(), "z.npy"), filepath.Join(t.TempDir(), "y.npy")
		r := vkops(append(run, "--device", device, "-o", z, "-o", y)...)
		require.Equal(t, exitOK, r.code, r.stderr)
		require.Equal(t, 5, strings.Count(r.stdout, "\n"), r.stdout) // three operators, two files
		for i, path := range []string{z, y} {
			want := load(t, filepath.Join(set, []string{"output_0.pb", "output_1.pb"}[i]))
			require.InDeltaSlice(t, tensor.ValuesOf[float32](want.Data), tensor.ValuesOf[float32](load(t, path).Data), 1e-6)
		}
		r = vkops(append(run, "--device", device, "-o", z, "-o", y, "--json")...)
		require.Equal(t, exitOK, r.code, r.stderr)
		require.Contains(t, r.stdout, `"op":"log1p"`)
	}
	r := vkops(append(run, "--device", "cpu", "-o", filepath.Join(t.TempDir(), "z.npy"))...)
	require.Equal(t, exitBadInput, r.code)
	require.Contains(t, r.stderr, "1 outputs named with -o, gives 2")
}

func TestPipesAndArchives(t *testing.T) {
	x := save(t, "x.npz:values", []float32{0, 1, 3}, 3)
	out := strings.TrimSuffix(x, ":values")
	piped := vkops("run", "log1p", "-i", out, "-o", "-", "--device", "cpu")
	require.Equal(t, exitOK, piped.code, piped.stderr)
	require.True(t, strings.HasPrefix(piped.stdout, "\x93NUMPY"), "nothing but the result")
	require.Empty(t, piped.stderr)

	y := filepath.Join(t.TempDir(), "y.npz")
	r := vkopsWith(piped.stdout, "run", "cumsum", "--axis", "0", "-i", "-", "-o", y+":sums", "--device", "cpu")
	require.Equal(t, exitOK, r.code, r.stderr)
	require.InDeltaSlice(t, []float32{0, 0.6931472, 2.0794415}, tensor.ValuesOf[float32](load(t, y+":sums").Data), 1e-6)
	r = vkops("run", "log1p", "-i", y+":other", "-o", y, "--device", "cpu")
	require.Equal(t, exitBadInput, r.code)
	require.Contains(t, r.stderr, `no array "other" in the archive; there are "sums"`)
}

// TestInterruptedWhileReading gives up inputs that never come.
func TestInterruptedWhileReading(t *testing.T) {
	in, out := io.Pipe()
	defer out.Close()
	ctx, cancel := context.WithTimeout(context.Background(), 50*time.Millisecond)
	defer cancel()
	var stderr bytes.Buffer
	code := execute(ctx, []string{"run", "log1p", "--device", "cpu", "-i", "-", "-o", filepath.Join(t.TempDir(), "y.npy")}, in, io.Discard, &stderr)
	require.Equal(t, exitFailed, code, stderr.String())
	require.Contains(t, stderr.String(), context.DeadlineExceeded.Error())
}

func TestTwoOutputsInOneFile(t *testing.T) {
	dir := filepath.Join(testdata, "graphs", "chain_of_three")
	y := filepath.Join(t.TempDir(), "y.npz")
	r := vkops("run", filepath.Join(dir, "model.onnx"), "-i", filepath.Join(dir, "test_data_set_0", "input_0.pb"), "-o", y+":a", "-o", y+":b")
	require.Equal(t, exitBadInput, r.code)
	require.Contains(t, r.stderr, "are one file")
	require.NoFileExists(t, y)
}
