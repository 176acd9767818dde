package plan

// elementJob is what the passes over elements have in common.
func (s *scanner) elementJob(set *scanSet, w *scanWindow, kernel string, walk walk) job {
	nodes := w.nodes(walk.leaf)
	j := job{
		kernel: s.elements(kernel + walk.form.suffix()),
		size:   s.laneSize(),
		items:  set.outers * ceilDiv(nodes, walk.perItem),
		push: []pushValue{
			{"n", w.n}, {"inner", set.inner}, {"tiles", nodes}, {"tiles_per_item", walk.perItem},
			{"first_tile", w.first / walk.leaf}, {"line_tiles", set.nodes(walk.leaf)},
		},
	}
	runs := tile / radix // of a workgroup
	switch walk.form {
	case columnForm:
		columns, atOnce := s.columnBlock(set)
		j.items *= ceilDiv(set.inner, columns)
		j.spec = append(j.spec, NameValue{"block_columns", uint32(columns)}, NameValue{"whole_blocks", flag(set.inner%columns == 0)})
		if atOnce > 1 {
			j.spec = append(j.spec, NameValue{"rows_at_once", uint32(atOnce)})
		}
	case stripForm:
		j.items *= set.inner / s.columnsPerLane()
		j.spec = append(j.spec, NameValue{"stretch", uint32(walk.leaf)})
	case lineForm:
		lines := s.linesPerGroup(set)
		j.items = ceilDiv(set.lines(), lines)
		j.push = append(j.push, pushValue{"lines", set.lines()}, pushValue{"lines_per_item", lines})
		runs = int(lines * ceilDiv(set.n, radix))
	}
	if walk.form.shares() {
		room := s.roomForRuns(runs)
		j.size, j.shared = min(s.sharedSize(), room), true
		j.spec = append(j.spec, NameValue{"tile_runs", room})
	}
	if s.reverse {
		j.spec = append(j.spec, NameValue{"reverse_scan", 1})
	}
	return j
}

// roomForRuns is how many runs a workgroup has room for: a power of two, but not so
// few that a subgroup is not full.
func (s *scanner) roomForRuns(runs int) uint32 {
	room := s.atMostInvocations(max(1, s.lim.Caps.SubgroupSize))
	for int(room) < runs {
		room *= 2
	}
	return min(room, tile/radix)
}

// columnBlock is how many neighbouring columns a lane walks side by side, and how many
// rows it loads at once: few columns all together, in so many rows that these are whole
// quads.
func (s *scanner) columnBlock(set *scanSet) (columns, rows int64) {
	rows = rowsPerBlock(set.inner)
	most := 128 / int64(s.dtype.Size()) // elements; more take seconds to compile
	fits := set.inner <= maxSideBySide && rows*set.inner <= min(most, 32) && set.n%rows == 0
	busy := set.outers*set.nodes(tile) >= 2*int64(s.laneSize())
	if s.lim.SoftwareDevice && s.planSet == nil && len(set.windows) == 1 && fits && busy && s.startsAligned(&set.windows[0]) {
		return set.inner, rows
	}
	return s.blockColumns(set), 1
}

// startsAligned reports whether a window's first element starts a quad.
func (s *scanner) startsAligned(w *scanWindow) bool {
	_, source := s.bind(w.source)
	_, result := s.bind(w.result)
	return source%4 == 0 && result%4 == 0
}

// blockColumns is how many neighbouring columns a lane walks side by side. On CPUs
// the stretch of a row that a subgroup touches at once should be long, since each
// row is a new page and cache line: on lavapipe [4096, 4096] float32 took 150 ms
// with 1 column, 39 with 16. Larger blocks take seconds to compile.
func (s *scanner) blockColumns(set *scanSet) int64 {
	least := int64(1)
	if s.dtype.Size() == 2 {
		least = 2
	}
	if !s.lim.SoftwareDevice {
		return least
	}
	lanes := int64(s.laneSize())
	for columns := min(16, 64/int64(s.dtype.Size())); columns > least; columns /= 2 {
		items := set.outers * set.nodes(tile) * ceilDiv(set.inner, columns)
		if set.inner >= columns*lanes/2 && items >= manyItems || set.inner >= columns && items >= 2*manyItems {
			return columns
		}
	}
	return least
}

// rowsAhead is how many rows before its use a lane has a row of its block fetched. Where
// the rows of a block lie apart no hardware does that: on lavapipe [4096, 4096] float32
// took 74 ms without, 38 ms with 4 to 8 rows ahead, 44 with 16.
func (s *scanner) rowsAhead(set *scanSet, walk walk) []NameValue {
	if walk.form != columnForm || !s.lim.SoftwareDevice || set.inner*int64(s.dtype.Size()) < farApart {
		return nil
	}
	return []NameValue{{"rows_ahead", 8}}
}

// farApart is how many bytes lie between rows that no hardware fetches ahead.
const farApart = 2048

