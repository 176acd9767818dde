package gpu

import "sort"

// memoryFlags are VkMemoryPropertyFlags.
type memoryFlags uint32

const (
	deviceLocal memoryFlags = 1 << iota
	hostVisible
	hostCoherent
	hostCached
	// usableFlags are all that an ordinary type may have; protected, lazily
	// allocated and vendors' uncached types have others.
	usableFlags = deviceLocal | hostVisible | hostCoherent | hostCached
)

// memoryType is a VkMemoryType.
type memoryType struct {
	flags memoryFlags
	heap  int
}

// unified says whether device-local memory can be read by the host at full
// speed. A visible but uncached type does not count: on a discrete device each
// read would cross the bus.
func unified(types []memoryType) bool {
	for _, t := range types {
		if t.flags&^usableFlags == 0 && t.flags&unifiedFlags == unifiedFlags {
			return true
		}
	}
	return false
}

const unifiedFlags = deviceLocal | hostVisible | hostCached

// rankMemoryTypes lists the types fit for a purpose, best first, and among
// equals in the device's order, which puts faster ones first.
func rankMemoryTypes(types []memoryType, purpose Memory) []int {
	var ranked []int
	score := func(i int) int { return memoryScore(types[i].flags, purpose, unified(types)) }
	for i, t := range types {
		if t.flags&^usableFlags == 0 && score(i) >= 0 {
			ranked = append(ranked, i)
		}
	}
	sort.SliceStable(ranked, func(a, b int) bool { return score(ranked[a]) > score(ranked[b]) })
	return ranked
}

// memoryScore is negative for a type unfit for the purpose.
func memoryScore(flags memoryFlags, purpose Memory, unified bool) int {
	score := 0
	add := func(condition bool, points int) {
		if condition {
			score += points
		}
	}
	if unified {
		// One kind of memory serves every purpose.
		add(flags&unifiedFlags == unifiedFlags, 16)
	}
	switch purpose {
	case DeviceMemory:
		// A buffer that could lie in another type after all would not be mapped.
		if flags&deviceLocal == 0 || unified && flags&unifiedFlags != unifiedFlags {
			return -1
		}
		// The visible part of a discrete device's memory may be small.
		add(flags&hostVisible == 0, 4)
	default:
		if flags&hostVisible == 0 {
			return -1
		}
		// Writes combine in uncached memory, reads need the cache.
		add(flags&hostCached != 0 == (purpose == DownloadMemory), 4)
		add(flags&deviceLocal == 0, 2)
	}
	add(flags&hostCoherent != 0, 1)
	return score
}
