//go:build linux && cgo

package gpu

/*
#include "shim.h"
*/
import "C"

import (
	"bytes"
	"fmt"
	"hash/maphash"
	"slices"
	"sync"
	"unsafe"

	vk "github.com/vulkan-go/vulkan"
)

// maxPipelines is how many pipelines a device keeps built: on lavapipe each takes 2 to
// 3 MB. The least recently used one that no program holds goes first; it is built
// again when needed, which takes a third of the time of the first.
const maxPipelines = 128

// Pipeline is a compute pipeline of a device. It stays usable until Close.
type Pipeline struct {
	device *Device
	desc   PipelineDesc
	hash   uint64

	mu        sync.Mutex
	handle    uint64 // 0 while not built
	layout    uint64
	setLayout uint64
	users     int    // programs that have it recorded
	lastUse   uint64 // of pipelines.clock
}

// pipelines are a device's pipelines, found by content.
type pipelines struct {
	device  *Device
	seed    maphash.Seed
	limit   int
	support floatSupport
	cache   uint64 // VkPipelineCache

	mu         sync.Mutex
	byHash     map[uint64][]*Pipeline
	setLayouts map[string]uint64
	layouts    map[string]uint64
	built      map[*Pipeline]struct{}
	clock      uint64
	unsaved    int // built since the disk cache was written
}

func newPipelines(d *Device, p *physical) *pipelines {
	caps := &p.info.Caps
	return &pipelines{device: d, seed: maphash.MakeSeed(), limit: maxPipelines, byHash: map[uint64][]*Pipeline{},
		setLayouts: map[string]uint64{}, layouts: map[string]uint64{}, built: map[*Pipeline]struct{}{},
		support: floatSupport{
			widths: [3]FloatControls{caps.Float16Controls, caps.Float32Controls, caps.Float64Controls},
			denorm: independence(p.c.denorm_independence), rounding: independence(p.c.rounding_independence),
		}}
}

// Name is the name that the description gave.
func (p *Pipeline) Name() string { return p.desc.Name }

// Pipeline builds a compute pipeline, or finds the one built from the same
// description before. The modes for floats that the device offers are declared
// for the widths that the module uses. The SPIR-V must not change afterwards.
// The error is ErrInvalid for a malformed module or description, ErrUnsupported
// for what the device does not offer.
func (d *Device) Pipeline(desc PipelineDesc) (*Pipeline, error) {
	if err := d.enter(); err != nil {
		return nil, err
	}
	defer d.leave()
	p := d.pipelines.find(desc)
	p.mu.Lock()
	err := p.build()
	p.mu.Unlock()
	d.collectMessages()
	if err != nil {
		d.pipelines.forget(p)
		return nil, err
	}
	d.pipelines.saveSometimes()
	return p, nil
}

// find returns the pipeline of a description, perhaps not built yet.
func (c *pipelines) find(desc PipelineDesc) *Pipeline {
	hash := c.hash(desc)
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, p := range c.byHash[hash] {
		if sameDesc(p.desc, desc) {
			return p
		}
	}
	desc.Bindings, desc.Spec = slices.Clone(desc.Bindings), slices.Clone(desc.Spec)
	p := &Pipeline{device: c.device, desc: desc, hash: hash}
	c.byHash[hash] = append(c.byHash[hash], p)
	return p
}

func (c *pipelines) hash(desc PipelineDesc) uint64 {
	var h maphash.Hash
	h.SetSeed(c.seed)
	h.Write(desc.SPIRV)
	for _, b := range desc.Bindings {
		maphash.WriteComparable(&h, b)
	}
	for _, s := range desc.Spec {
		maphash.WriteComparable(&h, s)
	}
	maphash.WriteComparable(&h, [2]uint32{desc.PushBytes, desc.RequireSubgroupSize})
	return h.Sum64()
}

