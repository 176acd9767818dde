package host

import (
	"context"

	"vkops/gpu"
	"vkops/host/plan"
)

// conveyor carries parts of host memory to the device, and results back, while the
// device works. Everything is queued in the order of the calls, which only wait for
// staging buffers that are to be used again; a goroutine takes results out of theirs.
type conveyor struct {
	v        *vulkan
	ctx      context.Context
	landings chan *landing // a few, so that staging buffers stay few
	landed   chan error
	sent     bool // results are on their way, or have come
}

func (v *vulkan) newConveyor(ctx context.Context) *conveyor {
	c := &conveyor{v: v, ctx: ctx, landings: make(chan *landing, 1), landed: make(chan error, 1)}
	go c.land()
	return c
}

// land takes results out of their staging buffers, in order, until one fails.
func (c *conveyor) land() {
	var failed error
	for l := range c.landings {
		if failed != nil {
			c.v.drop(l)
			continue
		}
		c.v.observe("land")
		failed = c.v.land(c.ctx, l)
	}
	c.landed <- failed
}

// end waits for the results that are on their way, and gives err or what else failed.
// After it nothing touches host memory any more.
func (c *conveyor) end(err error) error {
	close(c.landings)
	if landed := <-c.landed; err == nil {
		err = landed
	}
	if err == nil {
		err = c.v.gpu.Err()
	}
	return err
}

// upload sends n bytes, which fill writes to a staging buffer, to a place in dst.
func (c *conveyor) upload(dst *gpu.Buffer, at, n int64, fill func([]byte)) error {
	if err := c.ctx.Err(); err != nil {
		return err
	}
	st, err := c.v.takeStage(c.ctx, gpu.UploadMemory)
	if err != nil {
		return err
	}
	defer c.v.giveStage(gpu.UploadMemory, st)
	if err := c.v.fillStage(st, fill); err != nil {
		return err
	}
	return c.v.submitCopy(st, dst, at, st.buf, 0, n)
}

// download has n bytes at a place in src come to a staging buffer, which empty reads
// later, in a goroutine of its own.
func (c *conveyor) download(src *gpu.Buffer, at, n int64, empty func([]byte)) error {
	if err := c.ctx.Err(); err != nil {
		return err
	}
	st, err := c.v.takeStage(c.ctx, gpu.DownloadMemory)
	if err != nil {
		return err
	}
	l := &landing{st, empty}
	if err := c.v.submitCopy(st, st.buf, 0, src, at, n); err != nil {
		c.v.drop(l)
		return err
	}
	c.sent = true
	c.landings <- l
	return nil
}

// compute has the device do steps [from, to) of a plan.
func (c *conveyor) compute(p *prepared, on step, scratch []*gpu.Buffer, from, to int) error {
	if from == to {
		return nil
	}
	c.v.lockWithRoom()
	defer c.v.rt.mu.Unlock()
	if c.v.rt.closed {
		return ErrClosed
	}
	b := batch{v: c.v}
	err := b.steps(p, on, scratch, from, to)
	if err == nil {
		err = b.end()
	}
	sent := 0
	if err == nil {
		sent, err = b.submit()
	}
	b.give(sent)
	return err
}

// runWindows does the steps of a plan; those that copy from the input or to the output
// are the host's.
func (c *conveyor) runWindows(p *prepared, scratch []*gpu.Buffer, dst, src []byte) error {
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
			err = c.upload(scratch[s.Dst.Role-plan.Scratch0], s.Dst.Offset, extent(s.DstPitch, s), func(stage []byte) {
				copyRows(stage, s.DstPitch, src[s.Src.Offset:], s.SrcPitch, s.RowBytes, s.Rows)
			})
			c.v.observe("upload")
		default:
			err = c.download(scratch[s.Src.Role-plan.Scratch0], s.Src.Offset, extent(s.SrcPitch, s), func(stage []byte) {
				copyRows(dst[s.Dst.Offset:], s.DstPitch, stage, s.SrcPitch, s.RowBytes, s.Rows)
			})
		}
		if err != nil {
			return err
		}
		begin = i + 1
	}
	return nil // the last step is a copy to the output
}

// extent is how many bytes lie between the start of a copy's first row and the end of
// its last one.
func extent(pitch int64, s *plan.Step) int64 { return (s.Rows-1)*pitch + s.RowBytes }

// copyRows copies rows whose starts are a pitch apart.
func copyRows(dst []byte, dstPitch int64, src []byte, srcPitch, rowBytes, rows int64) {
	if dstPitch == rowBytes && srcPitch == rowBytes {
		rowBytes, rows = rowBytes*rows, 1
	}
	for r := range rows {
		copy(dst[r*dstPitch:r*dstPitch+rowBytes], src[r*srcPitch:])
	}
}
