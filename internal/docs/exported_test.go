package docs

import (
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
