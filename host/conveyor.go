package host

import (
	"context"

	"vkops/gpu"
)

// conveyor carries parts of host memory to the device, and results back, while the
// device works. Everything is queued in the order of the calls, which only wait for
// staging buffers that are to be used again; a goroutine takes results out of theirs.
type conveyor struct {
	v        *vulkan
	ctx      context.Context
	landings chan *landing // a few, so that staging buffers stay few
	landed   chan error
	sent     bool   // results are on their way, or have come
	computed uint64 // the last submission of compute's
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
	return c.v.submitCopy(c.ctx, st, dst, at, st.buf, 0, n)
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
	if err := c.v.submitCopy(c.ctx, st, st.buf, 0, src, at, n); err != nil {
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
	if err := c.v.lockWithRoom(c.ctx); err != nil {
		return err
	}
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
	c.computed = c.v.queue.issued
	b.give(sent)
	return err
}
