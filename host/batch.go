package host

import (
	"fmt"

	"vkops/gpu"
)

// batch is one operator or more, recorded in as many submissions as the bound on each
// asks for: systems end the work of a submission that takes longer than about two
// seconds, with everything that its process has on the device.
type batch struct {
	v     *vulkan
	works []*work
	bytes int64 // that the last of them moves
}

// submissionBytes is how many bytes the kernels of one submission may move. A slow
// device of the class takes a fraction of a second for so many, a fast one long
// enough that the submission itself does not count.
func submissionBytes(t gpu.DeviceType) int64 {
	switch t {
	case gpu.Discrete:
		return 1 << 30
	case gpu.Integrated:
		return 512 << 20
	default:
		return 128 << 20
	}
}

// submissionAt is submissionBytes for a device whose slowest kernel moves so many bytes
// a second: what takes it a tenth of a second. Elements of 64 bits may take many times
// as long.
func submissionAt(bytesPerSecond int64) int64 {
	return min(max(bytesPerSecond/10, 16<<20), 8<<30)
}

// room is the work that takes something that moves so many bytes, begun anew where the
// last one would exceed the bound; rt.mu is held.
func (b *batch) room(bytes int64) (*work, error) {
	if n := len(b.works); n > 0 && (b.bytes == 0 || bytes <= b.v.limits.MaxStepBytes-b.bytes) {
		b.bytes += bytes
		return b.works[n-1], nil
	}
	w, err := b.v.pool.take()
	if err != nil {
		return nil, err
	}
	b.works = append(b.works, w)
	b.bytes = bytes
	return w, nil
}

// add records an operator after the others; rt.mu is held. Its outcome belongs to the
// submission with its last step.
func (b *batch) add(p *prepared, c call, sc *scratch) (err error) {
	s := step{call: c}
	if err := s.live(); err != nil {
		return err
	}
	w, err := b.room(0)
	if err != nil {
		return err
	}
	if p.plan.Status >= 0 {
		if s.status, err = b.v.pool.takeStatus(); err != nil {
			return err
		}
	}
	defer func() { w.steps = append(w.steps, s) }() // after an error, too: it holds the status
	if err := sc.reserve(p.plan); err != nil {
		return err
	}
	if len(w.steps) > 0 {
		w.program.Barrier()
	}
	err = b.steps(p, s, sc.buffers, 0, len(p.plan.Steps))
	w = b.works[len(b.works)-1]
	return err
}

// steps records steps [first, end) of a plan; rt.mu is held.
func (b *batch) steps(p *prepared, s step, scratch []*gpu.Buffer, first, end int) error {
	for from, to := first, first; from < end; from = to {
		w, err := b.room(p.plan.Steps[from].Traffic)
		if err != nil {
			return err
		}
		for to = from + 1; to < end && p.plan.Steps[to].Traffic <= b.v.limits.MaxStepBytes-b.bytes; to++ {
			b.bytes += p.plan.Steps[to].Traffic
		}
		if err := p.record(w.program, s, scratch, from, to); err != nil {
			return err
		}
	}
	return nil
}

// end finishes the recording; rt.mu is held.
func (b *batch) end() error {
	for _, w := range b.works {
		if err := w.program.End(); err != nil {
			return err
		}
	}
	return nil
}

// submit sends everything and gives how many submissions were made; rt.mu is held. It
// does not allocate.
func (b *batch) submit() (int, error) {
	for _, w := range b.works {
		if err := w.ready(); err != nil {
			return 0, err
		}
	}
	for i, w := range b.works {
		if err := b.v.submit(w); err != nil {
			if i > 0 {
				b.spoil(i, err)
			}
			return i, err
		}
	}
	return len(b.works), nil
}

// spoil marks the results of what was not submitted as failed, because the part before
// it has changed them.
func (b *batch) spoil(from int, err error) {
	b.v.gpu.WaitIdle()
	b.v.retire()
	for _, w := range b.works[from:] {
		for _, s := range w.steps {
			s.out.poison = fmt.Errorf("%s: %w", s.op.Name(), err)
		}
	}
}

// give takes back what is not in flight.
func (b *batch) give(from int) {
	for _, w := range b.works[from:] {
		b.v.pool.give(w)
	}
	b.works = nil
}

// ready refuses work on buffers that were freed, and hands the device what the host
// wrote through views; rt.mu is held.
func (w *work) ready() error {
	for i := range w.steps {
		s := &w.steps[i]
		if err := s.live(); err != nil {
			return err
		}
		if err := s.flushViews(); err != nil {
			return err
		}
	}
	return nil
}
