//go:build linux && cgo

package gpu

/*
#include "shim.h"
*/
import "C"

import (
	"fmt"
	"math"
	"strings"
	"unsafe"

	vk "github.com/vulkan-go/vulkan"
)

// physical is a device of an instance, described but not opened.
type physical struct {
	handle       vk.PhysicalDevice
	info         Info
	c            C.vkops_physical
	api          uint32
	cacheUUID    [16]byte
	memoryTypes  []memoryType
	heapSizes    []int64
	maxAllocates uint32
}

// Devices lists the Vulkan devices of this machine in Vulkan's order, software
// devices included. Without a loader or a driver it is [ErrNoDevice].
func Devices() ([]Info, error) {
	in, err := newInstance(false, nil)
	if err != nil {
		return nil, err
	}
	defer in.destroy()
	all, err := in.describeAll()
	return infosOf(all), err
}

func infosOf(all []*physical) []Info {
	infos := make([]Info, len(all))
	for i, p := range all {
		infos[i] = p.info
	}
	return infos
}

func (in *instance) describeAll() ([]*physical, error) {
	handles, err := in.physicalDevices()
	if err != nil {
		return nil, err
	}
	all := make([]*physical, len(handles))
	for i, handle := range handles {
		if all[i], err = in.describe(i, handle); err != nil {
			return nil, err
		}
	}
	return all, nil
}

func (in *instance) describe(index int, handle vk.PhysicalDevice) (*physical, error) {
	p := &physical{handle: handle}
	var properties vk.PhysicalDeviceProperties
	vk.GetPhysicalDeviceProperties(handle, &properties)
	properties.Deref()
	properties.Limits.Deref()
	defer properties.Free()
	p.api = properties.ApiVersion
	p.cacheUUID = properties.PipelineCacheUUID
	p.info = Info{
		Index:    index,
		Name:     vk.ToString(properties.DeviceName[:]),
		Type:     DeviceType(properties.DeviceType),
		VendorID: properties.VendorID,
		DeviceID: properties.DeviceID,
		API:      versionString(properties.ApiVersion),
		Driver:   fmt.Sprintf("version %#x", properties.DriverVersion),
	}
	p.describeMemory()
	p.describeLimits(&properties.Limits)
	if !p.vulkan11() {
		return p, nil
	}
	status := C.vkops_query_physical(in.getProc, in.c.instance, *(*C.VkPhysicalDevice)(unsafe.Pointer(&handle)),
		in.faults.mask(C.VKOPS_CALL_vkEnumerateDeviceExtensionProperties), &p.c)
	if err := shimError(status); err != nil {
		return nil, fmt.Errorf("gpu: %s: %w", p.info.Name, err)
	}
	p.describeExtended()
	return p, nil
}

// vulkan11 says whether the device has the core calls that this package uses.
func (p *physical) vulkan11() bool { return p.api >= vk.MakeVersion(1, 1, 0) }

func (p *physical) describeLimits(l *vk.PhysicalDeviceLimits) {
	var largest int64
	for _, size := range p.heapSizes {
		largest = max(largest, size)
	}
	p.maxAllocates = l.MaxMemoryAllocationCount
	p.info.Caps = Caps{
		MaxGroups:         l.MaxComputeWorkGroupCount,
		MaxGroupSize:      l.MaxComputeWorkGroupSize,
		MaxInvocations:    l.MaxComputeWorkGroupInvocations,
		SharedMemory:      l.MaxComputeSharedMemorySize,
		MaxRange:          uint64(l.MaxStorageBufferRange),
		OffsetAlignment:   uint64(l.MinStorageBufferOffsetAlignment),
		MaxTexelElements:  uint64(l.MaxTexelBufferElements),
		TexelAlignment:    uint64(l.MinTexelBufferOffsetAlignment),
		NonCoherentAtom:   uint64(l.NonCoherentAtomSize),
		MaxPush:           l.MaxPushConstantsSize,
		MaxStorageBuffers: min(l.MaxPerStageDescriptorStorageBuffers, C.VKOPS_MAX_BINDINGS),
		TimestampPeriod:   float64(l.TimestampPeriod),
		MaxAllocation:     uint64(largest),
		MaxBuffer:         uint64(largest),
		Unified:           unified(p.memoryTypes),
	}
}

func (p *physical) describeExtended() {
	p.info.UUID = *(*[16]byte)(unsafe.Pointer(&p.c.uuid))
	name, info := C.GoString(&p.c.driver_name[0]), C.GoString(&p.c.driver_info[0])
	if name != "" {
		p.info.Driver = strings.TrimSpace(name + " " + info)
	}
	c := &p.info.Caps
	c.SubgroupSize = uint32(p.c.subgroup_size)
	c.MinSubgroupSize = uint32(p.c.min_subgroup_size)
	c.MaxSubgroupSize = uint32(p.c.max_subgroup_size)
	c.SubgroupSizeControl = p.c.size_control != 0
	if p.c.max_allocation > 0 {
		c.MaxAllocation = min(c.MaxAllocation, uint64(p.c.max_allocation))
	}
	c.MaxBuffer = c.MaxAllocation
	if p.c.max_buffer > 0 {
		c.MaxBuffer = min(c.MaxBuffer, uint64(p.c.max_buffer))
	}
	c.ImportAlignment = uint64(p.c.import_alignment)
	c.TimestampBits = uint32(p.c.timestamp_bits)
	c.Float64 = p.c.float64 != 0
	c.Int64 = p.c.int64 != 0
	c.Int16 = p.c.int16 != 0
	c.Storage16 = p.c.storage16 != 0
	for i, controls := range []*FloatControls{&c.Float16Controls, &c.Float32Controls, &c.Float64Controls} {
		controls.RoundTiesToEven = p.c.round_to_even[i] != 0
		controls.PreserveSpecials = p.c.preserve_specials[i] != 0
		controls.PreserveDenormals = p.c.preserve_denormals[i] != 0
	}
}

func (p *physical) describeMemory() {
	var memory vk.PhysicalDeviceMemoryProperties
	vk.GetPhysicalDeviceMemoryProperties(p.handle, &memory)
	memory.Deref()
	defer memory.Free()
	for i := range memory.MemoryTypeCount {
		t := &memory.MemoryTypes[i]
		t.Deref()
		p.memoryTypes = append(p.memoryTypes, memoryType{memoryFlags(t.PropertyFlags), int(t.HeapIndex)})
	}
	for i := range memory.MemoryHeapCount {
		h := &memory.MemoryHeaps[i]
		h.Deref()
		p.heapSizes = append(p.heapSizes, int64(min(uint64(h.Size), math.MaxInt64)))
	}
}
