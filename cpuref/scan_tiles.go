package cpuref

// groupStates is how many states foldTile leaves of a group: its runs' and its own.
const groupStates = radix + 1

// foldTile folds scan positions [p, end) of each line, at most a tile, into tile.
// The aggregates of the runs and the groups go to states: group by group, line by
// line. Twin: shaders/scan_tiles_*.
func (w *walker[E, S]) foldTile(p, end int64, states, tile []S) {
	for c := range w.width {
		tile[c] = w.identity
	}
	for ; p < end; p += groupSize {
		count := min(groupSize, end-p)
		w.load(p, count)
		for c := range w.width {
			in, _ := w.line(c, count)
			states[radix] = w.fold(in, states)
			tile[c] = w.combine(tile[c], states[radix])
			states = states[groupStates:]
		}
	}
}
