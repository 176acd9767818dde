package plan

import "vkops/tensor"

// maxBlocksPerItem bounds the blocks of rows that a lane walks. To start a workgroup costs a
// CPU as much as 16 quads; short rows have blocks of up to 15, far below maxLoops.
const maxBlocksPerItem = 256

// maxConstantLength bounds the lengths of rows that are constants of their pipelines.
const maxConstantLength = 64

// blockRows plans rows that are short, or no whole quads, as blocks: the fewest whole rows
// that are whole quads, too, so that rows of any length are loaded and stored as vectors.
// It gives how many of the rows it has planned; the others are few, or all of them where
// blocks do not apply.
func (s *scanner) blockRows(v tensor.View, o, outers int64) int64 {
	perBlock := rowsPerBlock(v.N)
	blocks, most := outers/perBlock, int64(maxBlocksPerItem)
	j := job{size: s.laneSize()}
	switch {
	case s.plan.Strategy != Lane || s.planSet != nil || v.Inner > 1 || outers < s.manyItems():
		return 0
	case v.N <= radix: // a run each
		j.kernel = s.elements("scan_lines_lane")
		j.spec = []NameValue{{"row_length", uint32(v.N)}, {"block_quads", uint32(perBlock * v.N / 4)}}
	case v.N <= maxConstantLength || perBlock > 1:
		j.kernel = s.elements("scan_streams_lane")
		j.spec = []NameValue{{"rows_together", uint32(perBlock)}}
		if v.N <= maxConstantLength {
			j.spec = append(j.spec, NameValue{"row_length", uint32(v.N)})
		}
		j.push = []pushValue{{"n", v.N}}
		most = min(most, maxLoops/(perBlock*(v.N/4*5+v.N/radix+v.N/group+4)))
		if blocks < s.manyItems() || most == 0 {
			return 0
		}
	default:
		return 0
	}
	rows := blocks * perBlock
	w := s.window(v, o, rows, 0, v.N, false)
	source, sourceBase := s.bind(w.source)
	result, resultBase := s.bind(w.result)
	if sourceBase%4 != 0 || resultBase%4 != 0 || !s.seesVectors(source) {
		return 0
	}
	size := int64(j.size)
	perItem := max(1, min(most, blocks/size/manyItems))
	j.items = ceilDiv(blocks, perItem*size) * size
	j.spec = append(j.spec, NameValue{"vector_access", 1})
	if s.reverse {
		j.spec = append(j.spec, NameValue{"reverse_scan", 1})
	}
	if s.exclusive {
		j.spec = append(j.spec, NameValue{"exclusive_scan", 1})
	}
	j.push = append(j.push, pushValue{"blocks", blocks}, pushValue{"blocks_per_item", perItem},
		pushValue{"source_base", sourceBase}, pushValue{"result_base", resultBase})
	j.bind = []NamedRef{{"source", source}, {"result", result}}
	j.traffic = 2 * rows * v.N * int64(s.dtype.Size())
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
