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

	vk "github.com/vulkan-go/vulkan"
)

// maxPending bounds the submissions under way; Submit waits for the oldest at
// the limit. collectAt is where it looks whether some are over.
const (
	maxPending = 1024
	collectAt  = 16
)

// queue submits to the device's queue. Submissions finish in order, so the
// number of the latest finished one tells everything.
type queue struct {
	device    *Device
	completed atomic.Uint64
	waits     waits

	mu        sync.Mutex
	latest    uint64
	pending   []pendingSubmission // by seq
	idle      []*fence
	deferred  []deferredFree
	handedOut []Submission // the rest of a slab: one allocation serves many
}

// fence is a VkFence. It goes back to the idle ones when its submission is done
// and nobody waits on it any more.
type fence struct {
	handle  uint64
	used    bool // must be reset before it is submitted
	waiters int
	retired bool
}

type pendingSubmission struct {
	seq   uint64
	fence *fence
}

type deferredFree struct {
	after   uint64
	program *Program
}

// Submission is one run of a program.
type Submission struct {
	device  *Device
	seq     uint64
	program *Program // nil where only its being over counts
}

// slab is how many Submissions are allocated together, which keeps replays free
// of allocations of their own.
const slab = 128

// Submit queues a program, which may be running already, and returns at once. A
// program that is not of this device or was not ended is [ErrInvalid], a freed one
// [ErrClosed]; a device that stopped working is [ErrDeviceLost].
func (d *Device) Submit(p *Program) (*Submission, error) {
	if p == nil || p.device != d {
		return nil, invalid("submission of a program of another device")
	}
	if err := d.queue.makeRoom(); err != nil {
		return nil, err
	}
	if err := d.enter(); err != nil {
		return nil, err
	}
	defer d.leave()
	p.mu.Lock()
	defer p.mu.Unlock()
	switch {
	case p.freed:
		return nil, fmt.Errorf("gpu: program %w", ErrClosed)
	case p.err != nil:
		return nil, p.err
	case !p.ended:
		return nil, invalid("submission of a program without End")
	}
	defer d.collectMessages()
	return d.queue.submit(p)
}

// submit gives a program to the device; p.mu is held.
func (q *queue) submit(p *Program) (*Submission, error) {
	d := q.device
	q.mu.Lock()
	defer q.mu.Unlock()
	f, err := q.takeFence()
	if err != nil {
		return nil, fmt.Errorf("gpu: submit: %w", d.failed(err))
	}
	var used C.int
	var bits C.uint64_t
	if d.faults != nil {
		bits = d.faults.mask(C.VKOPS_CALL_vkQueueSubmit)
	}
	if f.used {
		used = 1
		if d.faults != nil {
			bits |= d.faults.mask(C.VKOPS_CALL_vkResetFences)
		}
	}
	if status := C.vkops_submit(d.c, p.commands, C.uint64_t(f.handle), used, bits); status.result < 0 {
		// The fence may or may not be reset; resetting again does no harm.
		q.idle = append(q.idle, f)
		return nil, fmt.Errorf("gpu: submit: %w", d.failed(shimError(status)))
	}
	f.used = true
	q.latest++
	p.last = q.latest
	q.pending = append(q.pending, pendingSubmission{q.latest, f})
	if len(q.handedOut) == 0 {
		q.handedOut = make([]Submission, slab)
	}
	s := &q.handedOut[0]
	q.handedOut = q.handedOut[1:]
	s.device, s.seq, s.program = d, q.latest, p
	return s, nil
}

func (q *queue) takeFence() (*fence, error) {
	if n := len(q.idle); n > 0 {
		f := q.idle[n-1]
		q.idle = q.idle[:n-1]
		return f, nil
	}
	d := q.device
	var handle vk.Fence
	err := d.faults.check("vkCreateFence", func() int32 {
		info := vk.FenceCreateInfo{SType: vk.StructureTypeFenceCreateInfo}
		defer info.Free()
		return int32(vk.CreateFence(d.handle, &info, nil, &handle))
	})
	return &fence{handle: handleBits(handle)}, err
}

