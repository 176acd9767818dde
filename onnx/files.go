package onnx

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"vkops/internal/npy"
	"vkops/internal/wholefile"
	"vkops/tensor"
)

// NPYOptions say what an .npy file cannot: the element type of "<V2" arrays.
type NPYOptions = npy.Options

// ReadNPY reads one NumPy array in any order and of either byte order. It is
// [ErrFormat] for what is no whole array, and [ErrUnsupported] for one of another
// element type.
func ReadNPY(r io.Reader, opts NPYOptions) (tensor.Dense, error) { return npy.Read(r, opts) }

// WriteNPY writes a NumPy array, version 1.0, C order, little-endian. The error is the
// writer's, or [tensor.ErrShape] for data that does not fill the type.
func WriteNPY(w io.Writer, d tensor.Dense) error { return npy.Write(w, d) }

// place is a path taken apart: "x.npz:name" is the array name of an archive.
type place struct {
	path   string
	ending string // ".pb", ".npy" or ".npz"
	array  string // of an archive; "" where none is named
}

func parsePlace(path string) (place, error) {
	p := place{path: path}
	if i := strings.LastIndex(strings.ToLower(path), archiveEnding+":"); i >= 0 {
		i += len(archiveEnding)
		p.path, p.array = path[:i], path[i+1:]
	}
	p.ending = strings.ToLower(filepath.Ext(p.path))
	switch p.ending {
	case ".pb", ".npy", archiveEnding:
		return p, nil
	}
	return place{}, unsupportedErrorf("%s ends in none of .npy, .npz and .pb", path)
}

const archiveEnding = ".npz"

// FileOf is the path of the file itself, without the name of an array in an archive.
func FileOf(path string) string {
	if p, err := parsePlace(path); err == nil {
		path = p.path
	}
	return filepath.Clean(path)
}

// CheckEnding refuses a path that ends in none of .npy, .npz and .pb, in any case of
// letters, so that a wrong output name is found before the work is done: as
// [ErrUnsupported].
func CheckEnding(path string) error {
	_, err := parsePlace(path)
	return err
}

// ReadFile reads a tensor from a .pb or .npy file, or from an .npz archive, of which
// "x.npz:name" names the array where there are several; opts matter to the last two.
// Errors name the file: the system's, such as [fs.ErrNotExist], [ErrFormat] and
// [ErrUnsupported].
func ReadFile(path string, opts NPYOptions) (tensor.Dense, error) {
	p, err := parsePlace(path)
	if err != nil {
		return tensor.Dense{}, err
	}
	var d tensor.Dense
	switch p.ending {
	case ".pb":
		d, err = readTensorFile(p.path)
	default:
		d, err = readNumPyFile(p, opts)
	}
	if err != nil {
		return tensor.Dense{}, naming(p.path, err)
	}
	return d, nil
}

func readNumPyFile(p place, opts NPYOptions) (tensor.Dense, error) {
	f, err := os.Open(p.path)
	if err != nil {
		return tensor.Dense{}, err
	}
	defer f.Close()
	if p.ending == ".npy" {
		return npy.Read(f, opts)
	}
	info, err := f.Stat()
	if err != nil {
		return tensor.Dense{}, err
	}
	return npy.ReadArchive(f, info.Size(), p.array, opts)
}

func readTensorFile(path string) (tensor.Dense, error) {
	data, err := readMessage(path)
	if err != nil {
		return tensor.Dense{}, err
	}
	d, _, err := ParseTensor(data)
	return d, err
}

// mostMessage is the size that protobuf itself allows a message.
const mostMessage = 1<<31 - 1

// readMessage reads a file that holds one message: what is no such file, however long
// it goes on, is refused without filling the memory.
func readMessage(path string) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if info.Mode()&fs.ModeDevice != 0 {
		return nil, formatErrorf("a device is no file of a model or a tensor")
	}
	if info.Size() > mostMessage {
		return nil, formatErrorf("%d bytes; a protobuf message has at most %d", info.Size(), mostMessage)
	}
	var data bytes.Buffer
	data.Grow(int(info.Size()) + bytes.MinRead)
	if n, err := data.ReadFrom(io.LimitReader(f, mostMessage+1)); err != nil {
		return nil, err
	} else if n > mostMessage {
		return nil, formatErrorf("more than the %d bytes of a protobuf message", mostMessage)
	}
	return data.Bytes(), nil
}

// WriteFile writes d to a .pb, .npy or .npz file, which appears whole or not at all.
// name is the tensor's name in a .pb file, and in an .npz archive whose path does not
// name the array. Another ending is [ErrUnsupported]; other errors are the system's, or
// those of [WriteNPY] and [WriteTensor].
func WriteFile(path string, d tensor.Dense, name string) error {
	p, err := parsePlace(path)
	if err != nil {
		return err
	}
	if p.array == "" {
		p.array = name
	}
	err = wholefile.Write(p.path, func(w io.Writer) error {
		switch p.ending {
		case ".npy":
			return npy.Write(w, d)
		case archiveEnding:
			return npy.WriteArchive(w, p.array, d)
		}
		return WriteTensor(w, d, name)
	})
	if err != nil {
		return naming(p.path, err)
	}
	return nil
}

// naming puts the path in front of an error that does not name it yet.
func naming(path string, err error) error {
	var named *fs.PathError
	if errors.As(err, &named) && named.Path == path {
		return err
	}
	return fmt.Errorf("%s: %w", path, err)
}
