package wholefile

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func text(s string) func(io.Writer) error {
	return func(w io.Writer) error {
		_, err := io.WriteString(w, s)
		return err
	}
}

var errFill = errors.New("fill failed")

// failing writes more than the buffer holds, so that part of it is on the disk.
func failing(w io.Writer) error {
	if err := text(strings.Repeat("x", 3*bufferSize))(w); err != nil {
		return err
	}
	return errFill
}

func requireOnly(t *testing.T, dir string, names ...string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	require.NoError(t, err)
	var got []string
	for _, e := range entries {
		got = append(got, e.Name())
	}
	require.Equal(t, names, got)
}

func requireContent(t *testing.T, path, want string) {
	t.Helper()
	got, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Equal(t, want, string(got))
}

func TestNewAndReplaced(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "out")
	for _, s := range []string{"first, the longer", "second", ""} {
		require.NoError(t, Write(path, text(s)))
		requireContent(t, path, s)
		requireOnly(t, dir, "out")
	}
	big := strings.Repeat("0123456789abcdef", bufferSize/8)
	require.NoError(t, Write(path, text(big)))
	requireContent(t, path, big)
}

func TestFailureLeavesNothing(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "out")
	require.ErrorIs(t, Write(path, failing), errFill)
	requireOnly(t, dir)
	require.NoError(t, Write(path, text("before")))
	require.ErrorIs(t, Write(path, failing), errFill)
	requireContent(t, path, "before")
	requireOnly(t, dir, "out")
}

func TestNothingAppearsWhileFilling(t *testing.T) {
	path := filepath.Join(t.TempDir(), "out")
	require.NoError(t, Write(path, func(w io.Writer) error {
		_, err := os.Stat(path)
		assert.ErrorIs(t, err, fs.ErrNotExist)
		return text("x")(w)
	}))
	requireContent(t, path, "x")
}

func TestFolders(t *testing.T) {
	dir := t.TempDir()
	require.Error(t, Write(dir, text("x")))
	require.ErrorIs(t, Write(filepath.Join(dir, "missing", "out"), text("x")), fs.ErrNotExist)
	requireOnly(t, dir)
	t.Chdir(dir)
	require.NoError(t, Write("out", text("x")))
	requireOnly(t, dir, "out")
}

func TestPermissions(t *testing.T) {
	if runtime.GOOS == "windows" {
		return // has none
	}
	dir := t.TempDir()
	ordinary := filepath.Join(dir, "ordinary")
	require.NoError(t, os.WriteFile(ordinary, nil, 0o666))
	want, err := os.Stat(ordinary)
	require.NoError(t, err)
	path := filepath.Join(dir, "out")
	require.NoError(t, Write(path, text("x")))
	got, err := os.Stat(path)
	require.NoError(t, err)
	assert.Equal(t, want.Mode(), got.Mode(), "a new file is an ordinary one")
	require.NoError(t, os.Chmod(path, 0o600))
	require.NoError(t, Write(path, text("y")))
	got, err = os.Stat(path)
	require.NoError(t, err)
	assert.Equal(t, fs.FileMode(0o600), got.Mode(), "a replaced file keeps its permissions")
}

func TestLinksStay(t *testing.T) {
	dir := t.TempDir()
	target, link := filepath.Join(dir, "target"), filepath.Join(dir, "link")
	require.NoError(t, os.WriteFile(target, []byte("old"), 0o600))
	require.NoError(t, os.Symlink("target", link))
	require.NoError(t, Write(link, text("new")))
	requireContent(t, target, "new")
	info, err := os.Lstat(link)
	require.NoError(t, err)
	assert.NotZero(t, info.Mode()&fs.ModeSymlink)
	require.NoError(t, os.Remove(target))
	require.Error(t, Write(link, text("dangling")))
	requireOnly(t, dir, "link")
}
