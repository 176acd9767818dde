package host

import (
	"vkops/gpu"
	"vkops/host/plan"
	"vkops/tensor"
)

// mostWindow bounds the windows that are in memory which the host reaches: two of them
// stay in a processor's caches.
const mostWindow = 8 << 20

// scanInWindows scans a tensor [1, n, inner] along n in windows of some bytes. The
// tensors stay in host memory: kernels see windows in scratch memory.
func (c *conveyor) scanInWindows(op tensor.Op, dst, src tensor.Dense, window int64) error {
	limits := c.v.limits
	limits.InPlace, limits.HostWindow = true, window
	pl, err := plan.New(op, []tensor.Type{src.Type}, limits, c.v.strategy)
	if err != nil {
		return err
	}
	pipelines, err := c.v.pipelines(pl)
	if err != nil {
		return err
	}
	room := scratch{gpu: c.v.gpu}
	defer room.free() // once the device is done with it
	if err := room.reserve(pl); err != nil {
		return err
	}
	var by porter = c
	if c.v.direct {
		by = &sharedWindows{conveyor: c}
	}
	return c.runWindows(&prepared{plan: pl, pipelines: pipelines}, room.buffers, by, dst.Data, src.Data)
}

// porter brings n bytes at a place in a buffer, and takes them from it.
type porter interface {
	// upload has fill write the bytes.
	upload(to *gpu.Buffer, at, n int64, fill func([]byte)) error
	// download has empty read what the steps before it give, now or later.
	download(from *gpu.Buffer, at, n int64, empty func([]byte)) error
	// finish takes what is still to be taken.
	finish() error
}

// runWindows does the steps of a plan; those that copy from the input or to the output
// are the host's.
func (c *conveyor) runWindows(p *prepared, scratch []*gpu.Buffer, by porter, dst, src []byte) error {
	begin := 0 // what is not submitted yet
	for i := range p.plan.Steps {
		s := &p.plan.Steps[i]
		up := s.Kind == plan.CopyRect && s.Src.Role == plan.Input0
		down := s.Kind == plan.CopyRect && s.Dst.Role == plan.Output
		if !up && !down {
			continue
		}
		err := c.compute(p, step{}, scratch, begin, i)
		switch {
		case err != nil:
		case up:
			err = by.upload(scratch[s.Dst.Role-plan.Scratch0], s.Dst.Offset, extent(s.DstPitch, s), func(window []byte) {
				copyRows(window, s.DstPitch, src[s.Src.Offset:], s.SrcPitch, s.RowBytes, s.Rows)
			})
			c.v.observe("upload")
		default:
			err = by.download(scratch[s.Src.Role-plan.Scratch0], s.Src.Offset, extent(s.SrcPitch, s), func(window []byte) {
				copyRows(dst[s.Dst.Offset:], s.DstPitch, window, s.SrcPitch, s.RowBytes, s.Rows)
			})
		}
		if err != nil {
			return err
		}
		begin = i + 1
	}
	return by.finish() // the last step is a copy to the output
}

// finish implements [porter]; conveyor.end waits for the results.
func (c *conveyor) finish() error { return nil }

// sharedWindows carries parts of host memory to and from windows that the host reaches,
// itself: it waits for the device to be done with a window, takes the result out of it
// and brings the next part, while the device works on the other window.
type sharedWindows struct {
	*conveyor
	windows []*sharedWindow
	latest  *sharedWindow // what came last: the submissions since work on it
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

func (s *sharedWindows) upload(to *gpu.Buffer, at, n int64, fill func([]byte)) error {
	if s.latest != nil {
		s.latest.last = s.computed
	}
	w := s.window(to)
	s.latest = w
	if err := s.settle(w); err != nil {
		return err
	}
	return s.v.fillStage(&w.stage, func(window []byte) { fill(window[at : at+n]) })
}

func (s *sharedWindows) download(from *gpu.Buffer, at, n int64, empty func([]byte)) error {
	w := s.window(from)
	w.last = s.computed
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
