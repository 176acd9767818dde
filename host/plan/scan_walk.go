package plan

// form is how the elements of a set of lines are shared out.
type form int

const (
	// laneForm has each lane walk tiles of a line.
	laneForm form = iota
	// columnForm has each lane walk tiles of a block of neighbouring columns.
	columnForm
	// lineForm has each workgroup take as many short lines as it holds.
	lineForm
	// tileForm has each workgroup take a tile of a line.
	tileForm
	// lookBackForm does, too, and finds its carry in the same pass.
	lookBackForm
	// stripForm has the lanes of a workgroup walk stretches of neighbouring columns.
	stripForm
)

// suffix ends the names of a form's kernels.
func (f form) suffix() string {
	return [...]string{"_lane", "_columns", "_workgroup", "_workgroup", "", "_strips"}[f]
}

// shares reports whether workgroups share blocks of elements.
func (f form) shares() bool { return f == lineForm || f == tileForm || f == lookBackForm }

// walk is how a set of lines is scanned.
type walk struct {
	form form
	// leaf is the number of positions of the tree's lowest nodes that have states: a
	// tile or a group.
	leaf int64
	// perItem is how many leaves one lane walks, one after the other.
	perItem int64
	// onePass says that walks start at the starts of lines, without states.
	onePass bool
}

// pickWalk picks the walk of a set:
//
//	strategy    lines                            walk
//	lane        rows                             laneForm, one pass if there are many
//	lane        columns                          columnForm, likewise
//	other       that fit a workgroup whole,      lineForm, one pass
//	            up to 15 of them side by side
//	lookback    longer rows, not in place,       lookBackForm
//	            not through a staging buffer
//	other       other rows                       tileForm
//	other       other columns                    stripForm, one pass if there are many
//
// Before that blockRows takes what it can. docs/strategies.md says why.
func (s *scanner) pickWalk(set *scanSet) walk {
	switch {
	case s.plan.Strategy == Lane:
		w := walk{form: laneForm, leaf: tile}
		if set.inner > 1 {
			w.form = columnForm
		}
		w.perItem = s.tilesPerItem(set)
		w.onePass = w.perItem == set.nodes(tile)
		return w
	case s.linesPerGroup(set) > 0:
		return walk{form: lineForm, leaf: tile, perItem: 1, onePass: true}
	case set.inner == 1 && s.looksBack(set):
		return walk{form: lookBackForm, leaf: tile, perItem: 1}
	case set.inner == 1:
		return walk{form: tileForm, leaf: tile, perItem: 1}
	default:
		return s.pickStretch(set)
	}
}

// manyItems keeps the threads of a CPU busy, manyLanes those of a GPU.
const (
	manyItems = 128
	manyLanes = 1 << 15
)

// tilesPerItem is how many tiles of a line one lane walks: one, or all where there
// are many lines, since that needs a single pass.
func (s *scanner) tilesPerItem(set *scanSet) int64 {
	if len(set.windows) > 1 || set.nodes(tile) > maxTilesPerItem || set.lines() < s.manyItems() {
		return 1
	}
	return set.nodes(tile)
}

func (s *scanner) manyItems() int64 {
	if s.lim.SoftwareDevice {
		return manyItems
	}
	return manyLanes
}

// maxSideBySide bounds the columns that a workgroup takes whole. In fewer columns the
// neighbours of a subgroup's lanes would be rows far apart; more fill a stretch of
// memory with a single row.
const maxSideBySide = 16

// linesPerGroup is how many whole lines fit a workgroup: 4096 elements in 256 runs; 0
// where none does. Columns go together with all others of their outer index.
func (s *scanner) linesPerGroup(set *scanSet) int64 {
	if len(set.windows) > 1 || set.inner >= maxSideBySide {
		return 0
	}
	lines := min(tile/set.n, tile/radix/ceilDiv(set.n, radix), set.lines())
	return lines / set.inner * set.inner
}

// pickStretch picks how many rows one lane of strips walks: all where there are many
// columns, since that needs a single pass; else a tile, or a group, whatever first
// gives enough lanes.
func (s *scanner) pickStretch(set *scanSet) walk {
	w := walk{form: stripForm, leaf: s.lim.Stretch, perItem: 1}
	perRow := set.lines() / s.columnsPerLane() // lanes
	switch {
	case w.leaf != 0:
	case perRow >= s.manyItems() && len(set.windows) == 1 && set.nodes(tile) <= s.maxTilesPerStrip():
		w.leaf, w.perItem = tile, set.nodes(tile)
	case set.n <= group || perRow*set.nodes(tile) < s.manyItems():
		w.leaf = group
	default:
		w.leaf = tile
	}
	w.onePass = len(set.windows) == 1 && set.nodes(w.leaf) == w.perItem
	return w
}

// columnsPerLane is how many columns a lane of strips has: those of a word.
func (s *scanner) columnsPerLane() int64 { return max(1, wordBytes/int64(s.dtype.Size())) }

// maxTilesPerStrip bounds the tiles that one lane of a strip walks: lavapipe ends all
// loops of an invocation together, and here each run has loops of its own.
func (s *scanner) maxTilesPerStrip() int64 {
	if s.lim.SoftwareDevice {
		return 3
	}
	return maxTilesPerItem
}
