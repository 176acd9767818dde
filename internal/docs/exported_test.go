package docs

import (
	"go/doc"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// Every exported name says what it is, and every package has a page.
func TestExportedNamesAreDocumented(t *testing.T) {
	paths, err := GoFiles(filepath.Join("..", ".."))
	require.NoError(t, err)
	require.Greater(t, len(paths), 100)
	var missing []string
	packages := map[string]bool{}
	for _, path := range paths {
		found, err := Undocumented(path)
		require.NoError(t, err)
		missing = append(missing, found...)
		page, err := HasPackagePage(path)
		require.NoError(t, err)
		packages[filepath.Dir(path)] = packages[filepath.Dir(path)] || page
	}
	for folder, page := range packages {
		if !page {
			missing = append(missing, folder+": no file says what the package is for")
		}
	}
	require.Empty(t, missing)
}

// public are the packages that other programs import.
var public = []string{"tensor", "cpuref", "gpu", "host", "onnx"}

// Every exported function of a public package that can fail says with which errors.
func TestErrorsAreDocumented(t *testing.T) {
	var missing []string
	for _, name := range public {
		paths, err := GoFiles(filepath.Join("..", "..", name))
		require.NoError(t, err)
		for _, path := range paths {
			if filepath.Base(path) == "stub.go" { // its functions fail all alike
				continue
			}
			found, err := ErrorsUnsaid(path)
			require.NoError(t, err)
			missing = append(missing, found...)
		}
	}
	require.Empty(t, missing)
}

// Every operator has an example with its output in every tier: slices, tensors that are
// not waited for, recordings that are replayed, and the twin.
func TestEveryOperatorHasExamples(t *testing.T) {
	examples := map[string]bool{}
	for _, folder := range []string{"host", "cpuref"} {
		paths, err := filepath.Glob(filepath.Join("..", "..", folder, "*_test.go"))
		require.NoError(t, err)
		for _, path := range paths {
			file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ParseComments)
			require.NoError(t, err)
			for _, example := range doc.Examples(file) {
				examples[folder+"."+example.Name] = example.Output != ""
			}
		}
	}
	for _, op := range []string{"CumSum", "LogCumSumExp", "Log1p", "LogSoftmax", "NLL", "SoftmaxCrossEntropyLoss"} {
		for _, name := range []string{"host." + op, "host." + op + "Tensor", "host." + op + "Tensor_recorded", "cpuref." + op} {
			require.True(t, examples[name], "no example with an output: %s", name)
		}
	}
}

func TestErrorsUnsaidSeesWhatIsMissing(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.go")
	require.NoError(t, os.WriteFile(path, []byte(`package a

// A does it.
func A() error { return nil }

// B does it, or gives ErrB.
func B() (int, error) { return 0, nil }

// C has no result.
func C() {}

func d() error { return nil }
`), 0o600))
	found, err := ErrorsUnsaid(path)
	require.NoError(t, err)
	require.Equal(t, []string{path + ":4:1: A does not say which errors it returns"}, found)
}

func TestUndocumentedSeesWhatIsMissing(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.go")
	require.NoError(t, os.WriteFile(path, []byte(`package a

type A struct{}

// B is one.
type B[T any] struct{}

func (B[T]) C() {}

func (*A) Error() string { return "" }

type hidden struct{}

func (hidden) D() {}

// Numbers.
const (
	E = 1
	F = 2
)

var (
	G = 1 // is said here
	H = 2
)

func i() {}
`), 0o600))
	found, err := Undocumented(path)
	require.NoError(t, err)
	require.Equal(t, []string{path + ":3:6: A has no comment", path + ":8:1: C has no comment", path + ":24:2: H has no comment"}, found)
	page, err := HasPackagePage(path)
	require.NoError(t, err)
	require.False(t, page)
}
