package tensor

import (
	"fmt"
	"math"
	"slices"
	"strings"
)

// Shape lists the dimensions, outermost first. A scalar has the empty shape.
type Shape []int

// Type is what a tensor is, without its elements.
type Type struct {
	DType DType
	Shape Shape
}

// String prints "float32[2 3]".
func (t Type) String() string { return t.DType.String() + t.Shape.String() }

// Bytes is the size of the elements in bytes, or an error as Shape.Elements gives.
func (t Type) Bytes() (int64, error) {
	n, err := t.Shape.Elements()
	if err != nil {
		return 0, err
	}
	if size := t.DType.Size(); size > 0 && n > math.MaxInt64/int64(size) {
		return 0, fmt.Errorf("%w: %s is too large", ErrShape, t)
	}
	return n * int64(t.DType.Size()), nil
}

// Equal reports whether both types have the same element type and shape.
func (t Type) Equal(o Type) bool { return t.DType == o.DType && slices.Equal(t.Shape, o.Shape) }

// String prints "[2 3]", and "[]" for a scalar.
func (s Shape) String() string {
	parts := make([]string, len(s))
	for i, d := range s {
		parts[i] = fmt.Sprint(d)
	}
	return "[" + strings.Join(parts, " ") + "]"
}

// Elements is the product of the dimensions: 1 for a scalar, 0 when a dimension
// is 0. A negative dimension, or a product beyond 63 bits, is ErrShape.
func (s Shape) Elements() (int64, error) {
	n := int64(1)
	for _, d := range s {
		if d < 0 {
			return 0, fmt.Errorf("%w: negative dimension %d in %s", ErrShape, d, s)
		}
		if d == 0 {
			n = 0
		}
	}
	if n == 0 {
		return 0, nil
	}
	for _, d := range s {
		if n > math.MaxInt64/int64(d) {
			return 0, fmt.Errorf("%w: %s has more than 2^63-1 elements", ErrShape, s)
		}
		n *= int64(d)
	}
	return n, nil
}

// View is a tensor seen as [Outer, N, Inner]: Outer*Inner independent lines of N
// elements each; element i of line (o, c) is at (o*N+i)*Inner + c.
type View struct {
	Outer, N, Inner int64
}

// Lines is the number of independent lines.
func (v View) Lines() int64 { return v.Outer * v.Inner }

// Elements is the number of elements.
func (v View) Elements() int64 { return v.Outer * v.N * v.Inner }

// along is the view of s with axis as its middle dimension. The caller has
// checked the element count, so the products cannot overflow.
func (s Shape) along(axis int) View {
	v := View{1, int64(s[axis]), 1}
	for i, d := range s {
		switch {
		case i < axis:
			v.Outer *= int64(d)
		case i > axis:
			v.Inner *= int64(d)
		}
	}
	return v
}
