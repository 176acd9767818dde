package cpuref

// foldTile folds scan positions [p, end) of each line, at most a tile, into tile.
// The aggregates of the runs go to runs: group by group, line by line, 16 each.
// Twin: shaders/scan_tiles_*.
func (w *walker[E, S]) foldTile(p, end int64, runs, tile []S) {
	for c := range w.width {
		tile[c] = w.identity
	}
	for ; p < end; p += groupSize {
		count := min(groupSize, end-p)
		w.load(p, count)
		for c := range w.width {
			in, _ := w.line(c, count)
			tile[c] = w.combine(tile[c], w.foldGroup(in, runs))
			runs = runs[radix:]
		}
	}
}

// foldGroup is the aggregate of up to 16 runs, and theirs.
func (op *operator[E, S]) foldGroup(group []E, runs []S) S {
	folded := op.identity
	for i := 0; len(group) > 0; i++ {
		n := min(radix, len(group))
		runs[i] = op.aggregate(group[:n])
		folded = op.combine(folded, runs[i])
		group = group[n:]
	}
	return folded
}
