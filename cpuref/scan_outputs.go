package cpuref

// walkLines writes the outputs at scan positions [p, end) of each line, from the carries
// that reset gave. states holds what foldTile left there; nil computes it. Twin:
// shaders/scan_outputs_*, scan_lines_workgroup and scan_lookback.
func (w *walker[E, S]) walkLines(p, end int, states []S) {
	if w.isByRows() {
		w.walkColumns(p, end, states)
		return
	}
	work, runs := w.groups.outputsOf(w.view.N, states != nil), w.runs[:]
	for ; p < end; p += groupSize {
		at := w.at(p, min(groupSize, end-p))
		for c := range w.width {
			o := &w.odometers[c]
			if states != nil {
				runs = states[:groupStates]
			}
			x := w.src[at.start]
			group := work(w.dst, w.src, at, o.next(), runs)
			if p == 0 && w.first != nil {
				w.dst[at.start] = w.first(x)
			}
			if states != nil {
				group, states = states[radix], states[groupStates:]
			}
			if p+groupSize < end {
				o.push(w.identity, w.combine, group)
			}
			at.start++
		}
	}
}
