package npy

import (
	"archive/zip"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"vkops/internal/hostmemory"
	"vkops/tensor"
)

// A member that claims more than freely bytes may expand by mostExpansion at most:
// arrays of one repeated value do by a thousand, but then they are small.
const (
	freely        = 256 << 20
	mostExpansion = 100
)

// ReadArchive reads one array of NumPy's .npz archive, by the name it has in Python.
// Without a name the archive must hold one array only. Names are never paths. Memory
// is taken in proportion to what the archive delivers, and archives that expand
// beyond measure are refused.
func ReadArchive(r io.ReaderAt, size int64, name string, opts Options) (tensor.Dense, error) {
	archive, err := zip.NewReader(r, size)
	if err != nil {
		return tensor.Dense{}, fmt.Errorf("%w: not an .npz archive: %w", ErrFormat, err)
	}
	member, err := find(archive.File, name)
	if err != nil {
		return tensor.Dense{}, err
	}
	d, err := readMember(member, opts)
	if err != nil {
		return tensor.Dense{}, fmt.Errorf("array %s: %w", strconv.QuoteToASCII(arrayName(member)), err)
	}
	return d, nil
}

func readMember(f *zip.File, opts Options) (tensor.Dense, error) {
	if f.Method != zip.Store && f.Method != zip.Deflate {
		return tensor.Dense{}, fmt.Errorf("%w: compression method %d", ErrUnsupported, f.Method)
	}
	if f.Flags&1 != 0 {
		return tensor.Dense{}, fmt.Errorf("%w: encrypted", ErrUnsupported)
	}
	if f.UncompressedSize64 > freely && f.UncompressedSize64/mostExpansion > f.CompressedSize64 {
		return tensor.Dense{}, fmt.Errorf("%w: %d bytes are to become %d; at most %d times as many are unpacked",
			ErrFormat, f.CompressedSize64, f.UncompressedSize64, mostExpansion)
	}
	content, err := f.Open()
	if err != nil {
		return tensor.Dense{}, fmt.Errorf("%w: %w", ErrFormat, err)
	}
	defer content.Close()
	d, err := Read(content, opts)
	return d, broken(err)
}

// broken marks what package zip finds wrong in a member's data as malformed.
func broken(err error) error {
	if err == nil || errors.Is(err, ErrFormat) || errors.Is(err, ErrUnsupported) || errors.Is(err, tensor.ErrType) || errors.Is(err, hostmemory.ErrOut) {
		return err
	}
	return fmt.Errorf("%w: %w", ErrFormat, err)
}

// arrayName is a member's name in Python, without its ending.
func arrayName(f *zip.File) string { return strings.TrimSuffix(f.Name, ".npy") }

func find(files []*zip.File, name string) (*zip.File, error) {
	var found *zip.File
	var names []string
	for _, f := range files {
		if name == "" || arrayName(f) == name {
			if found != nil && name != "" {
				return nil, fmt.Errorf("%w: two arrays are named %s", ErrFormat, strconv.QuoteToASCII(name))
			}
			found = f
		}
		if len(names) < mostNames {
			names = append(names, strconv.QuoteToASCII(arrayName(f)))
		}
	}
	switch {
	case len(files) == 0:
		return nil, fmt.Errorf("%w: no array in the archive", ErrFormat)
	case found == nil:
		return nil, fmt.Errorf("no array %s in the archive; there are %s", strconv.QuoteToASCII(name), strings.Join(names, ", "))
	case name == "" && len(files) > 1:
		return nil, fmt.Errorf("%d arrays in the archive, name one: %s", len(files), strings.Join(names, ", "))
	}
	return found, nil
}

// mostNames keeps messages short.
const mostNames = 10

// WriteArchive writes an .npz archive of one array, not compressed.
func WriteArchive(w io.Writer, name string, d tensor.Dense) error {
	archive := zip.NewWriter(w)
	member, err := archive.CreateHeader(&zip.FileHeader{Name: name + ".npy", Method: zip.Store})
	if err != nil {
		return err
	}
	if err := Write(member, d); err != nil {
		return err
	}
	return archive.Close()
}
