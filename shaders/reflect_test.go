package shaders

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// variantNames reads variants.txt as build.sh does.
func variantNames(t *testing.T) map[string]bool {
	text, err := os.ReadFile("variants.txt")
	require.NoError(t, err)
	names := map[string]bool{}
	for _, line := range strings.Split(string(text), "\n") {
		line, _, _ = strings.Cut(line, "#")
		fields := strings.Fields(line)
		if len(fields) == 0 {
			continue
		}
		require.Len(t, fields, 3, line)
		name := fields[0]
		for _, part := range fields[1:] {
			if part != "-" {
				name += "_" + part
			}
		}
		require.False(t, names[name], "%s is listed twice", name)
		names[name] = true
	}
	return names
}

func TestEveryVariantHasItsFile(t *testing.T) {
	want := variantNames(t)
	got := map[string]bool{}
	for _, name := range Names() {
		got[name] = true
	}
	assert.Equal(t, want, got)
}

func TestEverySourceIsBuilt(t *testing.T) {
	sources, err := filepath.Glob("*.comp")
	require.NoError(t, err)
	for _, source := range sources {
		kernel := strings.TrimSuffix(source, ".comp")
		built := false
		for name := range variantNames(t) {
			built = built || name == kernel || strings.HasPrefix(name, kernel+"_")
		}
		assert.True(t, built, "%s is in no line of variants.txt", source)
	}
}

func TestInterfaces(t *testing.T) {
	for _, name := range Names() {
		k, err := Lookup(name)
		require.NoError(t, err)
		assert.NotEmpty(t, k.Bindings, name)
		assert.LessOrEqual(t, k.PushBytes, uint32(128), "%s: more than every device takes", name)
		storage := 0
		for _, b := range k.Bindings {
			if b.TexelBytes == 0 {
				storage++
			}
		}
		assert.LessOrEqual(t, storage, 4+4, name)
		require.NotEmpty(t, k.Spec, name)
		_, ok := k.SpecConstant("workgroup_size")
		assert.True(t, ok, name)
		seen := map[uint32]bool{}
		for _, b := range k.Bindings {
			assert.False(t, seen[b.Index], "%s: binding %d is used twice", name, b.Index)
			seen[b.Index] = true
		}
		for i, f := range k.Push {
			assert.NotEmpty(t, f.Name, name)
			assert.Equal(t, uint32(4*i), f.Offset, "%s: %s is not a word", name, f.Name)
		}
	}
}

func TestInterfaceOfOneKernel(t *testing.T) {
	k, err := Lookup("scan_fold_lane_cumsum_f32")
	require.NoError(t, err)
	assert.Equal(t, []Binding{{"states", 0, false, 0}}, k.Bindings)
	assert.Equal(t, []Field{
		{"first_item", 0}, {"item_end", 4}, {"inner", 8}, {"nodes", 12}, {"parents", 16}, {"node_base", 20}, {"parent_base", 24},
	}, k.Push)
	assert.Equal(t, uint32(28), k.PushBytes)
	assert.Equal(t, []SpecConstant{{"workgroup_size", 0, 1}, {"state_size", 31, 2}}, k.Spec)
	assert.Equal(t, []string{"Shader"}, k.Capabilities)
	assert.Equal(t, uint32(2), k.StateWords())
	index, ok := k.Binding("states")
	assert.True(t, ok)
	assert.Zero(t, index)
	offset, ok := k.Field("parents")
	assert.True(t, ok)
	assert.Equal(t, uint32(16), offset)
	_, ok = k.Field("nonsense")
	assert.False(t, ok)
}

func TestReadOnlyBindings(t *testing.T) {
	k, err := Lookup("scan_outputs_lane_cumsum_f32")
	require.NoError(t, err)
	assert.Equal(t, []Binding{
		{"source", 0, true, 0}, {"result", 1, false, 0}, {"source_vectors", 2, true, 16}, {"result_vectors", 3, false, 0}, {"states", 4, true, 0},
		{"source_words", 8, true, 4},
	}, k.Bindings)
	k, err = Lookup("log1p_f16")
	require.NoError(t, err)
	assert.Equal(t, Binding{"source_word_pairs", 2, true, 8}, k.Bindings[2])
}

func TestLookupErrors(t *testing.T) {
	_, err := Lookup("no_such_kernel")
	assert.ErrorContains(t, err, "no_such_kernel")
	k, err := Lookup("scan_fold_lane_cumsum_f32")
	require.NoError(t, err)
	for cut := range len(k.SPIRV) {
		if _, err := describe("cut", k.SPIRV[:cut]); cut%4 != 0 || cut < 20 {
			assert.Error(t, err)
		}
	}
}

func TestSizeOfAllKernels(t *testing.T) {
	total := 0
	for _, name := range Names() {
		k, err := Lookup(name)
		require.NoError(t, err)
		total += len(k.SPIRV)
	}
	assert.Less(t, total, 5<<20, "they are part of every program")
}
