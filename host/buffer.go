package host

import (
	"context"
	"fmt"
	"strings"

	"vkops/gpu"
	"vkops/tensor"
)

// Buffer is a tensor on a device whose element type is known only at run time.
// [Tensor] puts a Go type on it. It is safe for many goroutines; which of two
// writes without a wait in between comes last is then open.
type Buffer struct {
	rt    *Runtime
	typ   tensor.Type
	bytes int64

	// Guarded by rt.mu:
	freed  bool
	pins   int   // uses of the memory outside rt.mu; Free waits for the last
	poison error // why the elements mean nothing, as of the last finished work

	share *share // a recording's memory that it has; nil for all but results of recordings

	host tensor.Dense // the memory, on the twin
	dev  deviceMemory // the memory, on a device
}

// deviceMemory is a buffer's part in the device's queue.
type deviceMemory struct {
	buf    *gpu.Buffer
	last   uint64 // the last submission that reads or writes it
	viewed bool   // a view was handed out, so the host may have written to it
}

// NewBuffer makes a tensor of undefined content. Errors: [ErrShape] for a negative
// dimension or too many elements, [ErrType], [ErrOutOfMemory], [ErrClosed]. Where memory is
// short, it waits for work in flight that may give some back.
func (rt *Runtime) NewBuffer(t tensor.Type) (*Buffer, error) {
	return rt.newBuffer(context.Background(), t)
}

func (rt *Runtime) newBuffer(ctx context.Context, t tensor.Type) (*Buffer, error) {
	if err := rt.usable("new tensor"); err != nil {
		return nil, err
	}
	n, err := t.Bytes()
	if err != nil {
		return nil, fmt.Errorf("new tensor: %w", err)
	}
	if t.DType.Size() == 0 {
		return nil, fmt.Errorf("new tensor: %w: %s", ErrType, t.DType)
	}
	b := &Buffer{rt: rt, typ: cloneType(t), bytes: n}
	if err := rt.backend.alloc(ctx, b); err != nil {
		return nil, fmt.Errorf("new tensor %s: %w", t, err)
	}
	return b, nil
}

// Upload copies a tensor to the device; d is free again when it returns. Errors are
// those of [Runtime.NewBuffer], and [ErrShape] for data that does not fill the type.
func (rt *Runtime) Upload(d tensor.Dense) (*Buffer, error) {
	b, err := rt.NewBuffer(d.Type)
	if err != nil {
		return nil, err
	}
	if err := b.Write(context.Background(), d); err != nil {
		b.Free()
		return nil, err
	}
	return b, nil
}

// Type is the element type and shape; that of nil is the zero value.
func (b *Buffer) Type() tensor.Type {
	if b == nil {
		return tensor.Type{}
	}
	return cloneType(b.typ)
}

// Shape is the shape; that of nil is nil.
func (b *Buffer) Shape() tensor.Shape { return b.Type().Shape }

// Write replaces the elements by those of d, which has the same element type and
// count, and is free again when it returns. The context ends the wait for earlier
// work on the buffer. After an error the elements are undefined.
func (b *Buffer) Write(ctx context.Context, d tensor.Dense) error {
	if err := b.fits("write", d); err != nil {
		return err
	}
	return wrap("write", b.rt.backend.write(orBackground(ctx), b, d.Data))
}

// Download waits for the work on the buffer and copies its elements out. Its error
// may be one of the work's: see the package's documentation.
func (b *Buffer) Download(ctx context.Context) (tensor.Dense, error) {
	if err := b.usable("download"); err != nil {
		return tensor.Dense{}, err
	}
	d, err := tensor.NewDense(b.typ)
	if err != nil {
		return tensor.Dense{}, wrap("download", err)
	}
	d.Type = cloneType(b.typ)
	return d, b.DownloadInto(ctx, d)
}

