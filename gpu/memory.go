//go:build linux && cgo

package gpu

import (
	"errors"
	"fmt"
	"sync"
	"unsafe"

	vk "github.com/vulkan-go/vulkan"
)

// Sizes of the blocks that buffers share. A buffer above half a block has an
// allocation of its own.
const (
	blockSize   = 64 << 20
	smallHeap   = 1 << 30 // of such a heap a block takes an eighth
	retainLimit = 256 << 20
)

// block is one vkAllocateMemory, mapped for good where the host can see it.
type block struct {
	memory    uint64
	typeIndex int
	size      int64
	mapped    unsafe.Pointer // nil if not host visible
	arena     *arena
}

// place is a part of a block.
type place struct {
	block        *block
	offset, size int64
}

// memory sub-allocates a device's memory. Empty blocks are kept for the next
// buffers up to retainLimit.
type memory struct {
	device *Device
	types  []memoryType
	ranked map[Memory][]int
	heaps  []int64 // limit of each heap in bytes
	budget int64   // limit of all together, 0 for none
	most   int     // limit of the number of blocks

	mu        sync.Mutex
	blocks    map[int][]*block // by memory type
	count     int
	allocated int64
	perHeap   []int64
	used      int64
	retained  int64
	buffers   int
}

func newMemory(d *Device, p *physical, budget int64) *memory {
	m := &memory{device: d, types: p.memoryTypes, budget: budget, most: int(p.maxAllocates),
		ranked: map[Memory][]int{}, blocks: map[int][]*block{}, perHeap: make([]int64, len(p.heapSizes))}
	for _, purpose := range []Memory{DeviceMemory, UploadMemory, DownloadMemory} {
		m.ranked[purpose] = rankMemoryTypes(p.memoryTypes, purpose)
	}
	for _, size := range p.heapSizes {
		if p.info.Type == CPU {
			size = size / 4 * 3
		}
		m.heaps = append(m.heaps, size)
	}
	return m
}

// allocate finds a part for a buffer. typeBits are the types it may lie in.
func (m *memory) allocate(purpose Memory, size, alignment int64, typeBits uint32) (place, error) {
	size = roundUp(size, granule)
	m.mu.Lock()
	defer m.mu.Unlock()
	err := fmt.Errorf("gpu: %w: no memory type for %s memory", ErrUnsupported, purpose)
	for _, t := range m.ranked[purpose] {
		if typeBits>>t&1 == 0 {
			continue
		}
		var p place
		if p, err = m.allocateType(t, size, alignment); err == nil {
			m.used += p.size
			m.buffers++
			return p, nil
		}
	}
	return place{}, err
}

func (m *memory) allocateType(t int, size, alignment int64) (place, error) {
	for _, b := range m.blocks[t] {
		// An empty block of its own for a big buffer is not cut up for a small one.
		if b.arena.empty() && (b.size > m.blockSize(t) && size < b.size/4*3) {
			continue
		}
		wasEmpty := b.arena.empty()
		if offset, ok := b.arena.take(size, alignment); ok {
			if wasEmpty {
				m.retained -= b.size
			}
			return place{b, offset, size}, nil
		}
	}
	want := m.blockSize(t)
	if size > want/2 {
		want = size + granule // room to align the host's view
	}
	b, err := m.newBlock(t, want, alignment)
	if err != nil && m.retained > 0 {
		m.trim(0)
		b, err = m.newBlock(t, want, alignment)
	}
	if errors.Is(err, ErrOutOfMemory) && want > size+granule {
		b, err = m.newBlock(t, size+granule, alignment)
	}
	if err != nil {
		return place{}, err
	}
	offset, ok := b.arena.take(size, alignment)
	if !ok {
		m.release(b)
		return place{}, fmt.Errorf("gpu: %w: %d bytes at alignment %d", ErrUnsupported, size, alignment)
	}
	m.blocks[t] = append(m.blocks[t], b)
	return place{b, offset, size}, nil
}