func sameDesc(a, b PipelineDesc) bool {
	return a.PushBytes == b.PushBytes && a.RequireSubgroupSize == b.RequireSubgroupSize &&
		slices.Equal(a.Bindings, b.Bindings) && slices.Equal(a.Spec, b.Spec) && bytes.Equal(a.SPIRV, b.SPIRV)
}

// forget takes a pipeline out of the map, so that it is not found again.
func (c *pipelines) forget(p *Pipeline) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.forgetLocked(p)
}

func (c *pipelines) forgetLocked(p *Pipeline) {
	kept := slices.DeleteFunc(c.byHash[p.hash], func(q *Pipeline) bool { return q == p })
	if len(kept) == 0 {
		delete(c.byHash, p.hash)
		return
	}
	c.byHash[p.hash] = kept
}

// acquire keeps the pipeline built until drop, for a program that records it.
func (p *Pipeline) acquire() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if err := p.build(); err != nil {
		return err
	}
	p.users++
	return nil
}

func (p *Pipeline) drop() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.users--
}

// build makes the Vulkan objects unless they are there; p.mu is held.
func (p *Pipeline) build() error {
	d := p.device
	c := d.pipelines
	if p.handle != 0 {
		p.lastUse = c.tick()
		return nil
	}
	if err := p.check(); err != nil {
		return err
	}
	m, err := parseModule(p.desc.SPIRV)
	if err == nil {
		err = m.checkCapabilities(p.desc.Name, &d.info.Caps)
	}
	if err != nil {
		return err
	}
	if p.setLayout, p.layout, err = c.layout(p.desc.Bindings, p.desc.PushBytes); err != nil {
		return err
	}
	code := m.code(c.support)
	var spec *C.uint32_t
	if len(p.desc.Spec) > 0 {
		spec = (*C.uint32_t)(unsafe.Pointer(&p.desc.Spec[0]))
	}
	var handle C.uint64_t
	status := C.vkops_create_pipeline(d.c, C.uint64_t(c.cache), C.uint64_t(p.layout), unsafe.Pointer(&code[0]),
		C.size_t(4*len(code)), spec, C.uint32_t(len(p.desc.Spec)), C.uint32_t(p.desc.RequireSubgroupSize),
		d.physical.c.full_subgroups, d.faults.mask(C.VKOPS_CALL_vkCreateShaderModule, C.VKOPS_CALL_vkCreateComputePipelines), &handle)
	if err := shimError(status); err != nil {
		return fmt.Errorf("gpu: pipeline %s: %w", p.desc.Name, d.failed(err))
	}
	p.handle = uint64(handle)
	p.lastUse = c.tick()
	c.added(p)
	return nil
}

func (p *Pipeline) check() error {
	caps := &p.device.info.Caps
	indices, storage := map[uint32]bool{}, 0
	for _, b := range p.desc.Bindings {
		indices[b.Index] = true
		if b.TexelBytes == 0 {
			storage++
		}
		if b.TexelBytes != 0 && texelFormats[b.TexelBytes] == 0 {
			return invalid("pipeline %s: binding %d has texels of %d bytes", p.desc.Name, b.Index, b.TexelBytes)
		}
	}
	switch size := p.desc.RequireSubgroupSize; {
	case len(indices) != len(p.desc.Bindings):
		return invalid("pipeline %s: binding given twice in %v", p.desc.Name, p.desc.Bindings)
	case storage > int(caps.MaxStorageBuffers):
		return unsupported("pipeline %s: %d storage buffers, the limit is %d", p.desc.Name, storage, caps.MaxStorageBuffers)
	case len(p.desc.Bindings) > C.VKOPS_MAX_BINDINGS:
		return unsupported("pipeline %s: %d bindings, the limit is %d", p.desc.Name, len(p.desc.Bindings), C.VKOPS_MAX_BINDINGS)
	case p.desc.PushBytes%4 != 0:
		return invalid("pipeline %s: %d bytes of push constants are no multiple of 4", p.desc.Name, p.desc.PushBytes)
	case p.desc.PushBytes > caps.MaxPush:
		return unsupported("pipeline %s: %d bytes of push constants, the limit is %d", p.desc.Name, p.desc.PushBytes, caps.MaxPush)
	case size == 0:
		return nil
	case !caps.SubgroupSizeControl:
		return unsupported("pipeline %s: the device does not let subgroup sizes be chosen", p.desc.Name)
	case size&(size-1) != 0 || size < caps.MinSubgroupSize || size > caps.MaxSubgroupSize:
		return unsupported("pipeline %s: subgroups of %d, the device offers %d to %d", p.desc.Name, size, caps.MinSubgroupSize, caps.MaxSubgroupSize)
	}
	return nil
}

