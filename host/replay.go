package host

import (
	"context"
	"errors"
)

// replay is a recording as a batch with scratch memory of its own.
type replay struct {
	v       *vulkan
	batch   batch
	scratch scratch

	// Guarded by rt.mu:
	flights int
	freed   bool
}

func (v *vulkan) record(calls []call) (replayer, error) {
	prepared := make([]*prepared, len(calls))
	for i, c := range calls {
		p, err := v.prepareCall(c)
		if err != nil {
			return nil, wrap(c.op.Name(), err)
		}
		if p.twin != "" {
			return nil, nil
		}
		prepared[i] = p
	}
	r, err := v.recordOnce(calls, prepared)
	if errors.Is(err, ErrOutOfMemory) {
		_ = v.drain(context.Background())
		r, err = v.recordOnce(calls, prepared)
	}
	if err != nil {
		return nil, err
	}
	return r, nil
}

// recordOnce records with what memory there is without waiting for some.
func (v *vulkan) recordOnce(calls []call, prepared []*prepared) (*replay, error) {
	v.rt.mu.Lock()
	defer v.rt.mu.Unlock()
	if v.rt.closed {
		return nil, ErrClosed
	}
	r := &replay{v: v, batch: batch{v: v}, scratch: scratch{gpu: v.gpu}}
	if err := r.fill(calls, prepared); err != nil {
		r.freed = true
		r.release()
		if errors.Is(err, ErrOutOfMemory) {
			v.trim()
		}
		return nil, err
	}
	return r, nil
}

func (r *replay) fill(calls []call, prepared []*prepared) error {
	for _, p := range prepared { // all before the first, which must not lose its own
		if err := r.scratch.reserve(p.plan); err != nil {
			return err
		}
	}
	for i, c := range calls {
		if err := r.batch.add(prepared[i], c, &r.scratch); err != nil {
			return wrap(c.op.Name(), err)
		}
	}
	if err := r.batch.end(); err != nil {
		return err
	}
	for _, w := range r.batch.works {
		w.replay = r
	}
	return nil
}

func (r *replay) run() (bool, error) {
	if err := r.v.lockWithRoom(context.Background()); err != nil {
		return false, err
	}
	defer r.v.rt.mu.Unlock()
	if r.freed {
		return false, ErrFreed
	}
	before := r.v.queue.issued
	r.flights += len(r.batch.works) // retired may come while others are submitted
	sent, err := r.batch.submit()
	r.flights -= len(r.batch.works) - int(r.v.queue.issued-before)
	return sent > 0, err
}

// retired is called when a flight of the recording is done; rt.mu is held.
func (r *replay) retired() {
	r.flights--
	r.release()
}

func (r *replay) free() {
	r.v.rt.mu.Lock()
	defer r.v.rt.mu.Unlock()
	r.freed = true
	r.release()
}

// release gives everything back when the recording is freed and not in flight: the
// outcome of a flight is still read from its status buffers.
func (r *replay) release() {
	if !r.freed || r.flights > 0 || r.v.rt.closed {
		return
	}
	r.scratch.free()
	for _, w := range r.batch.works {
		w.replay = nil
	}
	r.batch.give(0)
}
