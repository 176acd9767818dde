package host

import (
	"context"
	"fmt"

	"vkops/internal/hostmemory"
	"vkops/tensor"
)

// Tensor is a [Buffer] of elements of T.
type Tensor[T tensor.Element] struct {
	*Buffer
}

// Upload copies row-major values of a shape to the device; the slice is free again
// when it returns. A count of values that is not the shape's is [ErrShape]; else errors
// are those of [Runtime.NewBuffer].
func Upload[T tensor.Element](rt *Runtime, values []T, shape tensor.Shape) (*Tensor[T], error) {
	if err := rt.usable("upload"); err != nil {
		return nil, err
	}
	d, err := tensor.Of(values, shape...)
	if err != nil {
		return nil, fmt.Errorf("upload: %w", err)
	}
	b, err := rt.Upload(d)
	if err != nil {
		return nil, err
	}
	return &Tensor[T]{b}, nil
}

// NewTensor makes a tensor of undefined content, to write results into. Errors are those
// of [Runtime.NewBuffer].
func NewTensor[T tensor.Element](rt *Runtime, shape tensor.Shape) (*Tensor[T], error) {
	b, err := rt.NewBuffer(tensor.Type{DType: tensor.DTypeOf[T](), Shape: shape})
	if err != nil {
		return nil, err
	}
	return &Tensor[T]{b}, nil
}

// AsTensor puts the Go type on a buffer, which it shares. A buffer of another element
// type is [ErrType].
func AsTensor[T tensor.Element](b *Buffer) (*Tensor[T], error) {
	if b == nil {
		return nil, fmt.Errorf("%w: the tensor is nil", ErrArity)
	}
	if want := tensor.DTypeOf[T](); b.typ.DType != want {
		return nil, fmt.Errorf("%w: tensor holds %s, not %s", ErrType, b.typ.DType, want)
	}
	return &Tensor[T]{b}, nil
}

// Download waits for the work on the tensor and copies its elements to dst, which
// has as many; a nil dst is allocated. Its error may be one of the work's: see the
// package's documentation.
func (t *Tensor[T]) Download(ctx context.Context, dst []T) ([]T, error) {
	if err := t.buffer().usable("download"); err != nil {
		return nil, err
	}
	if dst == nil {
		if err := hostmemory.Probe(t.bytes); err != nil {
			return nil, wrap("download", err)
		}
		dst = make([]T, t.bytes/int64(t.typ.DType.Size()))
	}
	if err := t.DownloadInto(ctx, t.dense(dst)); err != nil {
		return nil, err
	}
	return dst, nil
}

// Write replaces the elements by src, which has as many and is free again when it
// returns. The context ends the wait for earlier work on the tensor. After an error
// the elements are undefined.
func (t *Tensor[T]) Write(ctx context.Context, src []T) error {
	if err := t.buffer().usable("write"); err != nil {
		return err
	}
	return t.Buffer.Write(ctx, t.dense(src))
}

// Mapped is [Buffer.Mapped] with the elements as a slice, and with the same errors.
func (t *Tensor[T]) Mapped(ctx context.Context) ([]T, error) {
	d, err := t.buffer().Mapped(ctx)
	if err != nil {
		return nil, err
	}
	return tensor.Values[T](d)
}

// DownloadInto is [Buffer.DownloadInto], with the same errors.
func (t *Tensor[T]) DownloadInto(ctx context.Context, d tensor.Dense) error {
	return t.buffer().DownloadInto(ctx, d)
}

// Wait is [Buffer.Wait], with the same errors.
func (t *Tensor[T]) Wait(ctx context.Context) error { return t.buffer().Wait(ctx) }

// Type is [Buffer.Type].
func (t *Tensor[T]) Type() tensor.Type { return t.buffer().Type() }

// Shape is [Buffer.Shape].
func (t *Tensor[T]) Shape() tensor.Shape { return t.buffer().Shape() }

// Free is [Buffer.Free]; of a nil tensor it is nothing, so that it may be deferred before
// an error is looked at.
func (t *Tensor[T]) Free() { t.buffer().Free() }

// buffer is the tensor's buffer, nil for a nil tensor.
func (t *Tensor[T]) buffer() *Buffer {
	if t == nil {
		return nil
	}
	return t.Buffer
}

func (t *Tensor[T]) dense(values []T) tensor.Dense {
	return tensor.Dense{Type: tensor.Type{DType: t.typ.DType}, Data: tensor.BytesOf(values)}
}