// DownloadInto is Download into a tensor of the same element type and count; another
// one is [ErrType] or [ErrShape].
func (b *Buffer) DownloadInto(ctx context.Context, d tensor.Dense) error {
	if err := b.fits("download", d); err != nil {
		return err
	}
	return wrap("download", b.rt.backend.read(orBackground(ctx), b, d.Data))
}

// Wait returns when the work on the buffer is done, with its error if it failed.
func (b *Buffer) Wait(ctx context.Context) error {
	if err := b.usable("wait"); err != nil {
		return err
	}
	return wrap("wait", b.rt.backend.wait(orBackground(ctx), b))
}

// Mapped waits for the work on the buffer and gives its memory itself, to read and
// to write, without a copy: until the next operator that uses the buffer is
// called, and at most until Free or Close. It is [ErrUnsupported] on devices whose
// memory the host cannot reach.
func (b *Buffer) Mapped(ctx context.Context) (tensor.Dense, error) {
	if err := b.usable("mapped"); err != nil {
		return tensor.Dense{}, err
	}
	data, err := b.rt.backend.view(orBackground(ctx), b)
	if err != nil {
		return tensor.Dense{}, wrap("mapped", err)
	}
	return tensor.Dense{Type: cloneType(b.typ), Data: data}, nil
}

// Free gives the memory back once the work in flight is done with it. It may be
// called twice, at any time.
func (b *Buffer) Free() {
	if b == nil || b.rt == nil {
		return
	}
	b.rt.mu.Lock()
	defer b.rt.mu.Unlock()
	if !b.freed {
		b.freed = true
		b.releaseIfUnused()
	}
}

func (b *Buffer) releaseIfUnused() {
	switch {
	case !b.freed || b.pins > 0 || b.rt.closed:
	case b.share != nil:
		b.share.leave()
	default:
		b.rt.backend.release(b)
	}
}

// pin keeps the memory while it is used outside rt.mu; the use ends with unpin.
func (b *Buffer) pin() error {
	b.rt.mu.Lock()
	defer b.rt.mu.Unlock()
	if err := b.liveLocked(); err != nil {
		return err
	}
	b.rt.busy.Add(1)
	b.pins++
	return nil
}

func (b *Buffer) unpin() {
	b.rt.mu.Lock()
	b.pins--
	b.releaseIfUnused()
	b.rt.mu.Unlock()
	b.rt.busy.Done()
}

// liveLocked refuses a buffer that has no memory any more; rt.mu is held.
func (b *Buffer) liveLocked() error {
	switch {
	case b.rt.closed:
		return ErrClosed
	case b.freed:
		return ErrFreed
	}
	return nil
}

func (b *Buffer) usable(what string) error {
	if b == nil || b.rt == nil {
		return fmt.Errorf("%s: %w: the tensor is nil", what, ErrArity)
	}
	b.rt.mu.Lock()
	defer b.rt.mu.Unlock()
	return wrap(what, b.liveLocked())
}

// fits refuses host memory that does not match the buffer.
func (b *Buffer) fits(what string, d tensor.Dense) error {
	if err := b.usable(what); err != nil {
		return err
	}
	if d.DType != b.typ.DType {
		return fmt.Errorf("%s: %w: host memory holds %s, the tensor is %s", what, ErrType, d.DType, b.typ)
	}
	if int64(len(d.Data)) != b.bytes {
		size := int64(d.DType.Size())
		return fmt.Errorf("%s: %w: %d elements for %s, which holds %d", what, ErrShape, int64(len(d.Data))/size, b.typ, b.bytes/size)
	}
	return nil
}

func cloneType(t tensor.Type) tensor.Type {
	return tensor.Type{DType: t.DType, Shape: append(tensor.Shape{}, t.Shape...)}
}

// wrap names what failed, except where the error names it, or an operator, already.
func wrap(what string, err error) error {
	if err == nil || isOperatorError(err) || strings.HasPrefix(err.Error(), what+": ") {
		return err
	}
	return fmt.Errorf("%s: %w", what, err)
}
