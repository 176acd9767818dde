package gpu

import "math/bits"

// limit is a value that a driver reported, with what it must be at least.
type limit struct {
	name           string
	value          uint64
	smallest, most uint64 // most 0 for no bound
	power          bool   // of two
}

// check refuses what Vulkan does not allow and this package counts on: a driver
// that says so is broken, and what follows would be, too.
func (c *Caps) check(allocations uint32) error {
	limits := []limit{
		{"maxStorageBufferRange", c.MaxRange, 1 << 27, 0, false},
		{"minStorageBufferOffsetAlignment", c.OffsetAlignment, 1, granule, true},
		{"maxTexelBufferElements", c.MaxTexelElements, 1 << 16, 0, false},
		{"minTexelBufferOffsetAlignment", c.TexelAlignment, 1, granule, true},
		{"nonCoherentAtomSize", c.NonCoherentAtom, 1, granule, true},
		{"maxComputeSharedMemorySize", uint64(c.SharedMemory), 16 << 10, 0, false},
		{"maxPushConstantsSize", uint64(c.MaxPush), 128, 0, false},
		{"maxComputeWorkGroupInvocations", uint64(c.MaxInvocations), 128, 0, false},
		{"maxPerStageDescriptorStorageBuffers", uint64(c.MaxStorageBuffers), 4, 0, false},
		{"maxMemoryAllocationCount", uint64(allocations), 16, 0, false},
		{"maxMemoryAllocationSize or the largest heap", c.MaxAllocation, 1 << 20, 0, false},
		{"maxBufferSize", c.MaxBuffer, 1 << 20, 0, false},
		{"subgroupSize", uint64(c.SubgroupSize), 1, 128, true},
		{"minSubgroupSize", uint64(c.MinSubgroupSize), 1, 128, true},
		{"maxSubgroupSize", uint64(c.MaxSubgroupSize), uint64(c.MinSubgroupSize), 128, true},
	}
	if c.ImportAlignment != 0 {
		limits = append(limits, limit{"minImportedHostPointerAlignment", c.ImportAlignment, 1, 1 << 16, true})
	}
	for i := range 3 {
		limits = append(limits,
			limit{"maxComputeWorkGroupCount", uint64(c.MaxGroups[i]), 1<<16 - 1, 0, false},
			limit{"maxComputeWorkGroupSize", uint64(c.MaxGroupSize[i]), [3]uint64{128, 128, 64}[i], 0, false})
	}
	for _, l := range limits {
		if l.value < l.smallest || l.most > 0 && l.value > l.most || l.power && bits.OnesCount64(l.value) != 1 {
			return unsupported("the driver reports %s as %d, which Vulkan does not allow", l.name, l.value)
		}
	}
	return nil
}
