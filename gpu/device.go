//go:build linux && cgo

package gpu

/*
#include <stdlib.h>
#include "shim.h"
*/
import "C"

import (
	"errors"
	"fmt"
	"log/slog"
	"os"
	"sync"
	"sync/atomic"
	"unsafe"

	vk "github.com/vulkan-go/vulkan"
)

// Device is an open Vulkan device with one compute queue.
type Device struct {
	info     Info
	log      *slog.Logger
	faults   faults
	instance *instance
	physical *physical
	handle   vk.Device
	c        *C.vkops_device
	cacheDir string

	memory    *memory
	pipelines *pipelines
	queue     queue
	buffers   registry[*Buffer]
	programs  registry[*Program]

	// life is held for reading during every call and for writing by Close.
	life    sync.RWMutex
	closing sync.Once
	closed  atomic.Bool
	lost    atomic.Bool

	// found are the newest validation messages that nobody has taken.
	foundMu sync.Mutex
	found   []string
}

// Open opens the device that the options choose. The error is ErrNoDevice if
// there is none to choose, ErrUnsupported if it cannot compute.
func Open(options Options) (*Device, error) {
	in, err := newInstance(options.Validation, options.Fault)
	if err != nil {
		return nil, err
	}
	d := &Device{instance: in, faults: options.Fault, log: options.Logger, cacheDir: options.CacheDir}
	if d.log == nil {
		d.log = slog.New(slog.DiscardHandler)
	}
	if err := d.open(options); err != nil {
		d.destroy()
		return nil, err
	}
	d.log.Info("vulkan device opened", "device", d.info.Name, "type", d.info.Type, "driver", d.info.Driver)
	return d, nil
}

func (d *Device) open(options Options) error {
	all, err := d.instance.describeAll()
	if err != nil {
		return err
	}
	selector := options.Device
	if selector == "" {
		selector = os.Getenv("VKOPS_DEVICE")
	}
	chosen, err := Choose(infosOf(all), selector)
	if err != nil {
		return err
	}
	p := all[chosen.Index]
	d.info, d.physical = p.info, p
	if !p.vulkan11() {
		return unsupported("%s has Vulkan %s, 1.1 is needed", p.info.Name, p.info.API)
	}
	if p.c.has_queue == 0 {
		return unsupported("%s has no queue for compute", p.info.Name)
	}
	if err := p.info.Caps.check(p.maxAllocates); err != nil {
		return fmt.Errorf("%w (%s)", err, p.info.Name)
	}
	d.c = (*C.vkops_device)(C.calloc(1, C.sizeof_vkops_device))
	status := C.vkops_create_device(d.instance.getProc, d.instance.c.instance,
		*(*C.VkPhysicalDevice)(unsafe.Pointer(&p.handle)), &p.c, d.faults.mask(C.VKOPS_CALL_vkCreateDevice), d.c)
	if err := shimError(status); err != nil {
		return fmt.Errorf("gpu: %s: %w", p.info.Name, err)
	}
	d.handle = *(*vk.Device)(unsafe.Pointer(&d.c.device))
	var q vk.Queue
	vk.GetDeviceQueue(d.handle, uint32(p.c.queue_family), 0, &q)
	d.c.queue = *(*C.VkQueue)(unsafe.Pointer(&q))
	d.queue.device = d
	d.queue.waits = newWaits()
	d.memory = newMemory(d, p, options.MemoryBudget)
	d.pipelines = newPipelines(d, p)
	return d.pipelines.openCache()
}

// Err is nil while the device works, and afterwards [ErrDeviceLost] or [ErrClosed].
func (d *Device) Err() error {
	err := d.enter()
	if err == nil {
		d.leave()
	}
	return err
}

// Info describes the device.
func (d *Device) Info() Info { return d.info }

// enter begins a call on the device; every successful one needs leave.
func (d *Device) enter() error {
	if d.lost.Load() && !d.closed.Load() {
		return fmt.Errorf("gpu: %s: %w", d.info.Name, ErrDeviceLost)
	}
	return d.enterAlways()
}

// enterAlways begins a call that makes sense on a lost device too.
func (d *Device) enterAlways() error {
	if !d.closed.Load() {
		d.life.RLock()
		if !d.closed.Load() {
			return nil
		}
		d.life.RUnlock()
	}
	return fmt.Errorf("gpu: %s: device %w", d.info.Name, ErrClosed)
}

func (d *Device) leave() { d.life.RUnlock() }

// failed marks the device as lost if that is what a call reported.
func (d *Device) failed(err error) error {
	if errors.Is(err, ErrDeviceLost) && d.lost.CompareAndSwap(false, true) {
		d.log.Error("vulkan device lost", "device", d.info.Name, "error", err)
	}
	return err
}

// Close waits for running submissions and frees everything, buffers and
// programs that were left included; their methods then return ErrClosed, and
// their mapped views must not be used. Calls under way end first. It may be
// called again.
func (d *Device) Close() error {
	d.closing.Do(func() {
		d.closed.Store(true)
		// Before life is taken, so that goroutines that wait see their work done.
		d.queue.idleWait()
		d.life.Lock()
		defer d.life.Unlock()
		// A call that began before closed was set may have submitted since.
		d.queue.idleWait()
		d.pipelines.saveCache()
		d.collectMessages()
		d.destroy()
	})
	return nil
}

// destroy frees what exists of a device; no other call on it is running.
func (d *Device) destroy() {
	if d.c != nil && d.c.device != nil {
		for _, p := range d.programs.take() {
			p.abandon()
		}
		for _, b := range d.buffers.take() {
			b.abandon()
		}
		if d.pipelines != nil {
			d.pipelines.destroy()
		}
		d.queue.destroy()
		if d.memory != nil {
			d.memory.destroy()
		}
		vk.DestroyDevice(d.handle, nil)
	}
	C.free(unsafe.Pointer(d.c))
	d.c = nil
	d.instance.destroy()
}

// Trim gives the memory that is kept for later buffers back to the system.
func (d *Device) Trim() {
	if err := d.enterAlways(); err != nil {
		return
	}
	defer d.leave()
	d.memory.mu.Lock()
	defer d.memory.mu.Unlock()
	d.memory.trim(0)
}

// MemoryInUse says what the device's buffers hold.
func (d *Device) MemoryInUse() MemoryStats {
	if err := d.enterAlways(); err != nil {
		return MemoryStats{}
	}
	defer d.leave()
	return d.memory.stats()
}

// maxMessages is how many validation messages are kept.
const maxMessages = 64

// ValidationMessages takes the messages of the validation layer that have come
// since the last call; only the newest 64 are kept.
func (d *Device) ValidationMessages() []string {
	if err := d.enterAlways(); err != nil {
		return nil
	}
	defer d.leave()
	d.collectMessages()
	d.foundMu.Lock()
	defer d.foundMu.Unlock()
	found := d.found
	d.found = nil
	return found
}

// collectMessages moves what the layer has found to the logger and to found. It
// is called after each step that the layer looks at.
func (d *Device) collectMessages() {
	if d.instance.c.messages == nil {
		return
	}
	d.foundMu.Lock()
	defer d.foundMu.Unlock()
	for _, text := range d.instance.messages() {
		d.log.Warn("vulkan validation", "message", text)
		d.found = append(d.found, text)
	}
	if n := len(d.found); n > maxMessages {
		d.found = append(d.found[:0], d.found[n-maxMessages:]...)
	}
}