// advance notes that everything up to seq is done and frees what waited for it.
func (q *queue) advance(seq uint64) {
	q.mu.Lock()
	if seq <= q.completed.Load() {
		q.mu.Unlock()
		return
	}
	q.completed.Store(seq)
	n := 0
	for n < len(q.pending) && q.pending[n].seq <= seq {
		f := q.pending[n].fence
		f.retired = true
		if f.waiters == 0 {
			q.recycle(f)
		}
		n++
	}
	q.pending = append(q.pending[:0], q.pending[n:]...)
	var ready []*Program
	kept := q.deferred[:0]
	for _, free := range q.deferred {
		if free.after <= seq {
			ready = append(ready, free.program)
		} else {
			kept = append(kept, free)
		}
	}
	clear(q.deferred[len(kept):])
	q.deferred = kept
	q.mu.Unlock()
	q.waits.wake()
	for _, p := range ready {
		p.release()
	}
}

func (q *queue) recycle(f *fence) {
	f.retired = false
	q.idle = append(q.idle, f)
}

// finished says whether everything up to seq is done.
func (q *queue) finished(seq uint64) (bool, error) {
	if q.completed.Load() >= seq {
		return true, nil
	}
	return q.waitFence(seq, 0, 0)
}

// whenDone releases a freed program once its last submission is done.
func (q *queue) whenDone(seq uint64, p *Program) {
	if !q.device.lost.Load() {
		if done, err := q.finished(seq); done && err == nil {
			p.release()
			return
		}
	}
	q.mu.Lock()
	if q.completed.Load() < seq {
		q.deferred = append(q.deferred, deferredFree{seq, p})
		p = nil
	}
	q.mu.Unlock()
	if p != nil {
		p.release()
	}
}

// makeRoom keeps the number of pending submissions bounded. It is called outside
// of enter, because it may wait.
func (q *queue) makeRoom() error {
	for {
		q.mu.Lock()
		n := len(q.pending)
		var oldest uint64
		if n > 0 {
			oldest = q.pending[0].seq
		}
		q.mu.Unlock()
		if n < collectAt {
			return nil
		}
		s := &Submission{device: q.device, seq: oldest}
		if n >= maxPending {
			if err := s.Wait(context.Background()); err != nil {
				return err
			}
			continue
		}
		if done, err := s.Done(); err != nil || !done {
			return err
		}
	}
}

// reclaim waits for every submission if that frees anything, and says whether
// it did.
func (q *queue) reclaim() bool {
	q.mu.Lock()
	latest, waiting := q.latest, len(q.deferred) > 0
	q.mu.Unlock()
	if !waiting {
		return false
	}
	for {
		done, err := q.waitFence(latest, 0, longWait)
		if done || err != nil {
			return err == nil
		}
	}
}

// idleWait waits until the device does nothing, whatever comes of it.
func (q *queue) idleWait() {
	q.mu.Lock()
	defer q.mu.Unlock()
	vk.DeviceWaitIdle(q.device.handle)
}

// WaitIdle returns when the device does nothing, whether its work succeeded or the
// device is lost: after it, the device touches no memory until the next Submit.
func (d *Device) WaitIdle() {
	if err := d.enterAlways(); err != nil {
		return
	}
	defer d.leave()
	d.queue.idleWait()
}

// destroy destroys the fences; no other call on the device is running, though
// Submit may be on its way in.
func (q *queue) destroy() {
	q.mu.Lock()
	defer q.mu.Unlock()
	for _, p := range q.pending {
		q.idle = append(q.idle, p.fence)
	}
	for _, f := range q.idle {
		vk.DestroyFence(q.device.handle, asHandle[vk.Fence](f.handle), nil)
	}
	q.pending, q.idle, q.deferred = nil, nil, nil
}
