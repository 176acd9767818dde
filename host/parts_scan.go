package host

import (
	"context"

	"vkops/gpu"
	"vkops/host/plan"
	"vkops/tensor"
)

// windowed is a scan whose tensors stay in host memory: the steps of its plan that copy
// windows of them to the device and back are the host's work.
type windowed struct {
	v        *vulkan
	prepared *prepared
	dst, src tensor.Dense
	scratch  scratch
	// up and down are what the host copies through, the scratch memory itself where it
	// reaches that.
	up, down *gpu.Buffer
}

// scanInWindows scans a tensor [1, n, inner] along n in windows of some bytes.
func (v *vulkan) scanInWindows(ctx context.Context, op tensor.Op, view tensor.View, dst, src tensor.Dense, window int64) error {
	limits := v.limits
	limits.InPlace, limits.HostWindow = true, window
	pl, err := plan.New(op, []tensor.Type{src.Type}, limits, v.strategy)
	if err != nil {
		return err
	}
	pipelines, err := v.pipelines(pl)
	if err != nil {
		return err
	}
	w := &windowed{v: v, prepared: &prepared{plan: pl, pipelines: pipelines}, dst: dst, src: src, scratch: scratch{gpu: v.gpu}}
	defer w.free()
	if err := w.reserve(); err != nil {
		return err
	}
	return w.run(ctx)
}

func (w *windowed) reserve() error {
	if err := w.scratch.reserve(w.prepared.plan); err != nil || w.v.direct {
		return err
	}
	var largest int64
	for _, s := range w.prepared.plan.Steps {
		if s.Kind == plan.CopyRect {
			largest = max(largest, span(s.Dst, s.DstPitch, s), span(s.Src, s.SrcPitch, s))
		}
	}
	var err error
	if w.up, err = w.v.newBuffer(largest, gpu.UploadMemory); err == nil {
		w.down, err = w.v.newBuffer(largest, gpu.DownloadMemory)
	}
	return err
}

// span is how many bytes from the first row to the end of the last a copy touches on
// the side of the scratch buffer, and 0 on the host's.
func span(r plan.Ref, pitch int64, s plan.Step) int64 {
	if r.Role < plan.Scratch0 {
		return 0
	}
	return (s.Rows-1)*pitch + s.RowBytes
}

func (w *windowed) free() {
	w.scratch.free()
	for _, b := range []*gpu.Buffer{w.up, w.down} {
		if b != nil {
			b.Free()
		}
	}
}

func (w *windowed) run(ctx context.Context) error {
	steps := w.prepared.plan.Steps
	begin := 0 // what is not submitted yet
	for i, s := range steps {
		var err error
		switch {
		case s.Kind == plan.CopyRect && s.Src.Role == plan.Input0:
			err = w.upload(ctx, begin, i)
		case s.Kind == plan.CopyRect && s.Dst.Role == plan.Output:
			err = w.download(ctx, begin, i)
		default:
			continue
		}
		if err != nil {
			return err
		}
		begin = i + 1
	}
	return nil // the last step is a copy to the output
}

// device has the device do some steps, with a copy before or after them where buffers
// are given, and waits.
func (w *windowed) device(ctx context.Context, from, to int, add func(*gpu.Program)) error {
	if from == to && add == nil {
		return nil // what came before was waited for
	}
	w.v.lockWithRoom()
	if w.v.rt.closed {
		w.v.rt.mu.Unlock()
		return ErrClosed
	}
	b := batch{v: w.v}
	err := b.steps(w.prepared, step{}, w.scratch.buffers, from, to)
	if err == nil && add != nil {
		var last *work
		if last, err = b.room(0); err == nil {
			last.program.Barrier()
			add(last.program)
		}
	}
	if err == nil {
		err = b.end()
	}
	n := 0
	if err == nil {
		n, err = b.submit()
	}
	b.give(n)
	last := w.v.queue.issued
	w.v.rt.mu.Unlock()
	if err != nil {
		return err
	}
	return w.v.waitDone(ctx, last)
}

// upload brings a window to the device, after the steps that may still use its place.
func (w *windowed) upload(ctx context.Context, from, to int) error {
	s := &w.prepared.plan.Steps[to]
	buf, at, n := w.scratch.buffers[s.Dst.Role-plan.Scratch0], s.Dst.Offset, span(s.Dst, s.DstPitch, *s)
	if err := w.device(ctx, from, to, nil); err != nil {
		return err
	}
	view, shift := buf, at
	if w.up != nil {
		view, shift = w.up, 0
	}
	copyRows(view.Mapped()[shift:], s.DstPitch, w.src.Data[s.Src.Offset:], s.SrcPitch, s.RowBytes, s.Rows)
	if err := view.Flush(0, view.Size()); err != nil || w.up == nil {
		return err
	}
	return w.device(ctx, to, to, func(p *gpu.Program) { p.Copy(buf, at, w.up, 0, n) })
}

// download takes a window from the device, after the steps that compute it.
func (w *windowed) download(ctx context.Context, from, to int) error {
	s := &w.prepared.plan.Steps[to]
	buf, at, n := w.scratch.buffers[s.Src.Role-plan.Scratch0], s.Src.Offset, span(s.Src, s.SrcPitch, *s)
	view, shift := buf, at
	var staged func(*gpu.Program)
	if w.down != nil {
		view, shift = w.down, 0
		staged = func(p *gpu.Program) { p.Copy(w.down, 0, buf, at, n) }
	}
	if err := w.device(ctx, from, to, staged); err != nil {
		return err
	}
	if err := view.Invalidate(0, view.Size()); err != nil {
		return err
	}
	copyRows(w.dst.Data[s.Dst.Offset:], s.DstPitch, view.Mapped()[shift:], s.SrcPitch, s.RowBytes, s.Rows)
	return nil
}

// copyRows copies rows whose starts are a pitch apart.
func copyRows(dst []byte, dstPitch int64, src []byte, srcPitch, rowBytes, rows int64) {
	if dstPitch == rowBytes && srcPitch == rowBytes {
		rowBytes, rows = rowBytes*rows, 1
	}
	for r := range rows {
		copy(dst[r*dstPitch:r*dstPitch+rowBytes], src[r*srcPitch:])
	}
}
