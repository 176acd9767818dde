package cases

import (
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/x448/float16"

	"vkops/cpuref"
	"vkops/onnx"
	"vkops/tensor"
)

const testdata = "../../tests/testdata"

func TestFind(t *testing.T) {
	all, err := Find(testdata)
	require.NoError(t, err)
	require.Len(t, all, 165)
	for i, c := range all {
		assert.Equal(t, filepath.Base(c.Dir), c.Name)
		assert.FileExists(t, filepath.Join(c.Dir, "model.onnx"))
		if i > 0 {
			assert.Less(t, all[i-1].Dir, c.Dir)
		}
	}
	one, err := Find(testdata + "/spec/test_log1p_empty/")
	require.NoError(t, err)
	require.Len(t, one, 1)
	assert.Equal(t, "test_log1p_empty", one[0].Name)

	two, err := Find(testdata+"/spec/test_log1p_empty", testdata+"/edge")
	require.NoError(t, err)
	assert.Len(t, two, 53)
}

func TestFindNothing(t *testing.T) {
	empty := t.TempDir()
	_, err := Find(empty)
	assert.ErrorIs(t, err, ErrNoCase)
	assert.ErrorContains(t, err, empty)
	_, err = Find(testdata+"/spec/test_log1p_empty", empty)
	assert.ErrorIs(t, err, ErrNoCase, "one of several folders without a case")
	_, err = Find(filepath.Join(empty, "missing"))
	assert.ErrorIs(t, err, os.ErrNotExist)
	none, err := Find()
	assert.Empty(t, none)
	assert.NoError(t, err)
}

func TestFindNames(t *testing.T) {
	abs, err := filepath.Abs(testdata + "/spec/test_log1p_empty")
	require.NoError(t, err)
	link := filepath.Join(t.TempDir(), "link")
	require.NoError(t, os.Symlink(abs, link))
	found, err := Find(link)
	require.NoError(t, err)
	require.Len(t, found, 1)
	assert.Equal(t, "link", found[0].Name)
	t.Chdir(abs)
	found, err = Find(".")
	require.NoError(t, err)
	require.Len(t, found, 1)
	assert.Equal(t, "test_log1p_empty", found[0].Name)
}

// expected is a runner that gives the data set's own outputs, the first changed by edit.
func expected(t *testing.T, dir string, edit func(*tensor.Dense)) Runner {
	t.Helper()
	outputs, err := readNumbered(filepath.Join(dir, "test_data_set_0"), "output")
	require.NoError(t, err)
	edit(&outputs[0])
	return func(op tensor.Op, inputs []tensor.Dense) (tensor.Dense, string, error) {
		if _, ok := op.(tensor.LogSoftmax); ok && len(outputs) == 2 { // a loss's second output
			return outputs[1], "here", nil
		}
		return outputs[0], "here", nil
	}
}

func TestGraph(t *testing.T) {
	found, err := Find(testdata + "/graphs")
	require.NoError(t, err)
	require.Len(t, found, 1)
	runs := 0
	onTwin := func(op tensor.Op, inputs []tensor.Dense) (tensor.Dense, string, error) {
		runs++
		y, err := cpuref.Run(op, inputs...)
		return y, "the twin", err
	}
	require.NoError(t, found[0].Run(onTwin).Err)
	require.Equal(t, 3, runs)
	wrong := func(op tensor.Op, inputs []tensor.Dense) (tensor.Dense, string, error) {
		if _, ok := op.(tensor.Log1p); ok {
			return inputs[0], "", nil
		}
		return onTwin(op, inputs)
	}
	require.ErrorContains(t, found[0].Run(wrong).Err, "test_data_set_0: z: ")
}

func TestEveryCasePassesAndFails(t *testing.T) {
	all, err := Find(testdata+"/spec", testdata+"/edge", testdata+"/reports")
	require.NoError(t, err)
	for _, c := range all {
		r := c.Run(expected(t, c.Dir, func(*tensor.Dense) {}))
		require.NoError(t, r.Err, c.Name)
		require.True(t, r.Passed())
		require.Equal(t, "here", r.Where)

		r = c.Run(expected(t, c.Dir, func(d *tensor.Dense) { d.Shape = append(tensor.Shape{1}, d.Shape...) }))
		require.ErrorContains(t, r.Err, "shape", c.Name)
		r = c.Run(expected(t, c.Dir, func(d *tensor.Dense) {
			for i := range d.Data {
				d.Data[i] ^= 0x35 // exponent and mantissa of whatever it is
			}
		}))
		if want, _ := onnx.ReadFile(filepath.Join(c.Dir, "test_data_set_0", "output_0.pb"), onnx.NPYOptions{}); len(want.Data) > 0 {
			require.ErrorContains(t, r.Err, "test_data_set_0: ", c.Name)
			require.ErrorContains(t, r.Err, "element ", c.Name)
			require.False(t, r.Passed())
		}
	}
}

// copyCase makes a case of float32 Log1p that a test may spoil.
func copyCase(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	require.NoError(t, os.CopyFS(dir, os.DirFS(testdata+"/spec/test_log1p_float32")))
	return dir
}

