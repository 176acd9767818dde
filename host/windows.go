package host

import (
	"context"

	"vkops/gpu"
	"vkops/host/plan"
	"vkops/tensor"
)

// mostWindow bounds the windows that are in memory which the host reaches: two of them
// stay in a processor's caches.
const mostWindow = 8 << 20

// applyInWindows runs an operator in windows of some bytes: the tensors stay in host
// memory, kernels see windows in scratch memory.
func (v *vulkan) applyInWindows(ctx context.Context, op tensor.Op, dst tensor.Dense, inputs []tensor.Dense, window int64) error {
	p, err := v.prepareWindows(op, tensor.TypesOf(inputs), window)
	if err != nil {
		return err
	}
	if p.twin != "" {
		return v.leaveToTwin(ctx, p.twin, op, dst, inputs)
	}
	w := &windowed{prepared: p, op: op, dst: dst, inputs: inputs, scratch: scratch{gpu: v.gpu}}
	defer w.free() // once the device is done with it
	if err := w.reserve(ctx, v); err != nil {
		return err
	}
	c := v.newConveyor(ctx)
	var by porter = c
	if v.direct {
		by = &sharedWindows{conveyor: c}
	}
	if err := c.end(c.runWindows(w, by)); err != nil || w.status == nil {
		return err
	}
	return readStatus(w.status, op, inputs[0].Type)
}

// windowed is an operator on its way in windows.
type windowed struct {
	*prepared
	op      tensor.Op
	dst     tensor.Dense
	inputs  []tensor.Dense
	scratch scratch
	status  *gpu.Buffer // nil where the plan has none
}

func (w *windowed) reserve(ctx context.Context, v *vulkan) (err error) {
	if w.plan.Status >= 0 {
		if w.status, err = v.newBuffer(ctx, w.plan.Scratch[w.plan.Status], gpu.DownloadMemory); err != nil {
			return err
		}
	}
	return v.withRoom(ctx, func() error { return w.scratch.reserve(w.plan) })
}

func (w *windowed) free() {
	w.scratch.free()
	if w.status != nil {
		w.status.Free()
	}
}

// porter brings n bytes at a place in a buffer, and takes them from it.
type porter interface {
	// work has the device do steps [from, to).
	work(w *windowed, from, to int) error
	// upload has fill write the bytes.
	upload(to *gpu.Buffer, at, n int64, fill func([]byte)) error
	// download has empty read what the steps before it give, now or later.
	download(from *gpu.Buffer, at, n int64, empty func([]byte)) error
	// finish takes what is still to be taken.
	finish() error
}

// runWindows does the steps of a plan; those that copy from an input or to the output
// are the host's.
func (c *conveyor) runWindows(w *windowed, by porter) error {
	begin := 0 // what is not submitted yet
	for i := range w.plan.Steps {
		s := &w.plan.Steps[i]
		fill, empty := w.hostStep(s)
		if fill == nil && empty == nil {
			continue
		}
		err := by.work(w, begin, i)
		switch {
		case err != nil:
		case fill != nil:
			n := s.Dst.Size
			if s.Kind == plan.CopyRect {
				n = extent(s.DstPitch, s)
			}
			err = by.upload(w.scratch.buffers[s.Dst.Role-plan.Scratch0], s.Dst.Offset, n, fill)
			c.v.observe("upload")
		default:
			err = by.download(w.scratch.buffers[s.Src.Role-plan.Scratch0], s.Src.Offset, extent(s.SrcPitch, s), empty)
		}
		if err != nil {
			return err
		}
		begin = i + 1
	}
	if err := by.work(w, begin, len(w.plan.Steps)); err != nil {
		return err
	}
	return by.finish()
}

// hostStep is what a step does to a window if the host has to do it: fill or empty it.
func (w *windowed) hostStep(s *plan.Step) (fill, empty func(window []byte)) {
	switch {
	case s.Kind == plan.Choose:
		return func(window []byte) { w.choose(window, s.First, s.Samples) }, nil
	case s.Kind != plan.CopyRect:
		return nil, nil
	case s.Src.Role < plan.Output:
		return func(window []byte) {
			copyRows(window, s.DstPitch, w.inputs[s.Src.Role].Data[s.Src.Offset:], s.SrcPitch, s.RowBytes, s.Rows)
		}, nil
	case s.Dst.Role == plan.Output:
		return nil, func(window []byte) {
			copyRows(w.dst.Data[s.Dst.Offset:], s.DstPitch, window, s.SrcPitch, s.RowBytes, s.Rows)
		}
	}
	return nil, nil
}

// touched lists the scratch buffers that steps [from, to) work on.
func (w *windowed) touched(from, to int) []*gpu.Buffer {
	var all []*gpu.Buffer
	for i := from; i < to; i++ {
		for _, r := range w.plan.Steps[i].Bind {
			if i := int(r.Role - plan.Scratch0); i >= 0 && i != w.plan.Status {
				all = append(all, w.scratch.buffers[i])
			}
		}
	}
	return all
}

// finish implements [porter]; conveyor.end waits for the results.
func (c *conveyor) finish() error { return nil }

// work implements [porter]; the device's queue keeps the order.
func (c *conveyor) work(w *windowed, from, to int) error {
	return c.compute(w.prepared, step{status: w.status}, w.scratch.buffers, from, to)
}

// sharedWindows carries parts of host memory to and from windows that the host reaches,
// itself: it waits for the device to be done with a window, takes the result out of it
// and brings the next part, while the device works on the other window.
type sharedWindows struct {
	*conveyor
	windows []*sharedWindow
}

type sharedWindow struct {
	stage
	empty func([]byte) // reads the result; nil if there is none
}

// window is the window in a buffer.
func (s *sharedWindows) window(buf *gpu.Buffer) *sharedWindow {
	for _, w := range s.windows {
		if w.buf == buf {
			return w
		}
	}
	w := &sharedWindow{stage: stage{buf: buf}}
	s.windows = append(s.windows, w)
	return w
}

// work takes out the results that the steps overwrite first.
func (s *sharedWindows) work(w *windowed, from, to int) error {
	on := w.touched(from, to)
	for _, buf := range on {
		if window := s.window(buf); window.empty != nil {
			if err := s.settle(window); err != nil {
				return err
			}
		}
	}
	err := s.conveyor.work(w, from, to)
	for _, buf := range on {
		s.window(buf).last = s.computed
	}
	return err
}

func (s *sharedWindows) upload(to *gpu.Buffer, at, n int64, fill func([]byte)) error {
	if err := s.ctx.Err(); err != nil {
		return err
	}
	w := s.window(to)
	if err := s.settle(w); err != nil {
		return err
	}
	return s.v.fillStage(&w.stage, func(window []byte) { fill(window[at : at+n]) })
}

func (s *sharedWindows) download(from *gpu.Buffer, at, n int64, empty func([]byte)) error {
	w := s.window(from)
	w.empty = func(window []byte) { empty(window[at : at+n]) }
	return s.ctx.Err()
}

func (s *sharedWindows) finish() error {
	for _, w := range s.windows {
		if err := s.settle(w); err != nil {
			return err
		}
	}
	return nil
}

// settle waits for the device to be done with a window and takes the result out of it.
func (s *sharedWindows) settle(w *sharedWindow) error {
	if w.empty != nil {
		s.v.observe("land")
	}
	if err := s.v.waitFor(s.ctx, w.last); err != nil || w.empty == nil {
		return err
	}
	empty := w.empty
	w.empty = nil
	s.sent = true
	return s.v.emptyStage(&w.stage, empty)
}
