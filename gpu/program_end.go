//go:build linux && cgo

package gpu

/*
#include "shim.h"
*/
import "C"

import (
	"fmt"

	vk "github.com/vulkan-go/vulkan"
)

// End finishes the recording, so that the program can be submitted. It returns
// the first error of the operations recorded; then only Reset and Free help.
func (p *Program) End() error {
	d := p.device
	if err := d.enter(); err != nil {
		return err
	}
	defer d.leave()
	p.mu.Lock()
	defer p.mu.Unlock()
	switch {
	case p.freed:
		return fmt.Errorf("gpu: program %w", ErrClosed)
	case p.err != nil:
		return p.err
	case p.ended:
		return invalid("End of a program that has ended")
	}
	err := p.growPools()
	if err == nil {
		err = p.encode()
	}
	if err != nil {
		p.err = fmt.Errorf("gpu: program: %w", d.failed(err))
		return p.err
	}
	p.ended = true
	return nil
}

// encode turns the words into the command buffer, in one crossing.
func (p *Program) encode() error {
	d := p.device
	var words *C.uint64_t
	if len(p.words) > 0 {
		words = (*C.uint64_t)(&p.words[0])
	}
	faults := d.faults.mask(C.VKOPS_CALL_vkBeginCommandBuffer, C.VKOPS_CALL_vkEndCommandBuffer)
	if p.sets > 0 {
		faults |= d.faults.mask(C.VKOPS_CALL_vkAllocateDescriptorSets)
	}
	defer d.collectMessages()
	return shimError(C.vkops_record(d.c, p.commands, C.uint64_t(p.descriptorPool), C.uint64_t(p.queryPool),
		C.uint32_t(p.queries), words, C.size_t(len(p.words)), faults))
}

// growPools makes the descriptor and query pools large enough.
func (p *Program) growPools() error {
	d := p.device
	if p.sets > p.poolSets || p.bindings > p.poolBindings || p.texels > p.poolTexels {
		p.destroyDescriptorPool()
		sets, bindings, texels := max(p.sets, 4), max(p.bindings, 16), max(p.texels, 4)
		var pool C.uint64_t
		status := C.vkops_create_descriptor_pool(d.c, C.uint32_t(sets), C.uint32_t(bindings), C.uint32_t(texels),
			d.faults.mask(C.VKOPS_CALL_vkCreateDescriptorPool), &pool)
		if err := shimError(status); err != nil {
			return err
		}
		p.descriptorPool, p.poolSets, p.poolBindings, p.poolTexels = uint64(pool), sets, bindings, texels
	}
	if p.queries > p.poolQueries {
		p.destroyQueryPool()
		var pool vk.QueryPool
		err := d.faults.check("vkCreateQueryPool", func() int32 {
			info := vk.QueryPoolCreateInfo{SType: vk.StructureTypeQueryPoolCreateInfo,
				QueryType: vk.QueryTypeTimestamp, QueryCount: uint32(p.queries)}
			defer info.Free()
			return int32(vk.CreateQueryPool(d.handle, &info, nil, &pool))
		})
		if err != nil {
			return err
		}
		p.queryPool, p.poolQueries = handleBits(pool), p.queries
	}
	return nil
}

// Reset empties the program for a new recording. The error is ErrPending while
// the device still runs it.
func (p *Program) Reset() error {
	d := p.device
	if err := d.enter(); err != nil {
		return err
	}
	defer d.leave()
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.freed {
		return fmt.Errorf("gpu: program %w", ErrClosed)
	}
	if done, err := d.queue.finished(p.last); err != nil {
		return err
	} else if !done {
		return fmt.Errorf("gpu: %w", ErrPending)
	}
	calls := []call{C.VKOPS_CALL_vkResetCommandPool}
	if p.descriptorPool != 0 {
		calls = append(calls, C.VKOPS_CALL_vkResetDescriptorPool)
	}
	status := C.vkops_reset(d.c, C.uint64_t(p.commandPool), C.uint64_t(p.descriptorPool), d.faults.mask(calls...))
	if err := shimError(status); err != nil {
		p.err = fmt.Errorf("gpu: program: %w", d.failed(err))
		return p.err
	}
	p.clear()
	return nil
}

