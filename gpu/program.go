//go:build linux && cgo

package gpu

/*
#include "shim.h"
*/
import "C"

import (
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"unsafe"

	vk "github.com/vulkan-go/vulkan"
)

// Program is a recorded list of dispatches, copies and fills that can be
// submitted any number of times. Operations may overlap and reorder unless a
// Barrier stands between them; a program as a whole runs after every earlier
// submission and is over before the host's reads that follow a Wait. It keeps
// the buffers it uses alive until Reset or Free.
//
// The recording methods report nothing: the first error comes from End.
type Program struct {
	device *Device
	// How many waits are to sleep at once, and were after the latest that asked in
	// vain: see pollFor.
	unpolled, backoff atomic.Int32

	mu       sync.Mutex
	words    []uint64
	buffers  []*Buffer
	held     map[*Buffer]struct{} // the buffers, once they are many
	used     []*Pipeline
	err      error
	ended    bool
	freed    bool
	last     uint64 // sequence number of the latest submission, 0 for none
	sets     int
	bindings int
	texels   int // of the bindings, those of texels
	views    map[texelView]uint64
	queries  int

	commandPool    uint64
	commands       C.VkCommandBuffer
	descriptorPool uint64
	poolSets       int
	poolBindings   int
	poolTexels     int
	queryPool      uint64
	poolQueries    int
}

// NewProgram makes an empty program. Errors are [ErrClosed], [ErrDeviceLost] and
// [ErrOutOfMemory].
func (d *Device) NewProgram() (*Program, error) {
	if err := d.enter(); err != nil {
		return nil, err
	}
	defer d.leave()
	p := &Program{device: d}
	var pool vk.CommandPool
	err := d.faults.check("vkCreateCommandPool", func() int32 {
		info := vk.CommandPoolCreateInfo{SType: vk.StructureTypeCommandPoolCreateInfo,
			QueueFamilyIndex: uint32(d.physical.c.queue_family)}
		defer info.Free()
		return int32(vk.CreateCommandPool(d.handle, &info, nil, &pool))
	})
	if err != nil {
		return nil, fmt.Errorf("gpu: program: %w", d.failed(err))
	}
	p.commandPool = handleBits(pool)
	status := C.vkops_allocate_command_buffer(d.c, C.uint64_t(p.commandPool),
		d.faults.mask(C.VKOPS_CALL_vkAllocateCommandBuffers), &p.commands)
	if err := shimError(status); err != nil {
		p.destroyPools()
		return nil, fmt.Errorf("gpu: program: %w", d.failed(err))
	}
	d.programs.add(p)
	return p, nil
}

