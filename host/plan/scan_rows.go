package plan

import "vkops/tensor"

// maxBlocksPerItem bounds the blocks of short rows that a lane walks. A workgroup of a
// CPU costs as much as 4 blocks; a block has up to 15 quads, far below maxLoops.
const maxBlocksPerItem = 256

// shortRows plans rows of up to 16 elements, a run each, as blocks: the fewest whole rows
// that are whole quads, too, so that rows of any length are loaded and stored as vectors.
// It gives how many of the rows it has planned; the others are few, or all of them where
// blocks do not apply.
func (s *scanner) shortRows(v tensor.View, o, outers int64) int64 {
	if s.plan.Strategy != Lane || s.planSet != nil || v.Inner > 1 || v.N > radix || outers < s.manyItems() {
		return 0
	}
	perBlock := rowsPerBlock(v.N)
	blocks := outers / perBlock
	rows := blocks * perBlock
	w := s.window(v, o, rows, 0, v.N, false)
	source, sourceBase := s.bind(w.source)
	result, resultBase := s.bind(w.result)
	size := int64(s.laneSize())
	perItem := min(maxBlocksPerItem, max(1, blocks/size/manyItems))
	j := job{
		kernel: s.elements("scan_lines_lane"), size: uint32(size), items: ceilDiv(blocks, perItem*size) * size,
		spec: []NameValue{{"row_length", uint32(v.N)}, {"block_quads", uint32(perBlock * v.N / 4)}, {"vector_access", 1}},
		push: []pushValue{{"blocks", blocks}, {"blocks_per_item", perItem}, {"source_base", sourceBase}, {"result_base", resultBase}},
		bind: []NamedRef{{"source", source}, {"result", result}}, traffic: 2 * rows * v.N * int64(s.dtype.Size()),
	}
	if sourceBase%4 != 0 || resultBase%4 != 0 || !s.seesVectors(source) {
		return 0
	}
	if s.reverse {
		j.spec = append(j.spec, NameValue{"reverse_scan", 1})
	}
	if s.exclusive {
		j.spec = append(j.spec, NameValue{"exclusive_scan", 1})
	}
	s.dispatch(j)
	return rows
}

// rowsPerBlock is the fewest rows of n elements that are whole quads.
func rowsPerBlock(n int64) int64 {
	switch {
	case n%4 == 0:
		return 1
	case n%2 == 0:
		return 2
	default:
		return 4
	}
}

// seesVectors reports whether the device sees all of a range as vectors of elements.
func (s *scanner) seesVectors(r Ref) bool {
	texel := int64(4 * wordBytes)
	if s.dtype.Size() == 2 {
		texel = 2 * wordBytes
	}
	return uint64(r.Size/texel) <= s.lim.Caps.MaxTexelElements
}
