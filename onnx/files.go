package onnx

import (
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

// ReadNPY reads one NumPy array in any order and of either byte order.
func ReadNPY(r io.Reader, opts NPYOptions) (tensor.Dense, error) { return npy.Read(r, opts) }

// WriteNPY writes a NumPy array, version 1.0, C order, little-endian.
func WriteNPY(w io.Writer, d tensor.Dense) error { return npy.Write(w, d) }

// CheckEnding refuses a path that ends in neither .pb nor .npy, in any case of
// letters, so that a wrong output name is found before the work is done.
func CheckEnding(path string) error {
	_, err := isNPY(path)
	return err
}

func isNPY(path string) (bool, error) {
	switch ending := strings.ToLower(filepath.Ext(path)); ending {
	case ".npy", ".pb":
		return ending == ".npy", nil
	default:
		return false, unsupportedErrorf("%s ends in neither .pb nor .npy", path)
	}
}

// ReadFile reads a tensor from a .pb or .npy file; opts matter to the latter.
func ReadFile(path string, opts NPYOptions) (tensor.Dense, error) {
	asNPY, err := isNPY(path)
	if err != nil {
		return tensor.Dense{}, err
	}
	var d tensor.Dense
	if asNPY {
		d, err = readNPYFile(path, opts)
	} else {
		d, err = readTensorFile(path)
	}
	if err != nil {
		return tensor.Dense{}, naming(path, err)
	}
	return d, nil
}

func readNPYFile(path string, opts NPYOptions) (tensor.Dense, error) {
	f, err := os.Open(path)
	if err != nil {
		return tensor.Dense{}, err
	}
	defer f.Close()
	return npy.Read(f, opts)
}

func readTensorFile(path string) (tensor.Dense, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return tensor.Dense{}, err
	}
	d, _, err := ParseTensor(data)
	return d, err
}

// WriteFile writes d to a .pb or .npy file, which appears whole or not at all.
// name is the tensor's name in a .pb file.
func WriteFile(path string, d tensor.Dense, name string) error {
	asNPY, err := isNPY(path)
	if err != nil {
		return err
	}
	err = wholefile.Write(path, func(w io.Writer) error {
		if asNPY {
			return npy.Write(w, d)
		}
		return WriteTensor(w, d, name)
	})
	if err != nil {
		return naming(path, err)
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
