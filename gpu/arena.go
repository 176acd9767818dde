package gpu

import "sort"

// granule is the unit of sub-allocation: no smaller part of memory is shared,
// so that flushes, which round to at most 256 bytes, and host views of one
// buffer never touch another.
const granule = 256

// span is a part of a block of memory.
type span struct{ offset, size int64 }

// arena hands out parts of a block. Sizes are multiples of granule and offsets
// are congruent to skew modulo granule.
type arena struct {
	size, skew int64
	free       []span // by offset, never adjacent
}

func newArena(size, skew int64) *arena {
	usable := (size - skew) / granule * granule
	return &arena{size: usable, skew: skew, free: []span{{skew, usable}}}
}

// take finds the first free part of a size at an alignment (a power of two). A
// skewed block cannot serve alignments that its skew is no multiple of.
func (a *arena) take(size, alignment int64) (int64, bool) {
	if a.skew%alignment != 0 {
		return 0, false
	}
	for i, s := range a.free {
		offset := s.offset
		if alignment > granule {
			offset = roundUp(offset, alignment)
		}
		if offset+size > s.offset+s.size {
			continue
		}
		before, after := span{s.offset, offset - s.offset}, span{offset + size, s.offset + s.size - offset - size}
		switch {
		case before.size > 0 && after.size > 0:
			a.free = append(a.free, span{})
			copy(a.free[i+2:], a.free[i+1:])
			a.free[i], a.free[i+1] = before, after
		case before.size > 0:
			a.free[i] = before
		case after.size > 0:
			a.free[i] = after
		default:
			a.free = append(a.free[:i], a.free[i+1:]...)
		}
		return offset, true
	}
	return 0, false
}

// put gives a part back.
func (a *arena) put(offset, size int64) {
	i := sort.Search(len(a.free), func(i int) bool { return a.free[i].offset > offset })
	a.free = append(a.free, span{})
	copy(a.free[i+1:], a.free[i:])
	a.free[i] = span{offset, size}
	if i+1 < len(a.free) && offset+size == a.free[i+1].offset {
		a.free[i].size += a.free[i+1].size
		a.free = append(a.free[:i+1], a.free[i+2:]...)
	}
	if i > 0 && a.free[i-1].offset+a.free[i-1].size == offset {
		a.free[i-1].size += a.free[i].size
		a.free = append(a.free[:i], a.free[i+1:]...)
	}
}

// empty says whether everything is free.
func (a *arena) empty() bool { return len(a.free) == 1 && a.free[0].size == a.size }

// roundUp is the next multiple of unit, a power of two.
func roundUp(n, unit int64) int64 { return (n + unit - 1) &^ (unit - 1) }

// atomRange widens a range to whole atoms (a power of two), clipped to the
// block, whose end is a valid end too.
func atomRange(offset, size, atom, blockSize int64) (int64, int64) {
	start := offset &^ (atom - 1)
	end := min(roundUp(offset+size, atom), blockSize)
	return start, end - start
}
