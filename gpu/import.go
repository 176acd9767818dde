//go:build linux && cgo

package gpu

/*
#include "shim.h"

#cgo noescape vkops_import_buffer
#cgo nocallback vkops_import_buffer
*/
import "C"

import (
	"fmt"
	"runtime"
	"unsafe"

	vk "github.com/vulkan-go/vulkan"
)

// imported is memory of the host's in use as a buffer.
type imported struct {
	memory uint64
	data   []byte // keeps Go memory alive until the device is done with it
	pinned runtime.Pinner
}

// ImportBuffer makes a buffer of the host's memory itself, so that nothing has to be
// copied. The memory stays pinned and reachable until the buffer is released, after
// the last submission that uses it. What the device writes is seen by the host after
// a Wait; Flush and Invalidate are not needed. The device reads up to the next
// multiple of 16 bytes after data, and writes whole words: data that kernels write
// to needs a size that is a multiple of 4. The error is ErrUnsupported where the
// device or the driver cannot use this memory; data must then be copied.
func (d *Device) ImportBuffer(data []byte) (*Buffer, error) {
	if len(data) == 0 {
		return nil, invalid("import of 0 bytes")
	}
	if err := d.enter(); err != nil {
		return nil, err
	}
	defer d.leave()
	if err := d.importable(data); err != nil {
		return nil, err
	}
	page, address := uintptr(d.info.Caps.ImportAlignment), uintptr(unsafe.Pointer(&data[0]))
	lead := address % page
	size := roundUp(int64(lead)+int64(len(data)), int64(page))
	b := &Buffer{device: d, size: int64(len(data)), capacity: roundUp(int64(len(data)), bufferUnit), coherent: true,
		imported: &imported{data: data}}
	if err := d.memory.countImport(1); err != nil {
		return nil, err
	}
	b.imported.pinned.Pin(&data[0])
	status := C.vkops_import_buffer(d.c, C.uint64_t(address-lead), C.uint64_t(size), C.uint64_t(lead), C.uint32_t(d.memory.importTypes()),
		d.faults.mask(C.VKOPS_CALL_vkCreateBuffer, C.VKOPS_CALL_vkAllocateMemory, C.VKOPS_CALL_vkBindBufferMemory,
			C.VKOPS_CALL_vkGetMemoryHostPointerPropertiesEXT),
		(*C.uint64_t)(&b.imported.memory), (*C.uint64_t)(&b.handle))
	if status.result != resultSuccess {
		b.imported.pinned.Unpin()
		_ = d.memory.countImport(-1)
		if err := d.failed(shimError(status)); err != nil {
			return nil, fmt.Errorf("gpu: import of %d bytes: %w: %w", len(data), ErrUnsupported, err)
		}
		return nil, unsupported("import of %d bytes at %#x", len(data), address)
	}
	d.buffers.add(b)
	return b, nil
}

// release gives the memory back to the host alone; the buffer is destroyed.
func (i *imported) release(b *Buffer) {
	vk.FreeMemory(b.device.handle, asHandle[vk.DeviceMemory](i.memory), nil)
	_ = b.device.memory.countImport(-1)
	i.pinned.Unpin()
	i.data = nil
}

// importTypes are the memory types for imports, one bit each: what one side writes,
// the other sees without a flush.
func (m *memory) importTypes() (bits uint32) {
	for i, t := range m.types {
		if t.flags&^usableFlags == 0 && t.flags&(hostVisible|hostCoherent) == hostVisible|hostCoherent {
			bits |= 1 << i
		}
	}
	return bits
}

// countImport counts an import (or its end, -1) among the device's allocations.
func (m *memory) countImport(by int) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if by > 0 && m.count >= m.most {
		return unsupported("import beside %d allocations, the device's limit", m.count)
	}
	m.count += by
	m.buffers += by
	return nil
}

// Imports reports whether the device's limits let ImportBuffer use this memory.
func (d *Device) Imports(data []byte) bool { return len(data) > 0 && d.importable(data) == nil }

func (d *Device) importable(data []byte) error {
	caps := &d.info.Caps
	page, address := uintptr(caps.ImportAlignment), uintptr(unsafe.Pointer(&data[0]))
	switch {
	case page == 0:
		return unsupported("import of host memory")
	case address%granule != 0:
		return unsupported("import of memory at %#x, which is no multiple of %d", address, granule)
	case uint64(len(data)) > caps.MaxBuffer-2*uint64(page):
		return unsupported("import of %d bytes, the device's limit is %d", len(data), caps.MaxBuffer)
	}
	return nil
}