func (m *memory) blockSize(t int) int64 {
	heap := m.heaps[m.types[t].heap]
	if heap < smallHeap {
		return max(heap/8/granule*granule, granule)
	}
	return blockSize
}

// newBlock takes memory from Vulkan and maps it.
func (m *memory) newBlock(t int, size, alignment int64) (*block, error) {
	heap := m.types[t].heap
	switch {
	case m.budget > 0 && m.allocated+size > m.budget:
		return nil, fmt.Errorf("gpu: %w: %d bytes asked for, %d of the budget of %d in use", ErrOutOfMemory, size, m.allocated, m.budget)
	case m.perHeap[heap]+size > m.heaps[heap]:
		return nil, fmt.Errorf("gpu: %w: %d bytes asked for, %d of the heap's %d in use", ErrOutOfMemory, size, m.perHeap[heap], m.heaps[heap])
	case uint64(size) > m.device.info.Caps.MaxAllocation:
		return nil, fmt.Errorf("gpu: %w: %d bytes asked for, the device allocates at most %d at once", ErrOutOfMemory, size, m.device.info.Caps.MaxAllocation)
	case m.count >= m.most:
		return nil, fmt.Errorf("gpu: %w: the device's limit of %d allocations is reached", ErrOutOfMemory, m.most)
	}
	d := m.device
	var handle vk.DeviceMemory
	err := d.faults.check("vkAllocateMemory", func() int32 {
		info := vk.MemoryAllocateInfo{SType: vk.StructureTypeMemoryAllocateInfo,
			AllocationSize: vk.DeviceSize(size), MemoryTypeIndex: uint32(t)}
		defer info.Free()
		return int32(vk.AllocateMemory(d.handle, &info, nil, &handle))
	})
	if err != nil {
		return nil, fmt.Errorf("gpu: %d bytes: %w", size, err)
	}
	b := &block{memory: handleBits(handle), typeIndex: t, size: size}
	m.count++
	m.allocated += size
	m.perHeap[heap] += size
	if m.types[t].flags&hostVisible != 0 {
		err = d.faults.check("vkMapMemory", func() int32 {
			return int32(vk.MapMemory(d.handle, handle, 0, vk.DeviceSize(size), 0, &b.mapped))
		})
		if err != nil {
			m.release(b)
			return nil, fmt.Errorf("gpu: %d bytes: %w", size, err)
		}
	}
	skew := -int64(uintptr(b.mapped)) & (granule - 1)
	if skew%alignment != 0 {
		skew = 0
	}
	b.arena = newArena(size, skew)
	return b, nil
}

// release gives a block back to Vulkan, which unmaps it.
func (m *memory) release(b *block) {
	m.count--
	m.allocated -= b.size
	m.perHeap[m.types[b.typeIndex].heap] -= b.size
	vk.FreeMemory(m.device.handle, asHandle[vk.DeviceMemory](b.memory), nil)
}

// give returns a part that allocate found.
func (m *memory) give(p place) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.used -= p.size
	m.buffers--
	p.block.arena.put(p.offset, p.size)
	if p.block.arena.empty() {
		m.retained += p.block.size
		m.trim(retainLimit)
	}
}

// trim releases empty blocks, the oldest first, until no more than keep bytes
// of them are left.
func (m *memory) trim(keep int64) {
	for t, blocks := range m.blocks {
		kept := blocks[:0]
		for _, b := range blocks {
			if m.retained > keep && b.arena.empty() {
				m.retained -= b.size
				m.release(b)
				continue
			}
			kept = append(kept, b)
		}
		clear(blocks[len(kept):])
		m.blocks[t] = kept
	}
}

// destroy releases every block.
func (m *memory) destroy() {
	m.mu.Lock()
	defer m.mu.Unlock()
	for t, blocks := range m.blocks {
		for _, b := range blocks {
			m.release(b)
		}
		delete(m.blocks, t)
	}
}

func (m *memory) stats() MemoryStats {
	m.mu.Lock()
	defer m.mu.Unlock()
	return MemoryStats{Buffers: m.buffers, Used: m.used, Allocations: m.count, Allocated: m.allocated}
}