func run(t *testing.T, dir string) error {
	t.Helper()
	found, err := Find(dir)
	require.NoError(t, err)
	require.Len(t, found, 1)
	return found[0].Run(expected(t, testdata+"/spec/test_log1p_float32", func(*tensor.Dense) {})).Err
}

func TestBrokenCases(t *testing.T) {
	write := func(name, content string) func(t *testing.T, dir string) {
		return func(t *testing.T, dir string) {
			path := filepath.Join(dir, filepath.FromSlash(name))
			require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
			require.NoError(t, os.WriteFile(path, []byte(content), 0o600))
		}
	}
	remove := func(name string) func(t *testing.T, dir string) {
		return func(t *testing.T, dir string) {
			require.NoError(t, os.RemoveAll(filepath.Join(dir, filepath.FromSlash(name))))
		}
	}
	rename := func(from, to string) func(t *testing.T, dir string) {
		return func(t *testing.T, dir string) {
			require.NoError(t, os.Rename(filepath.Join(dir, filepath.FromSlash(from)), filepath.Join(dir, filepath.FromSlash(to))))
		}
	}
	for name, c := range map[string]struct {
		spoil func(t *testing.T, dir string)
		want  string // "" where the case still passes
	}{
		"untouched":             {func(*testing.T, string) {}, ""},
		"no case.json":          {remove("case.json"), ""},
		"other keys":            {write("case.json", `{"rtol": 0, "note": "exact", "atol": 0}`), ""},
		"broken case.json":      {write("case.json", `{"rtol": 0`), "case.json"},
		"rtol is text":          {write("case.json", `{"rtol": "0.1"}`), "case.json"},
		"negative tolerance":    {write("case.json", `{"atol": -1}`), "tolerance -1"},
		"foreign model":         {write("model.onnx", "hello"), "model.onnx"},
		"empty model":           {write("model.onnx", ""), "no graph"},
		"no data set":           {remove("test_data_set_0"), "no test_data_set_*"},
		"data set without a no": {rename("test_data_set_0", "test_data_set_x"), `"x" is not a number`},
		"no input":              {remove("test_data_set_0/input_0.pb"), "0 inputs given"},
		"input 1 first":         {rename("test_data_set_0/input_0.pb", "test_data_set_0/input_1.pb"), "no number 0"},
		"an input too many":     {write("test_data_set_0/input_1.pb", "\x08\x01\x10\x01\x4a\x04\x00\x00\x00\x00"), "2 inputs given"},
		"truncated input":       {write("test_data_set_0/input_0.pb", "\x08\x02\x10\x01\x4a\x04\x00\x00"), "input_0.pb"},
		"no output":             {remove("test_data_set_0/output_0.pb"), "0 output files for 1 outputs"},
		"two outputs":           {write("test_data_set_0/output_1.pb", "\x08\x01\x10\x01\x4a\x04\x00\x00\x00\x00"), "2 output files"},
		"second data set":       {write("test_data_set_10/input_0.pb", "\x08\x01\x10\x01\x4a\x04\x00\x00\x00\x00"), "test_data_set_10: "},
		"unrelated files":       {write("README.md", "x"), ""},
	} {
		t.Run(name, func(t *testing.T) {
			dir := copyCase(t)
			c.spoil(t, dir)
			err := run(t, dir)
			if c.want == "" {
				assert.NoError(t, err)
			} else {
				assert.ErrorContains(t, err, c.want)
			}
		})
	}
}

func TestEveryDataSetRuns(t *testing.T) {
	dir := copyCase(t)
	for _, n := range []string{"2", "10"} {
		require.NoError(t, os.CopyFS(filepath.Join(dir, "test_data_set_"+n), os.DirFS(filepath.Join(dir, "test_data_set_0"))))
	}
	found, err := Find(dir)
	require.NoError(t, err)
	want := expected(t, dir, func(*tensor.Dense) {})
	calls := 0
	r := found[0].Run(func(op tensor.Op, inputs []tensor.Dense) (tensor.Dense, string, error) {
		if calls++; calls == 3 {
			return tensor.Dense{}, "there", errors.New("third run")
		}
		return want(op, inputs)
	})
	assert.EqualError(t, r.Err, "test_data_set_10: third run")
	assert.Equal(t, "there", r.Where)
	assert.Equal(t, 3, calls)
}

// The sign of zero is looked at for Log1p only.
func TestSignOfZero(t *testing.T) {
	runFlipped := func(name string) error {
		dir := filepath.Join(testdata, "spec", name)
		found, err := Find(dir)
		require.NoError(t, err)
		require.Len(t, found, 1)
		return found[0].Run(expected(t, dir, func(d *tensor.Dense) {
			values, err := tensor.Values[float64](*d)
			require.NoError(t, err)
			require.Zero(t, values[0])
			values[0] = math.Copysign(0, -math.Copysign(1, values[0]))
		})).Err
	}
	assert.ErrorContains(t, runFlipped("test_log1p_special_values_float64"), "element 0 at [0] is 0, want -0")
	assert.NoError(t, runFlipped("test_cumsum_1d_exclusive"))
}