// clear lets go of what was recorded.
func (p *Program) clear() {
	p.destroyViews()
	for i, b := range p.buffers {
		b.drop()
		p.buffers[i] = nil
	}
	for i, pipeline := range p.used {
		pipeline.drop()
		p.used[i] = nil
	}
	p.buffers, p.used, p.words = p.buffers[:0], p.used[:0], p.words[:0]
	p.held, p.err, p.ended = nil, nil, false
	p.sets, p.bindings, p.texels, p.queries = 0, 0, 0, 0
}

// Free gives the program's objects back, after its last submission is done. It
// may be called again and after Close.
func (p *Program) Free() {
	d := p.device
	if err := d.enterAlways(); err != nil {
		return
	}
	defer d.leave()
	p.mu.Lock()
	freed, last := p.freed, p.last
	p.freed = true
	p.mu.Unlock()
	if !freed {
		d.queue.whenDone(last, p)
	}
}

// release destroys a freed program that the device no longer runs.
func (p *Program) release() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.device.programs.remove(p)
	p.clear()
	p.buffers, p.used, p.words = nil, nil, nil // submissions may be kept longer
	p.destroyPools()
}

func (p *Program) destroyPools() {
	p.destroyDescriptorPool()
	p.destroyQueryPool()
	if p.commandPool != 0 {
		vk.DestroyCommandPool(p.device.handle, asHandle[vk.CommandPool](p.commandPool), nil)
		p.commandPool = 0
	}
}

func (p *Program) destroyDescriptorPool() {
	if p.descriptorPool != 0 {
		vk.DestroyDescriptorPool(p.device.handle, asHandle[vk.DescriptorPool](p.descriptorPool), nil)
	}
	p.descriptorPool, p.poolSets, p.poolBindings, p.poolTexels = 0, 0, 0, 0
}

func (p *Program) destroyQueryPool() {
	if p.queryPool != 0 {
		vk.DestroyQueryPool(p.device.handle, asHandle[vk.QueryPool](p.queryPool), nil)
	}
	p.queryPool, p.poolQueries = 0, 0
}

// Timestamps are the times of the latest submission, which must be done, in
// nanoseconds since the first of them. A program that was not submitted is
// [ErrInvalid], one that still runs [ErrPending], a freed one or one of a closed device
// [ErrClosed].
func (p *Program) Timestamps() ([]int64, error) {
	d := p.device
	if err := d.enter(); err != nil {
		return nil, err
	}
	defer d.leave()
	p.mu.Lock()
	defer p.mu.Unlock()
	switch {
	case p.freed:
		return nil, fmt.Errorf("gpu: program %w", ErrClosed)
	case p.last == 0:
		return nil, invalid("timestamps of a program that was not submitted")
	case p.queries == 0:
		return nil, nil
	}
	if done, err := d.queue.finished(p.last); err != nil {
		return nil, err
	} else if !done {
		return nil, fmt.Errorf("gpu: timestamps: %w", ErrPending)
	}
	ticks := make([]uint64, p.queries)
	status := C.vkops_query_results(d.c, C.uint64_t(p.queryPool), C.uint32_t(p.queries), (*C.uint64_t)(&ticks[0]),
		d.faults.mask(C.VKOPS_CALL_vkGetQueryPoolResults))
	if err := shimError(status); err != nil {
		return nil, fmt.Errorf("gpu: timestamps: %w", d.failed(err))
	}
	return tickDurations(ticks, d.info.Caps.TimestampBits, d.info.Caps.TimestampPeriod), nil
}

// abandon destroys the program with its device.
func (p *Program) abandon() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.freed = true
	p.destroyViews()
	p.destroyPools()
}
