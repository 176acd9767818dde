package onnx

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"vkops/tensor"
)

// caseFiles lists the files of the conformance cases that match pattern.
func caseFiles(t testing.TB, pattern string) []string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join("..", "tests", "testdata", "*", "*", pattern))
	require.NoError(t, err)
	require.NotEmpty(t, files)
	return files
}

// Every tensor of the cases is read and written again to the same bytes.
func TestCaseTensorsComeBack(t *testing.T) {
	files := caseFiles(t, filepath.Join("test_data_set_*", "*.pb"))
	require.GreaterOrEqual(t, len(files), 450)
	for _, path := range files {
		data, err := os.ReadFile(path)
		require.NoError(t, err)
		d, name, err := ParseTensor(data)
		require.NoError(t, err, path)
		var b bytes.Buffer
		require.NoError(t, WriteTensor(&b, d, name))
		require.Equal(t, data, b.Bytes(), path)
	}
}

// Every model of the cases is read and takes its inputs, and the expected output
// is of the inferred type.
func TestCaseModelsBind(t *testing.T) {
	files := caseFiles(t, "model.onnx")
	require.Len(t, files, 165)
	for _, path := range files {
		m, err := ReadModel(path)
		require.NoError(t, err)
		var inputs []tensor.Dense
		for i := range m.Inputs {
			d, err := ReadFile(filepath.Join(filepath.Dir(path), "test_data_set_0", "input_"+string(rune('0'+i))+".pb"), NPYOptions{})
			require.NoError(t, err)
			inputs = append(inputs, d)
		}
		b, err := m.Bind(inputs)
		require.NoError(t, err)
		got, op := b.Values[b.Outputs[0]].Type, b.Steps[0].Op
		want, err := ReadFile(filepath.Join(filepath.Dir(path), "test_data_set_0", "output_0.pb"), NPYOptions{})
		require.NoError(t, err)
		assert.True(t, got.Equal(want.Type), "%s: %s, want %s", path, got, want.Type)
		dir := filepath.Base(filepath.Dir(path))
		if c, ok := op.(tensor.CumSum); ok && strings.HasPrefix(dir, "test_cumsum") {
			assert.Equal(t, strings.Contains(dir, "exclusive"), c.Exclusive, dir)
			assert.Equal(t, strings.Contains(dir, "reverse"), c.Reverse, dir)
		}
	}
}
