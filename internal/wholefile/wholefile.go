// Package wholefile writes files that appear whole or not at all: under a
// temporary name in the same folder, flushed to the disk, then renamed.
package wholefile

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
)

const bufferSize = 1 << 18

// Write makes path hold what fill writes. When fill or the file system fails,
// whatever was at path before is still there and the temporary file is gone.
//
// A symbolic link keeps pointing where it did; its target is replaced. What
// exists and is not a regular file (a pipe, /dev/null) cannot be replaced and is
// written through instead.
func Write(path string, fill func(io.Writer) error) error {
	target, perm, regular, err := inspect(path)
	if err != nil {
		return err
	}
	if !regular {
		f, err := os.OpenFile(target, os.O_WRONLY, 0)
		if err != nil {
			return err
		}
		return errors.Join(fillBuffered(f, fill), f.Close())
	}
	return replace(target, perm, fill)
}

// inspect follows links and says whether path can be replaced by a rename.
func inspect(path string) (target string, perm fs.FileMode, regular bool, err error) {
	info, err := os.Lstat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return path, 0, true, nil
	}
	if err != nil {
		return "", 0, false, err
	}
	target = path
	if info.Mode()&fs.ModeSymlink != 0 {
		if target, err = filepath.EvalSymlinks(path); err != nil {
			return "", 0, false, err
		}
		if info, err = os.Stat(target); err != nil {
			return "", 0, false, err
		}
	}
	if info.IsDir() {
		return "", 0, false, fmt.Errorf("%s is a folder", path)
	}
	return target, info.Mode().Perm(), info.Mode().IsRegular(), nil
}

// replace writes beside target and renames. perm is that of the file replaced,
// or 0 for a new one, which gets what the process's mask allows.
func replace(target string, perm fs.FileMode, fill func(io.Writer) error) (err error) {
	f, err := createBeside(target)
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			_ = f.Close() // may be closed already
			_ = os.Remove(f.Name())
		}
	}()
	if err := fillBuffered(f, fill); err != nil {
		return err
	}
	if perm != 0 {
		if err := f.Chmod(perm); err != nil {
			return err
		}
	}
	// The rename must not reach the disk before the content does.
	if err := f.Sync(); err != nil {
		return err
	}
	if err := f.Close(); err != nil {
		return err
	}
	return os.Rename(f.Name(), target)
}

func fillBuffered(f *os.File, fill func(io.Writer) error) error {
	w := bufio.NewWriterSize(f, bufferSize)
	if err := fill(w); err != nil {
		return err
	}
	return w.Flush()
}

// createBeside is os.CreateTemp with the permissions of an ordinary new file.
func createBeside(target string) (*os.File, error) {
	dir, base := filepath.Split(target)
	for try := 0; ; try++ {
		name := filepath.Join(dir, fmt.Sprintf(".%s.%08x.tmp", base, rand.Uint32()))
		f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
		if err == nil || !errors.Is(err, fs.ErrExist) || try == 100 {
			return f, err
		}
	}
}
