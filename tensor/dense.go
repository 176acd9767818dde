package tensor

import (
	"fmt"
	"unsafe"

	"vkops/internal/hostmemory"
)

// Dense is a tensor in host memory whose element type is known only at run
// time: files, models and the command line hold these. Data is little-endian,
// row-major, exactly Type.Bytes() long and aligned to 8 bytes.
type Dense struct {
	Type
	Data []byte
}

// NewDense allocates a tensor of zeros. A negative dimension or too many elements is
// [ErrShape], a type that is none [ErrType]; one that the system has no memory for matches
// host.ErrOutOfMemory.
func NewDense(t Type) (Dense, error) {
	n, err := t.Bytes()
	if err != nil {
		return Dense{}, err
	}
	if t.DType.Size() == 0 {
		return Dense{}, fmt.Errorf("%w: %s", ErrType, t.DType)
	}
	data, err := hostmemory.Bytes(n)
	if err != nil {
		return Dense{}, fmt.Errorf("%s: %w", t, err)
	}
	return Dense{t, data}, nil
}

// Of makes a Dense over values, which it shares. The number of values must be
// the product of the dimensions; another one is [ErrShape].
func Of[T Element](values []T, shape ...int) (Dense, error) {
	n, err := Shape(shape).Elements()
	if err != nil {
		return Dense{}, err
	}
	if n != int64(len(values)) {
		return Dense{}, fmt.Errorf("%w: %d values for shape %s, which holds %d", ErrShape, len(values), Shape(shape), n)
	}
	return Dense{Type{DTypeOf[T](), shape}, BytesOf(values)}, nil
}

// Values is the tensor's elements as a flat slice that shares its memory. It is
// [ErrType] if they are not of Go type T.
func Values[T Element](d Dense) ([]T, error) {
	if want := DTypeOf[T](); d.DType != want {
		return nil, fmt.Errorf("%w: tensor holds %s, not %s", ErrType, d.DType, want)
	}
	return ValuesOf[T](d.Data), nil
}

// BytesOf is the memory of values as bytes.
func BytesOf[T Element](values []T) []byte {
	if len(values) == 0 {
		return nil
	}
	return unsafe.Slice((*byte)(unsafe.Pointer(&values[0])), len(values)*int(unsafe.Sizeof(values[0])))
}

// ValuesOf is data as elements of T. data must be aligned to the size of T; its
// tail that does not fill an element is left out.
func ValuesOf[T Element](data []byte) []T {
	var zero T
	n := len(data) / int(unsafe.Sizeof(zero))
	if n == 0 {
		return nil
	}
	return unsafe.Slice((*T)(unsafe.Pointer(&data[0])), n)
}
