//go:build linux && cgo

package gpu

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

// Done says, without waiting, whether the submission is finished.
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
	return d.queue.waitFence(s.seq, uint64(patience))
}