// layout finds or makes the layouts of a list of bindings and a push size.
func (c *pipelines) layout(bindings []BindingDesc, pushBytes uint32) (setLayout, layout uint64, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	d := c.device
	setKey := fmt.Sprint(bindings)
	setLayout, found := c.setLayouts[setKey]
	if !found {
		var first *C.uint32_t
		if len(bindings) > 0 {
			first = (*C.uint32_t)(unsafe.Pointer(&bindings[0]))
		}
		var handle C.uint64_t
		status := C.vkops_create_set_layout(d.c, first, C.uint32_t(len(bindings)),
			d.faults.mask(C.VKOPS_CALL_vkCreateDescriptorSetLayout), &handle)
		if err := shimError(status); err != nil {
			return 0, 0, fmt.Errorf("gpu: %w", d.failed(err))
		}
		setLayout = uint64(handle)
		c.setLayouts[setKey] = setLayout
	}
	key := fmt.Sprint(setKey, pushBytes)
	layout, found = c.layouts[key]
	if !found {
		var handle C.uint64_t
		status := C.vkops_create_pipeline_layout(d.c, C.uint64_t(setLayout), C.uint32_t(pushBytes),
			d.faults.mask(C.VKOPS_CALL_vkCreatePipelineLayout), &handle)
		if err := shimError(status); err != nil {
			return 0, 0, fmt.Errorf("gpu: %w", d.failed(err))
		}
		layout = uint64(handle)
		c.layouts[key] = layout
	}
	return setLayout, layout, nil
}

func (c *pipelines) tick() uint64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.clock++
	return c.clock
}

// added counts a built pipeline and drops the least recently used one if there
// are too many. newest is locked by the caller.
func (c *pipelines) added(newest *Pipeline) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.built[newest] = struct{}{}
	c.unsaved++
	if len(c.built) <= c.limit {
		return
	}
	var oldest *Pipeline
	for p := range c.built {
		if p == newest || !p.mu.TryLock() {
			continue
		}
		if p.users == 0 && (oldest == nil || p.lastUse < oldest.lastUse) {
			p, oldest = oldest, p
		}
		if p != nil {
			p.mu.Unlock()
		}
	}
	if oldest != nil {
		c.forgetLocked(oldest)
		delete(c.built, oldest)
		vk.DestroyPipeline(c.device.handle, asHandle[vk.Pipeline](oldest.handle), nil)
		oldest.handle = 0
		oldest.mu.Unlock()
	}
}

// destroy frees everything; no other call on the device is running.
func (c *pipelines) destroy() {
	d := c.device.handle
	for p := range c.built {
		vk.DestroyPipeline(d, asHandle[vk.Pipeline](p.handle), nil)
	}
	for _, layout := range c.layouts {
		vk.DestroyPipelineLayout(d, asHandle[vk.PipelineLayout](layout), nil)
	}
	for _, layout := range c.setLayouts {
		vk.DestroyDescriptorSetLayout(d, asHandle[vk.DescriptorSetLayout](layout), nil)
	}
	if c.cache != 0 {
		vk.DestroyPipelineCache(d, asHandle[vk.PipelineCache](c.cache), nil)
	}
	c.built, c.layouts, c.setLayouts, c.cache = nil, nil, nil, 0
}