// leaves plans the first pass over a window: the aggregates of its leaves.
func (s *scanner) leaves(set *scanSet, w *scanWindow, walk walk, t *tree) {
	walk.perItem = 1
	j := s.elementJob(set, w, "scan_tiles", walk)
	j.spec = append(j.spec, s.rowsAhead(set, walk)...)
	source, base := s.bind(w.source)
	j.push = append(j.push, pushValue{"source_base", base}, pushValue{"result_base", 0})
	j.spec = s.vectors(j.spec, set, w, walk, base)
	j.bind = []NamedRef{{"source", source}, t.ref}
	j.traffic = s.elementBytes(set, w) + set.lines()*w.nodes(walk.leaf)*s.stateBytes
	s.dispatch(j)
}

// outputs plans the last pass over a window. Without a tree every walk starts at
// the start of a line.
func (s *scanner) outputs(set *scanSet, w *scanWindow, walk walk, t *tree) {
	kernel := "scan_outputs"
	short := walk.form == columnForm && walk.onePass && w.n <= radix // a run each
	if walk.form == lineForm || short {
		kernel = "scan_lines"
	}
	j := s.outputJob(set, w, kernel, walk)
	if kernel == "scan_outputs" {
		j.spec = append(j.spec, NameValue{"carried", flag(t != nil)})
	}
	switch {
	case short:
		s.shortColumns(&j)
	case walk.form == laneForm:
		s.lines(&j, set, w, walk)
	}
	if t != nil {
		j.bind = append(j.bind, t.ref)
		j.traffic += set.lines() * w.nodes(walk.leaf) * s.stateBytes
	} else {
		j.bind = append(j.bind, NamedRef{"states", j.bind[0].Ref}) // has to be bound, is not read
	}
	s.dispatch(j)
}

// lines gives each lane some lines, one after the other, where it walks them whole: to start
// a workgroup costs a CPU as much as some runs.
func (s *scanner) lines(j *job, set *scanSet, w *scanWindow, walk walk) {
	perItem, size := int64(1), int64(j.size)
	if walk.onePass && s.lim.SoftwareDevice {
		most := maxLoops / (w.n + w.n/radix + w.n/group + 3*walk.perItem + 2)
		perItem = max(1, min(most, maxBlocksPerItem, set.outers/size/manyItems))
		j.items = ceilDiv(set.outers, perItem*size) * size
	}
	j.push = append(j.push, pushValue{"lines", set.outers}, pushValue{"lines_per_item", perItem})
	end := uint32(2)
	switch {
	case w.n%radix == 0:
		end = 0
	case w.n%4 == 0:
		end = 1
	}
	j.spec = append(j.spec, NameValue{"line_end", end})
}

// shortColumns gives each lane some blocks of columns of a run each, one after the other.
func (s *scanner) shortColumns(j *job) {
	perItem, size := int64(1), int64(j.size)
	if s.lim.SoftwareDevice {
		perItem = max(1, min(maxShortBlocks, j.items/size/manyItems))
	}
	j.push = append(j.push, pushValue{"lines", j.items}, pushValue{"lines_per_item", perItem})
	j.items = ceilDiv(j.items, perItem*size) * size
}

// maxShortBlocks bounds the blocks of short columns that a lane walks: with 16 rows of 64
// elements each it stays below maxLoops.
const maxShortBlocks = 32

// outputJob is what passes that read elements and write outputs have in common.
func (s *scanner) outputJob(set *scanSet, w *scanWindow, kernel string, walk walk) job {
	j := s.elementJob(set, w, kernel, walk)
	j.spec = append(j.spec, s.rowsAhead(set, walk)...)
	source, sourceBase := s.bind(w.source)
	result, resultBase := s.bind(w.result)
	j.push = append(j.push, pushValue{"source_base", sourceBase}, pushValue{"result_base", resultBase})
	j.spec = s.vectors(j.spec, set, w, walk, sourceBase, resultBase)
	if s.exclusive {
		j.spec = append(j.spec, NameValue{"exclusive_scan", 1})
	}
	j.bind = []NamedRef{{"source", source}, {"result", result}}
	j.traffic = 2 * s.elementBytes(set, w)
	return j
}

func (s *scanner) elementBytes(set *scanSet, w *scanWindow) int64 {
	return set.lines() * w.n * int64(s.dtype.Size())
}

// vectors sets vector_access for kernels that have it, where all quads of neighbours
// lie at multiples of four elements.
func (s *scanner) vectors(spec []NameValue, set *scanSet, w *scanWindow, walk walk, bases ...int64) []NameValue {
	if walk.form != laneForm && walk.form != columnForm {
		return spec
	}
	aligned := w.n%4 == 0 || set.outers == 1 && !s.reverse
	if set.inner > 1 {
		columns, rows := s.columnBlock(set)
		aligned = set.inner*rows%4 == 0 && columns*rows%4 == 0
	}
	for _, base := range bases {
		aligned = aligned && base%4 == 0
	}
	return append(spec, NameValue{"vector_access", flag(aligned)})
}

// carries plans the way up and down the tree above the tiles.
func (s *scanner) carries(t *tree) {
	top := len(t.nodes) - 1
	for level := range top {
		s.level(t, s.states("scan_fold_lane"), level)
	}
	for level := top; level >= 0; level-- {
		s.level(t, s.states("scan_carries_lane"), level, NameValue{"root", flag(level == top)})
	}
}

func flag(b bool) uint32 {
	if b {
		return 1
	}
	return 0
}
