//go:build unix

package wholefile

import (
	"io"
	"io/fs"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// fifo makes a named pipe in a folder of its own.
func fifo(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "pipe")
	require.NoError(t, syscall.Mkfifo(path, 0o600))
	return path
}

func TestPipesAreWrittenThrough(t *testing.T) {
	path := fifo(t)
	got := make(chan string)
	go func() {
		data, err := os.ReadFile(path)
		assert.NoError(t, err)
		got <- string(data)
	}()
	long := strings.Repeat("x", 2*bufferSize)
	require.NoError(t, Write(path, text(long)))
	require.Equal(t, long, <-got)
	info, err := os.Lstat(path)
	require.NoError(t, err)
	assert.NotZero(t, info.Mode()&fs.ModeNamedPipe, "it is still a pipe")
	requireOnly(t, filepath.Dir(path), "pipe")
}

// TestTheLastFlushIsChecked has the reader go away before anything is written.
func TestTheLastFlushIsChecked(t *testing.T) {
	path := fifo(t)
	opened, closed := make(chan *os.File), make(chan struct{})
	go func() {
		f, err := os.Open(path)
		assert.NoError(t, err)
		opened <- f
	}()
	require.ErrorIs(t, Write(path, func(w io.Writer) error {
		go func() {
			assert.NoError(t, (<-opened).Close())
			close(closed)
		}()
		<-closed
		return text("x")(w)
	}), syscall.EPIPE)
}

// TestAFullDiskLeavesWhatWasThere stands in for a full disk with the process's own
// limit on the size of files.
func TestAFullDiskLeavesWhatWasThere(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "out")
	require.NoError(t, Write(path, text("before")))
	signal.Ignore(syscall.SIGXFSZ) // the write fails instead
	defer signal.Reset(syscall.SIGXFSZ)
	var limit syscall.Rlimit
	require.NoError(t, syscall.Getrlimit(syscall.RLIMIT_FSIZE, &limit))
	small := limit
	small.Cur = bufferSize
	require.NoError(t, syscall.Setrlimit(syscall.RLIMIT_FSIZE, &small))
	err := Write(path, text(strings.Repeat("x", 3*bufferSize)))
	require.NoError(t, syscall.Setrlimit(syscall.RLIMIT_FSIZE, &limit))
	require.ErrorIs(t, err, syscall.EFBIG)
	requireContent(t, path, "before")
	requireOnly(t, dir, "out")
	require.NoError(t, Write(path, text(strings.Repeat("x", 3*bufferSize))), "the limit is lifted again")
}
