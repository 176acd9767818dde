//go:build linux && cgo

package gpu

/*
#include "shim.h"
*/
import "C"

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"time"
)

// A goroutine blocked in the driver occupies a thread of the operating system,
// so only so many do; the others wait in Go.
const (
	maxBlocked = 16
	// With a context that can end, waits start short and grow, so that short
	// work is noticed at once and a cancelled wait returns soon.
	firstWait = 500 * time.Microsecond
	lastWait  = 10 * time.Millisecond
	longWait  = 100 * time.Millisecond
	// pollFor is how long a wait asks whether the work is done before it sleeps: to
	// fall asleep and be woken takes longer than little work does. It is in vain where
	// the work takes longer, and where other programs want the processor, which then
	// get it. So each time that it was, four times as many waits for that program do
	// not ask, up to mostUnpolled, and half as many each time that it was not.
	pollFor      = 100 * time.Microsecond
	mostUnpolled = 256
)

// waits limits the goroutines blocked in the driver and wakes those that queue
// whenever a submission is done.
type waits struct {
	slots    chan struct{}
	queued   atomic.Int32
	mu       sync.Mutex
	progress chan struct{}
}

func newWaits() waits {
	return waits{slots: make(chan struct{}, maxBlocked), progress: make(chan struct{})}
}

func (w *waits) wake() {
	if w.queued.Load() == 0 {
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	close(w.progress)
	w.progress = make(chan struct{})
}

// enter takes a slot, or returns false because a submission has finished
// meanwhile or the context has ended.
func (w *waits) enter(ctx context.Context) bool {
	select {
	case w.slots <- struct{}{}:
		return true
	default:
	}
	w.queued.Add(1)
	defer w.queued.Add(-1)
	w.mu.Lock()
	progress := w.progress
	w.mu.Unlock()
	select {
	case w.slots <- struct{}{}:
		return true
	case <-progress:
	case <-ctx.Done():
	case <-time.After(lastWait): // the wake may have come before queued was counted
	}
	return false
}

func (w *waits) leave() { <-w.slots }

// Seq is the submission's number on its device, from 1 up in the order of
// Submit.
func (s *Submission) Seq() uint64 { return s.seq }

// Done says, without waiting, whether the submission is finished. Errors are those of
// the device: [ErrDeviceLost], [ErrClosed].
func (s *Submission) Done() (bool, error) {
	d := s.device
	if d.queue.completed.Load() >= s.seq {
		return true, nil
	}
	if err := d.enter(); err != nil {
		return false, err
	}
	defer d.leave()
	return d.queue.finished(s.seq)
}

// Wait returns when the submission and all before it are finished, or with the
// context's error when that ends first; the work goes on then. Many goroutines
// may wait for one submission.
func (s *Submission) Wait(ctx context.Context) error {
	d := s.device
	patience := firstWait
	if ctx.Done() == nil {
		patience = longWait
	}
	for d.queue.completed.Load() < s.seq {
		if err := ctx.Err(); err != nil {
			return fmt.Errorf("gpu: wait: %w", err)
		}
		if done, err := s.waitOnce(ctx, patience); done || err != nil {
			return err
		}
		if patience < lastWait {
			patience *= 2
		}
	}
	return nil
}

func (s *Submission) waitOnce(ctx context.Context, patience time.Duration) (bool, error) {
	d := s.device
	if !d.queue.waits.enter(ctx) {
		return false, nil
	}
	defer d.queue.waits.leave()
	if err := d.enter(); err != nil {
		return false, err
	}
	defer d.leave()
	poll, start := s.polling(), time.Now()
	done, err := d.queue.waitFence(s.seq, poll, patience)
	if poll != 0 {
		s.program.polled(time.Since(start) <= poll)
	}
	return done, err
}

// polling is how long a wait asks before it sleeps. Of several that wait at once one asks.
func (s *Submission) polling() time.Duration {
	if s.program == nil || len(s.device.queue.waits.slots) > 1 || s.program.unpolled.Add(-1) >= 0 {
		return 0
	}
	s.program.unpolled.Store(0)
	return pollFor
}

// polled notes whether a wait that asked was over before it slept.
func (p *Program) polled(over bool) {
	backoff := p.backoff.Load()
	if over {
		backoff /= 2
	} else {
		backoff = min(max(1, 4*backoff), mostUnpolled)
	}
	p.backoff.Store(backoff)
	p.unpolled.Store(backoff)
}

// hold returns the fence of a pending submission, kept from reuse until letGo,
// or nil if the submission is done.
func (q *queue) hold(seq uint64) *fence {
	q.mu.Lock()
	defer q.mu.Unlock()
	if len(q.pending) == 0 || seq < q.pending[0].seq {
		return nil
	}
	f := q.pending[seq-q.pending[0].seq].fence
	f.waiters++
	return f
}

func (q *queue) letGo(f *fence) {
	q.mu.Lock()
	defer q.mu.Unlock()
	f.waiters--
	if f.waiters == 0 && f.retired {
		q.recycle(f)
	}
}

// waitFence asks a submission's fence for so long (0: once, if at all), then sleeps
// on it for so long, and says whether the submission is done.
func (q *queue) waitFence(seq uint64, polling, sleeping time.Duration) (bool, error) {
	f := q.hold(seq)
	if f == nil {
		return true, nil
	}
	d := q.device
	var bits C.uint64_t
	if d.faults != nil {
		asked := call(C.VKOPS_CALL_vkWaitForFences)
		if sleeping == 0 {
			asked = C.VKOPS_CALL_vkGetFenceStatus
		}
		bits = d.faults.mask(asked)
	}
	status := C.vkops_wait(d.c, C.uint64_t(f.handle), C.uint64_t(polling), C.uint64_t(sleeping), bits)
	if status.result == resultSuccess {
		q.advance(seq)
	}
	q.letGo(f)
	if status.result < 0 {
		return false, fmt.Errorf("gpu: wait: %w", d.failed(shimError(status)))
	}
	return status.result == resultSuccess, nil
}
