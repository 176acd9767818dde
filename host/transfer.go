package host

import (
	"context"

	"vkops/gpu"
)

// The size of a staging buffer in bytes; larger transfers go through several, so that
// copying by the host and by the device overlap. Those of small budgets are small.
const (
	defaultStage = 8 << 20
	leastStage   = 64 << 10
)

func stageFor(budget int64) int {
	if budget == 0 {
		return defaultStage
	}
	return int(min(max(leastStage, budget/32/leastStage*leastStage), defaultStage))
}

// stages are staging buffers of one kind of memory, most recently used last.
type stages struct {
	idle []*stage
}

// maxStages bounds the staging buffers kept of each kind.
const maxStages = 4

// stage is a staging buffer. The host may touch it when submission last is done.
type stage struct {
	buf  *gpu.Buffer
	last uint64
}

func (s *stages) free() {
	for _, st := range s.idle {
		st.buf.Free()
	}
	s.idle = nil
}

func (v *vulkan) read(ctx context.Context, b *Buffer, dst []byte) error {
	if v.direct || len(dst) == 0 {
		return v.readDirect(ctx, b, dst)
	}
	return v.readStaged(ctx, b, dst)
}

func (v *vulkan) write(ctx context.Context, b *Buffer, src []byte) error {
	if v.direct || len(src) == 0 {
		return v.writeDirect(ctx, b, src)
	}
	return v.writeStaged(ctx, b, src)
}

func (v *vulkan) readDirect(ctx context.Context, b *Buffer, dst []byte) error {
	if err := v.wait(ctx, b); err != nil || len(dst) == 0 {
		return err
	}
	if err := b.pin(); err != nil {
		return err
	}
	defer b.unpin()
	if err := b.dev.buf.Invalidate(0, b.dev.buf.Size()); err != nil {
		return err
	}
	copyBytes(dst, b.dev.buf.Mapped()[:len(dst)])
	return nil
}

func (v *vulkan) writeDirect(ctx context.Context, b *Buffer, src []byte) error {
	if err := v.settle(ctx, b); err != nil {
		return err
	}
	if err := b.pin(); err != nil {
		return err
	}
	defer b.unpin()
	if len(src) > 0 {
		copyBytes(b.dev.buf.Mapped(), src)
		if err := b.dev.buf.Flush(0, b.dev.buf.Size()); err != nil {
			return err
		}
	}
	v.rt.mu.Lock()
	b.poison = nil
	v.rt.mu.Unlock()
	return nil
}

func (v *vulkan) view(ctx context.Context, b *Buffer) ([]byte, error) {
	if !v.direct {
		return nil, ErrUnsupported
	}
	if err := v.wait(ctx, b); err != nil {
		return nil, err
	}
	if err := b.pin(); err != nil {
		return nil, err
	}
	defer b.unpin()
	if err := b.dev.buf.Invalidate(0, b.dev.buf.Size()); err != nil {
		return nil, err
	}
	v.rt.mu.Lock()
	b.dev.viewed = true
	v.rt.mu.Unlock()
	return b.dev.buf.Mapped()[:b.bytes], nil
}

// writeStaged sends copies on their way; src is read when it returns. Earlier work
// on b needs no wait: the copies come after it in the queue.
func (v *vulkan) writeStaged(ctx context.Context, b *Buffer, src []byte) error {
	for off := 0; off < len(src); off += v.stageBytes {
		part := src[off:min(off+v.stageBytes, len(src))]
		st, err := v.takeStage(ctx, gpu.UploadMemory)
		if err != nil {
			return err
		}
		err = v.fillStage(st, func(stage []byte) { copyBytes(stage, part) })
		if err == nil {
			err = v.copyStage(ctx, b, int64(off), st, int64(len(part)), true)
		}
		v.giveStage(gpu.UploadMemory, st)
		if err != nil {
			return err
		}
	}
	return nil
}

// readStaged keeps one copy in flight while the host empties the one before.
func (v *vulkan) readStaged(ctx context.Context, b *Buffer, dst []byte) error {
	var before *landing
	for off := 0; off < len(dst); off += v.stageBytes {
		next, err := v.fetch(ctx, b, int64(off), dst[off:min(off+v.stageBytes, len(dst))])
		if landed := v.land(ctx, before); err == nil {
			err = landed
		}
		if err != nil {
			v.drop(next)
			return err
		}
		before = next
	}
	if err := v.land(ctx, before); err != nil {
		return err
	}
	return v.wait(ctx, b) // done; this fetches the poison
}

// landing is a copy on its way to the host's memory, where empty brings it.
type landing struct {
	stage *stage
	empty func(stage []byte)
}

