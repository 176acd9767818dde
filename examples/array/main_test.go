package main

import (
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"vkops/onnx"
	"vkops/tensor"
)

func TestWrittenArrayIsRead(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.npy")
	require.NoError(t, write(path, 3, 5))
	d, err := onnx.ReadFile(path, onnx.NPYOptions{})
	require.NoError(t, err)
	require.Equal(t, "float32[3 5]", d.Type.String())
	values, err := tensor.Values[float32](d)
	require.NoError(t, err)
	require.NotEqual(t, values[0], values[1])
	for _, v := range values {
		require.True(t, v >= 0 && v < 1)
	}
}