func dense[T tensor.Element](values ...T) tensor.Dense {
	d, err := tensor.Of(values, len(values))
	if err != nil {
		panic(err)
	}
	return d
}

func TestCompare(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	zero := math.Copysign(0, -1)
	exact := Tolerance{NaNEqual: true}
	for i, c := range []struct {
		got, want  tensor.Dense
		tolerance  Tolerance
		signedZero bool
		message    string
	}{
		{dense(1.0, 2.0), dense(1.0, 2.0), exact, true, ""},
		{dense(1.0, 2.5), dense(1.0, 2.0), Tolerance{0.25, 0, true}, false, ""},
		{dense(1.0, 2.5), dense(1.0, 2.0), Tolerance{0.125, 0.25, true}, false, ""},
		{dense(1.0, 2.5), dense(1.0, 2.0), Tolerance{0.125, 0.125, true}, false, "element 1 at [1] is 2.5, want 2"},
		{dense(-1.0, -2.5), dense(-1.0, -2.0), Tolerance{0.25, 0, true}, false, ""},
		{dense(2.5), dense(2.0), Tolerance{0.2, 0, true}, false, "element 0"}, // relative to want, not to got
		{dense(nan, inf, -inf), dense(nan, inf, -inf), exact, false, ""},
		{dense(nan), dense(nan), Tolerance{1, 1, false}, false, "is NaN, want NaN"},
		{dense(nan), dense(1.0), Tolerance{1, 1, true}, false, "is NaN, want 1"},
		{dense(1.0), dense(nan), Tolerance{1, 1, true}, false, "is 1, want NaN"},
		{dense(inf), dense(math.MaxFloat64), Tolerance{1, 1, true}, false, "is +Inf"},
		{dense(math.MaxFloat64), dense(inf), Tolerance{1, 1, true}, false, "want +Inf"},
		{dense(inf), dense(-inf), Tolerance{1, 1, true}, false, "want -Inf"},
		{dense(zero), dense(0.0), exact, false, ""},
		{dense(zero), dense(0.0), exact, true, "is -0, want 0"},
		{dense(0.0), dense(zero), exact, true, "is 0, want -0"},
		{dense(1e-9), dense(zero), Tolerance{0, 1e-8, true}, true, ""},
		{dense[float32](1, 1+0x1p-23), dense[float32](1, 1), exact, false, "is 1.0000001192092896, want 1"},
		{dense(float16.Fromfloat32(1)), dense(float16.Fromfloat32(1.125)), Tolerance{0, 0.125, true}, false, ""},
		{dense(float16.Fromfloat32(1)), dense(float16.Fromfloat32(1.25)), Tolerance{0, 0.125, true}, false, "is 1, want 1.25"},
		{dense[tensor.BFloat16](0x3f80), dense[tensor.BFloat16](0x3f80), exact, false, ""},
		{dense[tensor.BFloat16](0x3f81), dense[tensor.BFloat16](0x3f80), exact, false, "is 1.0078125, want 1"},
		{dense[int32](1, -5), dense[int32](1, -5), exact, false, ""},
		{dense[int32](1, -5), dense[int32](1, -4), Tolerance{1, 1, true}, false, "element 1 at [1] is -5, want -4"},
		{dense[int64](math.MaxInt64), dense[int64](math.MaxInt64 - 1), Tolerance{1, 1, true}, false, "is 9223372036854775807, want 9223372036854775806"},
		{dense[uint32](math.MaxUint32), dense[uint32](0), Tolerance{1, 1, true}, false, "is 4294967295, want 0"},
		{dense[uint64](math.MaxUint64), dense[uint64](math.MaxUint64 - 1), Tolerance{1, 1, true}, false, "is 18446744073709551615, want 18446744073709551614"},
		{dense[int32](1), dense[uint32](1), exact, false, "element type is int32, want uint32"},
		{dense(1.0, 2.0), dense(1.0), exact, false, "shape is [2], want [1]"},
		{tensor.Dense{Type: dense(1.0).Type}, dense(1.0), exact, false, "0 bytes of data, want 8"},
		{dense[float32](), dense[float32](), exact, false, ""},
	} {
		name := fmt.Sprintf("row %d", i)
		err := Compare(c.got, c.want, c.tolerance, c.signedZero)
		if c.message == "" {
			assert.NoError(t, err, name)
		} else {
			assert.ErrorContains(t, err, c.message, name)
		}
	}
}

func TestComparePosition(t *testing.T) {
	want, err := tensor.Of(make([]int32, 24), 2, 3, 4)
	require.NoError(t, err)
	values := make([]int32, 24)
	values[1*12+2*4+3] = 9
	got, err := tensor.Of(values, 2, 3, 4)
	require.NoError(t, err)
	assert.EqualError(t, Compare(got, want, DefaultTolerance, false), "element 23 at [1 2 3] is 9, want 0")
}
