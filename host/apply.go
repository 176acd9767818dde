package host

import (
	"context"
	"errors"
	"fmt"

	"vkops/tensor"
)

// importFrom is the size in bytes from which kernels work on the caller's own memory,
// where it is also the device's. On lavapipe a buffer of it costs as much as copying
// about 256 KiB.
const importFrom = 1 << 20

// application is an operator on its way from host memory to host memory.
type application struct {
	v      *vulkan
	op     tensor.Op
	dst    tensor.Dense
	inputs []tensor.Dense

	buffers []*Buffer
	out     *Buffer
	// lent says that the device writes to dst itself.
	lent bool
}

// apply implements [backend]. Where host and device share memory, kernels read the
// caller's slices; they also write to them where the call cannot be cancelled. With a
// context that can end, the result goes through memory of the runtime's, so that the
// call can return at once and the device never writes to a slice after that.
func (v *vulkan) apply(ctx context.Context, op tensor.Op, dst tensor.Dense, inputs []tensor.Dense) error {
	if err := v.rt.enter(); err != nil { // Close waits until dst is the caller's again
		return err
	}
	defer v.rt.leave()
	failed := v.applyAtOnce(ctx, op, dst, inputs)
	if errors.Is(failed, ErrOutOfMemory) && !errors.Is(failed, errOverwritten) {
		if err := v.drain(ctx); err != nil { // parts are as large as there is room
			return err
		}
		return v.applyInParts(ctx, op, dst, inputs, failed)
	}
	return failed
}

// applyAtOnce runs an operator on tensors that the device has room for, or the part of
// them that it needs.
func (v *vulkan) applyAtOnce(ctx context.Context, op tensor.Op, dst tensor.Dense, inputs []tensor.Dense) error {
	inParts := v.partBytes != 0 && len(inputs[0].Data) != 0
	if !inParts && v.sendsChosen(op, inputs[0]) {
		return v.applyInWindows(ctx, op, dst, inputs, v.windowBytes(mostPart))
	}
	p, err := v.prepareFor(op, tensor.TypesOf(inputs), inPlace(op)) // as most of these calls run
	switch {
	case err != nil:
		return err
	case p.twin != "":
		return v.leaveToTwin(ctx, p.twin, op, dst, inputs)
	case inParts:
		return errInParts
	case v.streams(op, int64(len(inputs[0].Data))):
		return v.applyStreamed(ctx, op, dst, inputs[0])
	}
	return v.applyWhole(ctx, op, dst, inputs)
}

// leaveToTwin runs an operator from host memory to host memory on the twin.
func (v *vulkan) leaveToTwin(ctx context.Context, reason string, op tensor.Op, dst tensor.Dense, inputs []tensor.Dense) error {
	v.rt.log.Info("runs on the twin", "op", op.Name(), "input", inputs[0].Type.String(), "reason", reason)
	return applyOnTwin(ctx, op, dst, inputs, twinAtOnce)
}

// Reasons to go through the device in parts, and not to.
var (
	errInParts     = fmt.Errorf("%w: an option asks for parts", ErrOutOfMemory)
	errOverwritten = errors.New("the input may be overwritten in part")
)

// applyWhole runs an operator on tensors that the device has room for.
func (v *vulkan) applyWhole(ctx context.Context, op tensor.Op, dst tensor.Dense, inputs []tensor.Dense) error {
	a, err := v.start(ctx, op, dst, inputs)
	if err != nil {
		return err
	}
	return a.finish(ctx)
}

// start sends an operator on its way; finish follows unless it failed.
func (v *vulkan) start(ctx context.Context, op tensor.Op, dst tensor.Dense, inputs []tensor.Dense) (*application, error) {
	a := &application{v: v, op: op, dst: dst, inputs: inputs}
	err := a.prepare(ctx)
	if err == nil {
		err = a.run(ctx)
	}
	if err != nil {
		a.free()
		return nil, err
	}
	return a, nil
}

