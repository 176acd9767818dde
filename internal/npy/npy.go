// Package npy reads and writes NumPy's .npy files: versions 1.0, 2.0 and 3.0
// with one array of one of the element types of package tensor.
package npy

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"strings"

	"vkops/internal/hostmemory"
	"vkops/tensor"
)

// Sentinels for errors.Is.
var (
	// ErrFormat: the file is truncated, foreign or contradicts itself.
	ErrFormat = errors.New("malformed file")
	// ErrUnsupported: the file is well formed but holds what is not read here.
	ErrUnsupported = errors.New("not supported")
)

const (
	magic = "\x93NUMPY"
	// A header states three short values; NumPy itself refuses long ones.
	maxHeader = 1 << 16
	alignment = 64
	// chunk is what is allocated on a header's word alone.
	chunk = 1 << 20
	// maxData keeps a false size in a sparse file from reaching make.
	maxData = 1 << 46
)

// Options say what a file cannot.
type Options struct {
	// Void2 is the element type of arrays of two-byte voids, "<V2" and "|V2",
	// which is how NumPy stores types it does not know: tensor.BF16, or
	// tensor.Invalid to refuse them.
	Void2 tensor.DType
}

// Read reads one array and expects nothing after it. The result is in C order
// and little-endian whatever the file's order. Memory is taken in proportion to
// what r delivers, whatever its header claims.
func Read(r io.Reader, opts Options) (tensor.Dense, error) {
	h, err := readHeader(r)
	if err != nil {
		return tensor.Dense{}, err
	}
	format, err := h.format(opts)
	if err != nil {
		return tensor.Dense{}, err
	}
	t := tensor.Type{DType: format.dtype, Shape: h.shape}
	size, err := t.Bytes()
	if err != nil {
		return tensor.Dense{}, fmt.Errorf("%w: %w", ErrFormat, err)
	}
	if size > maxData {
		return tensor.Dense{}, fmt.Errorf("%w: %s needs %d bytes", ErrFormat, t, size)
	}
	data, err := readData(r, int(size))
	if err != nil {
		return tensor.Dense{}, fmt.Errorf("data of %s: %w", t, err)
	}
	if format.bigEndian {
		swapBytes(data, t.DType.Size())
	}
	d := tensor.Dense{Type: t, Data: data}
	if h.fortran {
		return toCOrder(d)
	}
	return d, nil
}

// readHeader consumes everything before the data.
func readHeader(r io.Reader) (header, error) {
	var start [len(magic) + 2]byte
	if _, err := io.ReadFull(r, start[:]); err != nil {
		return header{}, truncated("magic", err)
	}
	if string(start[:len(magic)]) != magic {
		return header{}, fmt.Errorf("%w: not an .npy file, it starts with % x", ErrFormat, start[:len(magic)])
	}
	major, minor := start[len(magic)], start[len(magic)+1]
	if major < 1 || major > 3 || minor != 0 {
		return header{}, fmt.Errorf("%w: .npy version %d.%d; 1.0, 2.0 and 3.0 are read", ErrUnsupported, major, minor)
	}
	lengthBytes := make([]byte, 4)
	if major == 1 {
		lengthBytes = lengthBytes[:2]
	}
	if _, err := io.ReadFull(r, lengthBytes); err != nil {
		return header{}, truncated("header length", err)
	}
	var length uint32
	if major == 1 {
		length = uint32(binary.LittleEndian.Uint16(lengthBytes))
	} else {
		length = binary.LittleEndian.Uint32(lengthBytes)
	}
	if length > maxHeader {
		return header{}, fmt.Errorf("%w: header of %d bytes; at most %d are read", ErrFormat, length, maxHeader)
	}
	text := make([]byte, length)
	if _, err := io.ReadFull(r, text); err != nil {
		return header{}, truncated("header", err)
	}
	return parseHeader(string(text))
}

// readData reads exactly size bytes up to the end of r, into memory aligned
// for any element.
func readData(r io.Reader, size int) ([]byte, error) {
	if left, known := remaining(r); known && left != int64(size) {
		return nil, fmt.Errorf("%w: %d bytes, the header needs %d", ErrFormat, left, size)
	} else if known {
		data, err := hostmemory.Bytes(int64(size))
		if err != nil {
			return nil, err
		}
		return readRest(r, data, 0)
	}
	data, err := hostmemory.Bytes(int64(min(size, chunk)))
	if err != nil {
		return nil, err
	}
	for have := 0; ; {
		if _, err := io.ReadFull(r, data[have:]); err != nil {
			return nil, truncated("data", err)
		}
		if have = len(data); have == size {
			return readRest(r, data, have)
		}
		grown, err := hostmemory.Bytes(int64(min(size, 2*have)))
		if err != nil {
			return nil, err
		}
		copy(grown, data)
		data = grown
	}
}

// readRest fills data from have on and checks that nothing follows.
func readRest(r io.Reader, data []byte, have int) ([]byte, error) {
	if _, err := io.ReadFull(r, data[have:]); err != nil {
		return nil, truncated("data", err)
	}
	var extra [1]byte
	switch _, err := io.ReadFull(r, extra[:]); err {
	case io.EOF:
		return data, nil
	case nil:
		return nil, fmt.Errorf("%w: bytes after the last element", ErrFormat)
	default:
		return nil, err
	}
}

// remaining is the number of bytes that r still holds, where it can be known.
func remaining(r io.Reader) (int64, bool) {
	switch r := r.(type) {
	case interface{ Len() int }:
		return int64(r.Len()), true
	case *os.File:
		info, err := r.Stat()
		if err != nil || !info.Mode().IsRegular() {
			return 0, false
		}
		at, err := r.Seek(0, io.SeekCurrent)
		return info.Size() - at, err == nil
	}
	return 0, false
}

func truncated(part string, err error) error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return fmt.Errorf("%w: ends inside the %s", ErrFormat, part)
	}
	return err
}

// Write writes version 1.0 in C order, little-endian, the data at a multiple of
// 64 bytes; bfloat16 becomes "<V2".
func Write(w io.Writer, d tensor.Dense) error {
	if n, err := d.Bytes(); err != nil {
		return err
	} else if n != int64(len(d.Data)) {
		return fmt.Errorf("%w: %s with %d bytes of data", tensor.ErrShape, d.Type, len(d.Data))
	}
	descr, ok := descrs[d.DType]
	if !ok {
		return fmt.Errorf("%w: %s has no .npy form", tensor.ErrType, d.DType)
	}
	var shape strings.Builder
	for i, n := range d.Shape {
		if i > 0 {
			shape.WriteByte(' ')
		}
		fmt.Fprintf(&shape, "%d,", n)
	}
	list := shape.String()
	if len(d.Shape) > 1 {
		list = strings.TrimSuffix(list, ",")
	}
	text := fmt.Sprintf("{'descr': '<%s', 'fortran_order': False, 'shape': (%s), }", descr, list)
	const fixed = len(magic) + 4
	padding := -(fixed + len(text) + 1) & (alignment - 1)
	length := len(text) + padding + 1
	if length > math.MaxUint16 {
		return fmt.Errorf("%w: rank %d is too large for an .npy file", tensor.ErrShape, len(d.Shape))
	}
	var head bytes.Buffer
	head.WriteString(magic + "\x01\x00")
	head.Write(binary.LittleEndian.AppendUint16(nil, uint16(length)))
	head.WriteString(text + strings.Repeat(" ", padding) + "\n")
	if _, err := w.Write(head.Bytes()); err != nil {
		return err
	}
	_, err := w.Write(d.Data)
	return err
}
