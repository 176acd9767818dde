package host

import (
	"context"
	"fmt"

	"vkops/gpu"
	"vkops/tensor"
)

// maxInFlight bounds the submissions that wait for the device, and with them the
// memory they hold; the next one waits for the oldest.
const maxInFlight = 64

// work is what a submission needs until it is done, and what it does to buffers.
type work struct {
	steps   []step
	program *gpu.Program
	// replay is the recording that submits the work again and again, nil for work
	// that goes back to the pool.
	replay *replay
}

// step is one operator of a submission, or a write by the host if op is nil.
type step struct {
	call
	status *gpu.Buffer // where an NLL reports a target out of range; nil for others
}

// flight is a submission that was not seen to be done.
type flight struct {
	sub  *gpu.Submission
	work *work
}

// queue is the device's queue as the host sees it: submissions are numbered from 1
// in their order and retired in that order. Runtime.mu guards it.
type queue struct {
	issued, retired uint64
	flights         []flight // those numbered retired+1 to issued, from head on
	head            int
}

func (q *queue) inFlight() int { return len(q.flights) - q.head }

// push numbers a submission.
func (q *queue) push(f flight) uint64 {
	if q.head == len(q.flights) || q.head >= maxInFlight {
		q.flights = append(q.flights[:0], q.flights[q.head:]...)
		q.head = 0
	}
	q.flights = append(q.flights, f)
	q.issued++
	return q.issued
}

// pending is the submission of a number, nil if it is retired.
func (q *queue) pending(seq uint64) *gpu.Submission {
	if seq <= q.retired {
		return nil
	}
	return q.flights[q.head+int(seq-q.retired)-1].sub
}

// retire takes finished submissions off the front and settles their outcome. After
// Close, memory may be gone and outcomes are nobody's concern.
func (v *vulkan) retire() {
	q := &v.queue
	for q.inFlight() > 0 && !v.rt.closed {
		f := q.flights[q.head]
		done, err := f.sub.Done()
		switch {
		case err == nil && !done:
			return
		case err != nil:
			v.gpu.WaitIdle() // what cannot be asked may be at work still, on memory that is free from here on
		}
		q.flights[q.head] = flight{}
		q.head++
		q.retired++
		for _, s := range f.work.steps {
			s.settle(err)
		}
		if f.work.replay != nil {
			f.work.replay.retired()
		} else {
			v.pool.give(f.work)
		}
	}
}

// settle gives the output its poison: retiring in order, the inputs' poison is that
// of the moment in which the step ran.
func (s step) settle(failed error) {
	poison := failed
	if failed != nil && s.op != nil {
		poison = fmt.Errorf("%s: %w", s.op.Name(), failed)
	}
	for _, in := range s.inputs {
		if poison == nil {
			poison = in.poison
		}
	}
	if poison == nil && s.status != nil {
		poison = readStatus(s.status, s.op, s.inputs[0].typ)
	}
	s.out.poison = poison
}

// readStatus reads the words that the kernels of a loss leave: found, then the position
// and the value of the first bad target as 64-bit words.
func readStatus(status *gpu.Buffer, op tensor.Op, input tensor.Type) error {
	if err := status.Invalidate(0, status.Size()); err != nil {
		return err
	}
	words := tensor.ValuesOf[uint32](status.Mapped())
	if words[0] == 0 {
		return nil
	}
	pair := func(i int) int64 { return int64(uint64(words[i]) | uint64(words[i+1])<<32) }
	return op.(tensor.Loss).ErrorAt(pair(1), pair(3), int64(input.Shape[1]))
}

// waitFor returns when the submission of a number is done and settled.
func (v *vulkan) waitFor(ctx context.Context, seq uint64) error {
	for {
		v.rt.mu.Lock()
		v.retire()
		sub := v.queue.pending(seq)
		closed := v.rt.closed
		v.rt.mu.Unlock()
		switch {
		case closed:
			return ErrClosed
		case sub == nil:
			return nil
		}
		// A submission's failure is settled into its outputs, unless the wait itself
		// failed.
		if err := sub.Wait(ctx); err != nil {
			if err := v.unsettled(seq, err); err != nil {
				return err
			}
		}
	}
}

// unsettled is the error of a wait, or nil if the submission is settled anyway.
func (v *vulkan) unsettled(seq uint64, err error) error {
	v.rt.mu.Lock()
	defer v.rt.mu.Unlock()
	v.retire()
	switch {
	case v.rt.closed:
		return ErrClosed
	case v.queue.retired >= seq:
		return nil
	}
	return err
}

// lockWithRoom locks Runtime.mu when there is room for one more submission, unless it is
// the context that ends first.
func (v *vulkan) lockWithRoom(ctx context.Context) error {
	for {
		v.rt.mu.Lock()
		v.retire()
		if v.queue.inFlight() < maxInFlight || v.rt.closed {
			return nil
		}
		oldest := v.queue.pending(v.queue.retired + 1)
		v.rt.mu.Unlock()
		_ = oldest.Wait(ctx) // its outcome is settled by retire
		if err := ctx.Err(); err != nil {
			return err
		}
	}
}

// drain waits for the work in flight, which holds memory that was freed meanwhile. Its
// error is the context's: how the work ends does not matter here.
func (v *vulkan) drain(ctx context.Context) error {
	v.rt.mu.Lock()
	last := v.queue.issued
	v.rt.mu.Unlock()
	_ = v.waitFor(ctx, last)
	return ctx.Err()
}
