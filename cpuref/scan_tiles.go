package cpuref

// groupStates is how many states foldTile leaves of a group: its runs' and its own.
const groupStates = radix + 1

// foldTile folds scan positions [p, end) of each line, at most a tile, into tile. The
// aggregates of the runs and the groups go to states: group by group, line by line.
// Twin: shaders/scan_tiles_*.
func (w *walker[E, S]) foldTile(p, end int, states, tile []S) {
	tile = tile[:w.width]
	fill(tile, w.identity)
	if w.isByRows() {
		w.foldColumns(p, end, states, tile)
		return
	}
	for ; p < end; p += groupSize {
		at := w.at(p, min(groupSize, end-p))
		for c := range tile {
			states[radix] = w.groups.fold(nil, w.src, at, w.identity, states)
			tile[c] = w.combine(tile[c], states[radix])
			states = states[groupStates:]
			at.start++
		}
	}
}

func fill[S any](s []S, x S) {
	for i := range s {
		s[i] = x
	}
}
