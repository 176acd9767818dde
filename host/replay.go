package host

// replay is a recording as one program with scratch memory of its own.
type replay struct {
	v       *vulkan
	work    *work
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
	v.rt.mu.Lock()
	defer v.rt.mu.Unlock()
	if v.rt.closed {
		return nil, ErrClosed
	}
	w, err := v.pool.take()
	if err != nil {
		return nil, err
	}
	r := &replay{v: v, work: w, scratch: scratch{gpu: v.gpu}}
	w.replay = r
	if err := r.fill(calls, prepared); err != nil {
		r.freed = true
		r.release()
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
		if i > 0 {
			r.work.program.Barrier()
		}
		if err := r.v.recordStep(r.work, prepared[i], c, &r.scratch); err != nil {
			return wrap(c.op.Name(), err)
		}
	}
	return r.work.program.End()
}

func (r *replay) run() error {
	r.v.lockWithRoom()
	defer r.v.rt.mu.Unlock()
	if err := r.v.submit(r.work); err != nil {
		return err
	}
	r.flights++
	return nil
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
	if !r.freed || r.flights > 0 || r.work == nil || r.v.rt.closed {
		return
	}
	r.scratch.free()
	r.work.replay = nil
	r.v.pool.give(r.work)
	r.work = nil
}