// fetch sends the copy of a part of b on its way.
func (v *vulkan) fetch(ctx context.Context, b *Buffer, off int64, dst []byte) (*landing, error) {
	st, err := v.takeStage(ctx, gpu.DownloadMemory)
	if err != nil {
		return nil, err
	}
	l := &landing{st, func(stage []byte) { copyBytes(dst, stage[:len(dst)]) }}
	if err := v.copyStage(ctx, b, off, st, int64(len(dst)), false); err != nil {
		v.drop(l)
		return nil, err
	}
	return l, nil
}

// land waits for a copy and takes it out of its staging buffer.
func (v *vulkan) land(ctx context.Context, l *landing) error {
	if l == nil {
		return nil
	}
	defer v.drop(l)
	if err := v.waitFor(ctx, l.stage.last); err != nil {
		return err
	}
	return v.emptyStage(l.stage, l.empty)
}

func (v *vulkan) drop(l *landing) {
	if l != nil {
		v.giveStage(gpu.DownloadMemory, l.stage)
	}
}

// takeStage gives a staging buffer that the host may touch.
func (v *vulkan) takeStage(ctx context.Context, m gpu.Memory) (*stage, error) {
	v.rt.mu.Lock()
	s := v.staging[m]
	if v.rt.closed {
		v.rt.mu.Unlock()
		return nil, ErrClosed
	}
	// The least recently used one is the likeliest to be done; a second one lets
	// host and device work at the same time.
	if len(s.idle) >= 2 {
		st := s.idle[0]
		s.idle = append(s.idle[:0], s.idle[1:]...)
		v.rt.mu.Unlock()
		if err := v.waitFor(ctx, st.last); err != nil {
			v.giveStage(m, st)
			return nil, err
		}
		return st, nil
	}
	v.rt.mu.Unlock()
	if err := v.rt.enter(); err != nil {
		return nil, err
	}
	defer v.rt.leave()
	buf, err := v.newBuffer(ctx, int64(v.stageBytes), m)
	if err != nil {
		return nil, err
	}
	return &stage{buf: buf}, nil
}

func (v *vulkan) giveStage(m gpu.Memory, st *stage) {
	v.rt.mu.Lock()
	defer v.rt.mu.Unlock()
	s := v.staging[m]
	if s.idle = append(s.idle, st); len(s.idle) > maxStages {
		s.idle[0].buf.Free()
		s.idle = append(s.idle[:0], s.idle[1:]...)
	}
}

func (v *vulkan) fillStage(st *stage, fill func([]byte)) error {
	if err := v.rt.enter(); err != nil {
		return err
	}
	defer v.rt.leave()
	fill(st.buf.Mapped())
	return st.buf.Flush(0, st.buf.Size())
}

func (v *vulkan) emptyStage(st *stage, empty func([]byte)) error {
	if err := v.rt.enter(); err != nil {
		return err
	}
	defer v.rt.leave()
	if err := st.buf.Invalidate(0, st.buf.Size()); err != nil {
		return err
	}
	empty(st.buf.Mapped())
	return nil
}

// submitCopy submits a copy between a staging buffer and memory that no tensor has.
func (v *vulkan) submitCopy(ctx context.Context, st *stage, dst *gpu.Buffer, at int64, src *gpu.Buffer, from, n int64) error {
	if err := v.lockWithRoom(ctx); err != nil {
		return err
	}
	defer v.rt.mu.Unlock()
	if v.rt.closed {
		return ErrClosed
	}
	w, err := v.pool.take()
	if err != nil {
		return err
	}
	w.program.Copy(dst, at, src, from, n)
	if err := v.submitNew(w); err != nil {
		v.pool.give(w)
		return err
	}
	st.last = v.queue.issued
	return nil
}

// copyStage submits a copy between a staging buffer and b.
func (v *vulkan) copyStage(ctx context.Context, b *Buffer, off int64, st *stage, n int64, toDevice bool) error {
	if err := v.lockWithRoom(ctx); err != nil {
		return err
	}
	defer v.rt.mu.Unlock()
	if err := b.liveLocked(); err != nil {
		return err
	}
	w, err := v.pool.take()
	if err != nil {
		return err
	}
	n = (n + 3) &^ 3 // whole words; both buffers are rounded up
	if toDevice {
		w.program.Copy(b.dev.buf, off, st.buf, 0, n)
		w.steps = append(w.steps, step{call: call{out: b}}) // new content: no poison
	} else {
		w.program.Copy(st.buf, 0, b.dev.buf, off, n)
	}
	if err := v.submitNew(w); err != nil {
		v.pool.give(w)
		return err
	}
	st.last, b.dev.last = v.queue.issued, v.queue.issued
	return nil
}
