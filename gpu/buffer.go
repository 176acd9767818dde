//go:build linux && cgo

package gpu

/*
#include "shim.h"
*/
import "C"

import (
	"errors"
	"fmt"
	"sync"
	"unsafe"

	vk "github.com/vulkan-go/vulkan"
)

// bufferUnit is what the storage of a buffer is rounded up to.
const bufferUnit = 16

// Buffer is a piece of device memory. Its methods and its use in programs are
// safe for many goroutines; its contents are the caller's to order.
type Buffer struct {
	device   *Device
	size     int64
	capacity int64
	handle   uint64
	place    place
	coherent bool
	imported *imported // nil for memory of the device's

	mu    sync.Mutex
	freed bool
	gone  bool
	users int // programs that have it recorded
}

// NewBuffer allocates a buffer of size bytes, 0 included. The contents are
// arbitrary. If memory runs out while freed buffers still wait for running
// submissions, it waits for those and tries again. The error is ErrOutOfMemory
// with the sizes, also above the device's limits, or ErrUnsupported where the device has
// no memory for the purpose.
func (d *Device) NewBuffer(size int64, purpose Memory) (*Buffer, error) {
	if err := d.enter(); err != nil {
		return nil, err
	}
	defer d.leave()
	b, err := d.tryBuffer(size, purpose)
	if errors.Is(err, ErrOutOfMemory) && d.queue.reclaim() {
		b, err = d.tryBuffer(size, purpose)
	}
	return b, err
}

// TryBuffer is NewBuffer that does not wait. The error is as there, ErrOutOfMemory or
// ErrUnsupported.
func (d *Device) TryBuffer(size int64, purpose Memory) (*Buffer, error) {
	if err := d.enter(); err != nil {
		return nil, err
	}
	defer d.leave()
	return d.tryBuffer(size, purpose)
}

func (d *Device) tryBuffer(size int64, purpose Memory) (*Buffer, error) {
	if size < 0 {
		return nil, invalid("buffer of %d bytes", size)
	}
	if uint64(size) > d.info.Caps.MaxBuffer/bufferUnit*bufferUnit {
		return nil, fmt.Errorf("gpu: %w: buffer of %d bytes, the device's limit is %d", ErrOutOfMemory, size, d.info.Caps.MaxBuffer)
	}
	b := &Buffer{device: d, size: size, capacity: max(roundUp(size, bufferUnit), bufferUnit)}
	if err := b.create(purpose); err != nil {
		return nil, d.failed(err)
	}
	d.buffers.add(b)
	return b, nil
}

func (b *Buffer) create(purpose Memory) error {
	d := b.device
	var handle vk.Buffer
	err := d.faults.check("vkCreateBuffer", func() int32 {
		info := vk.BufferCreateInfo{SType: vk.StructureTypeBufferCreateInfo, Size: vk.DeviceSize(b.capacity),
			Usage: C.VKOPS_BUFFER_USAGE}
		defer info.Free()
		return int32(vk.CreateBuffer(d.handle, &info, nil, &handle))
	})
	if err != nil {
		return fmt.Errorf("gpu: buffer of %d bytes: %w", b.size, err)
	}
	b.handle = handleBits(handle)
	var needs vk.MemoryRequirements
	vk.GetBufferMemoryRequirements(d.handle, handle, &needs)
	needs.Deref()
	b.place, err = d.memory.allocate(purpose, int64(needs.Size), int64(needs.Alignment), needs.MemoryTypeBits)
	needs.Free()
	if err == nil {
		b.coherent = d.memory.types[b.place.block.typeIndex].flags&hostCoherent != 0
		err = d.faults.check("vkBindBufferMemory", func() int32 {
			return int32(vk.BindBufferMemory(d.handle, handle, asHandle[vk.DeviceMemory](b.place.block.memory), vk.DeviceSize(b.place.offset)))
		})
		if err != nil {
			d.memory.give(b.place)
		}
	}
	if err != nil {
		vk.DestroyBuffer(d.handle, handle, nil)
		return fmt.Errorf("gpu: buffer of %d bytes: %w", b.size, err)
	}
	return nil
}