// record adds an operation unless an earlier one failed. check returns what is
// wrong with it.
func (p *Program) record(check func() error) {
	// Before p.mu, as everywhere: Close waits for those inside and keeps others out.
	entered := p.device.enter()
	if entered == nil {
		defer p.device.leave()
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	switch {
	case p.err != nil:
	case entered != nil:
		p.err = entered
	case p.freed:
		p.err = fmt.Errorf("gpu: program %w", ErrClosed)
	case p.ended:
		p.err = invalid("program recorded after End without Reset")
	default:
		p.err = check()
	}
}

// Dispatch runs groups workgroups of a pipeline. push is exactly the pipeline's
// push constants and bind exactly its bindings in any order.
func (p *Program) Dispatch(pipeline *Pipeline, groups [3]uint32, push []byte, bind ...Binding) {
	p.record(func() error {
		if pipeline == nil || pipeline.device != p.device {
			return invalid("dispatch of a pipeline of another device")
		}
		if err := p.checkDispatch(pipeline, groups, push, bind); err != nil {
			return fmt.Errorf("%w (dispatch of %s)", err, pipeline.desc.Name)
		}
		if !slices.Contains(p.used, pipeline) {
			if err := pipeline.acquire(); err != nil {
				return err
			}
			p.used = append(p.used, pipeline)
		}
		for _, b := range bind {
			if err := p.use(b.Buffer); err != nil {
				return err
			}
		}
		views, err := p.viewsOf(pipeline, bind)
		if err != nil {
			return err
		}
		p.words = append(p.words, C.VKOPS_DISPATCH, pipeline.handle, pipeline.layout, pipeline.setLayout,
			uint64(groups[0])|uint64(groups[1])<<32, uint64(groups[2])|uint64(len(push))<<32, uint64(len(bind)))
		p.appendBytes(push)
		for i, b := range bind {
			p.words = append(p.words, uint64(b.Index), b.Buffer.handle, uint64(b.Offset), uint64(b.Size), views[i])
			if views[i] != 0 {
				p.texels++
			}
		}
		if len(bind) > 0 {
			p.sets++
			p.bindings += len(bind)
		}
		return nil
	})
}

func (p *Program) checkDispatch(pipeline *Pipeline, groups [3]uint32, push []byte, bind []Binding) error {
	caps := &p.device.info.Caps
	for i, n := range groups {
		if n > caps.MaxGroups[i] {
			return unsupported("%v workgroups, the limit is %v", groups, caps.MaxGroups)
		}
	}
	if len(push) != int(pipeline.desc.PushBytes) {
		return invalid("%d bytes of push constants instead of %d", len(push), pipeline.desc.PushBytes)
	}
	if len(bind) != len(pipeline.desc.Bindings) {
		return invalid("%d bindings instead of %d", len(bind), len(pipeline.desc.Bindings))
	}
	for i, b := range bind {
		desc, ok := pipeline.binding(b.Index)
		if !ok {
			return invalid("the pipeline has no binding %d", b.Index)
		}
		for _, other := range bind[:i] {
			if other.Index == b.Index {
				return invalid("binding %d given twice", b.Index)
			}
		}
		if err := p.checkRange(b.Buffer, b.Offset, b.Size, bufferUnit); err != nil {
			return fmt.Errorf("binding %d: %w", b.Index, err)
		}
		if b.Size == 0 {
			return invalid("binding %d is empty", b.Index)
		}
		alignment := caps.OffsetAlignment
		if desc.TexelBytes != 0 {
			alignment = max(caps.TexelAlignment, uint64(desc.TexelBytes))
		}
		if uint64(b.Offset)%alignment != 0 {
			return invalid("binding %d: offset %d is no multiple of %d", b.Index, b.Offset, alignment)
		}
		if desc.TexelBytes == 0 && uint64(b.Size) > caps.MaxRange {
			return unsupported("binding %d: %d bytes, the limit is %d", b.Index, b.Size, caps.MaxRange)
		}
	}
	return nil
}

// checkRange says whether a part lies in a buffer whose size counts in units.
func (p *Program) checkRange(b *Buffer, offset, size, unit int64) error {
	if b == nil || b.device != p.device {
		return invalid("buffer of another device")
	}
	if limit := roundUp(b.size, unit); offset < 0 || size < 0 || offset > limit-size {
		return invalid("%d bytes at %d of a buffer of %d", size, offset, b.size)
	}
	return nil
}

// use keeps a buffer alive until Reset or Free.
func (p *Program) use(b *Buffer) error {
	if p.holds(b) {
		return nil
	}
	if err := b.retain(); err != nil {
		return err
	}
	p.buffers = append(p.buffers, b)
	switch {
	case p.held != nil:
		p.held[b] = struct{}{}
	case len(p.buffers) > fewBuffers:
		p.held = map[*Buffer]struct{}{}
		for _, b := range p.buffers {
			p.held[b] = struct{}{}
		}
	}
	return nil
}

// fewBuffers is up to how many a search costs less than a map: models of many nodes
// have a buffer or more for each.
const fewBuffers = 64

func (p *Program) holds(b *Buffer) bool {
	if p.held == nil {
		return slices.Contains(p.buffers, b)
	}
	_, held := p.held[b]
	return held
}

// appendBytes adds bytes padded to whole words.
func (p *Program) appendBytes(b []byte) {
	start := len(p.words)
	for range (len(b) + 7) / 8 {
		p.words = append(p.words, 0)
	}
	if len(b) > 0 {
		copy(unsafe.Slice((*byte)(unsafe.Pointer(&p.words[start])), 8*(len(p.words)-start)), b)
	}
}

// Barrier makes what the operations before it wrote visible to those after it.
func (p *Program) Barrier() {
	p.record(func() error {
		p.words = append(p.words, C.VKOPS_BARRIER)
		return nil
	})
}

// Fill sets size bytes to a repeated word; off and size are multiples of 4, and
// the part may reach into the padding that Binding allows.
func (p *Program) Fill(dst *Buffer, off, size int64, word uint32) {
	p.record(func() error {
		if off%4 != 0 || size%4 != 0 {
			return invalid("fill of %d bytes at %d: not multiples of 4", size, off)
		}
		if err := p.checkRange(dst, off, size, bufferUnit); err != nil || size == 0 {
			return err
		}
		if err := p.use(dst); err != nil {
			return err
		}
		p.words = append(p.words, C.VKOPS_FILL, dst.handle, uint64(off), uint64(size), uint64(word))
		return nil
	})
}

// Timestamp notes the time when everything before it has finished. Its index in
// what Timestamps returns is the result.
func (p *Program) Timestamp() int {
	var index int
	p.record(func() error {
		if p.device.info.Caps.TimestampBits == 0 {
			return unsupported("timestamps")
		}
		index = p.queries
		p.queries++
		p.words = append(p.words, C.VKOPS_TIMESTAMP, uint64(index))
		return nil
	})
	return index
}