// prepare makes the buffers that the operator works on.
func (a *application) prepare(ctx context.Context) error {
	writable := ctx.Done() == nil && len(a.dst.Data)%4 == 0 // kernels write whole words
	for i, in := range a.inputs {
		overwritten := inPlace(a.op) && i == 0 && sameMemory(a.dst.Data, in.Data)
		b := a.v.lend(in)
		if b == nil {
			var err error
			if b, err = a.v.copied(ctx, in); err != nil {
				return err
			}
			if inPlace(a.op) {
				a.out = b // which saves memory
			}
		} else if overwritten && writable {
			a.out, a.lent = b, true
		}
		a.buffers = append(a.buffers, b)
	}
	if writable && !a.lent {
		if b := a.v.lend(a.dst); b != nil {
			a.out, a.lent = b, true
			a.buffers = append(a.buffers, b)
		}
	}
	return nil
}

func (a *application) run(ctx context.Context) error {
	out, err := a.v.rt.runOn(ctx, a.v, a.op, a.out, a.buffers[:len(a.inputs)])
	if err == nil && out != a.out {
		a.out = out
		a.buffers = append(a.buffers, out)
	}
	return a.settled(err)
}

// finish waits for the result, which is in dst then.
func (a *application) finish(ctx context.Context) error {
	defer a.free()
	if a.lent {
		err := a.settled(a.out.Wait(ctx))
		if errors.Is(err, ErrOutOfMemory) && a.out == a.buffers[0] {
			err = fmt.Errorf("%w (%w)", err, errOverwritten)
		}
		return err
	}
	err := a.out.DownloadInto(ctx, a.dst)
	if ctx.Err() != nil {
		a.v.letGoLater(a.out)
	}
	return overwritten(err, a.dst, a.inputs[0])
}

// overwritten marks what failed, if another try needs an input that dst may have overwritten.
func overwritten(err error, dst, input tensor.Dense) error {
	if errors.Is(err, ErrOutOfMemory) && overlaps(dst.Data, input.Data) {
		return fmt.Errorf("%w (%w)", err, errOverwritten)
	}
	return err
}

// settled passes an error on when the device is done with memory that was lent to it.
func (a *application) settled(err error) error {
	if err != nil && a.lent && !errors.Is(err, ErrTarget) {
		a.v.gpu.WaitIdle() // a device that is lost, or a runtime closing, may still be at work
	}
	return err
}

func (a *application) free() {
	for _, b := range a.buffers {
		b.Free()
	}
}

// letGoLater lets go of the host memory that was lent to the last work on b when the
// device is done with it, also if nobody calls the runtime any more.
func (v *vulkan) letGoLater(b *Buffer) {
	v.rt.mu.Lock()
	last := b.dev.last
	v.rt.mu.Unlock()
	go func() { _ = v.waitFor(context.Background(), last) }()
}

// copied is a tensor on the device with the elements of one in host memory.
func (v *vulkan) copied(ctx context.Context, d tensor.Dense) (*Buffer, error) {
	b, err := v.rt.newBuffer(ctx, d.Type)
	if err != nil {
		return nil, err
	}
	if err := b.Write(ctx, d); err != nil {
		b.Free()
		return nil, err
	}
	return b, nil
}

// lend is a tensor made of the host's memory itself, nil where that is not possible or
// not worth it.
func (v *vulkan) lend(d tensor.Dense) *Buffer {
	if !v.lends(d) {
		return nil
	}
	buf, err := v.gpu.ImportBuffer(d.Data)
	if err != nil {
		v.rt.log.Debug("host memory is copied", "bytes", len(d.Data), "reason", err)
		return nil
	}
	return &Buffer{rt: v.rt, typ: cloneType(d.Type), bytes: int64(len(d.Data)), dev: deviceMemory{buf: buf}}
}

// lends reports whether host memory can be lent, and is worth it.
func (v *vulkan) lends(d tensor.Dense) bool {
	return v.direct && v.importFrom >= 0 && int64(len(d.Data)) >= v.importFrom && v.gpu.Imports(d.Data)
}