// Size is the size that was asked for, in bytes.
func (b *Buffer) Size() int64 { return b.size }

// Mapped is the host's view of the buffer, nil if the host cannot see it or the
// buffer is freed or its device closed. The view ends with the buffer: using it
// later is a fault. It starts at a multiple of 256 bytes unless the driver
// prevents that; its capacity ends with the storage, at a multiple of 16.
func (b *Buffer) Mapped() []byte {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.freed || b.gone || b.place.block.mapped == nil {
		return nil
	}
	base := (*byte)(unsafe.Add(b.place.block.mapped, b.place.offset))
	return unsafe.Slice(base, b.capacity)[:b.size]
}

// Flush makes the host's writes to n bytes at off visible to submissions made
// later. It does nothing on coherent memory. A range outside the buffer is
// [ErrInvalid], a buffer whose device was closed [ErrClosed].
func (b *Buffer) Flush(off, n int64) error {
	return b.sync("flush", off, n, func(at, size C.uint64_t) C.vkops_status {
		d := b.device
		return C.vkops_flush(d.c, C.uint64_t(b.place.block.memory), at, size, d.faults.mask(C.VKOPS_CALL_vkFlushMappedMemoryRanges))
	})
}

// Invalidate makes what finished submissions wrote to n bytes at off visible to
// the host. It does nothing on coherent memory. Errors are as for Flush.
func (b *Buffer) Invalidate(off, n int64) error {
	return b.sync("invalidate", off, n, func(at, size C.uint64_t) C.vkops_status {
		d := b.device
		return C.vkops_invalidate(d.c, C.uint64_t(b.place.block.memory), at, size, d.faults.mask(C.VKOPS_CALL_vkInvalidateMappedMemoryRanges))
	})
}

func (b *Buffer) sync(what string, off, n int64, vulkan func(at, size C.uint64_t) C.vkops_status) error {
	if off < 0 || n < 0 || off > b.size-n {
		return invalid("%s of %d bytes at %d in a buffer of %d", what, n, off, b.size)
	}
	if err := b.device.enter(); err != nil {
		return err
	}
	defer b.device.leave()
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.freed || b.gone {
		return fmt.Errorf("gpu: %s: buffer %w", what, ErrClosed)
	}
	if b.place.block.mapped == nil {
		return invalid("%s of a buffer that the host cannot see", what)
	}
	if b.coherent || n == 0 {
		return nil
	}
	at, size := atomRange(b.place.offset+off, n, int64(b.device.info.Caps.NonCoherentAtom), b.place.block.size)
	if err := shimError(vulkan(C.uint64_t(at), C.uint64_t(size))); err != nil {
		return b.device.failed(err)
	}
	return nil
}

// Free gives the memory back once no recorded program uses the buffer: programs
// let go of it at Reset and Free, and those wait for running submissions. It
// may be called again and after Close.
func (b *Buffer) Free() {
	if err := b.device.enterAlways(); err != nil {
		return
	}
	defer b.device.leave()
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.freed || b.gone {
		return
	}
	b.freed = true
	if b.users == 0 {
		b.release()
	}
}

// retain keeps the memory until drop, for a program that records the buffer.
func (b *Buffer) retain() error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.freed || b.gone {
		return fmt.Errorf("gpu: buffer %w", ErrClosed)
	}
	b.users++
	return nil
}

func (b *Buffer) drop() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.users--
	if b.users == 0 && b.freed && !b.gone {
		b.release()
	}
}

// release destroys the buffer; b.mu is held.
func (b *Buffer) release() {
	d := b.device
	b.gone = true
	d.buffers.remove(b)
	vk.DestroyBuffer(d.handle, asHandle[vk.Buffer](b.handle), nil)
	b.giveMemory()
}

func (b *Buffer) giveMemory() {
	if b.imported != nil {
		b.imported.release(b)
		return
	}
	b.device.memory.give(b.place)
}

// abandon destroys the buffer with its device, whose memory goes as a whole.
func (b *Buffer) abandon() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.gone = true
	vk.DestroyBuffer(b.device.handle, asHandle[vk.Buffer](b.handle), nil)
	if b.imported != nil {
		b.imported.release(b)
	}
}
