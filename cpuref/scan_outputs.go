package cpuref

// walkLines writes the outputs at scan positions [p, end) of each line, from the
// carries that reset gave. states holds what foldTile left there; nil computes it.
// Twin: shaders/scan_outputs_*, scan_lines_workgroup and scan_lookback.
func (w *walker[E, S]) walkLines(p, end int64, states []S) {
	for ; p < end; p += groupSize {
		count := min(groupSize, end-p)
		w.load(p, count)
		for c := range w.width {
			in, out := w.line(c, count)
			x := in[0]
			o := &w.odometers[c]
			if states != nil {
				w.outputs(out, in, o.next(), states)
				o.push(w.identity, w.combine, states[radix])
				states = states[groupStates:]
			} else {
				o.push(w.identity, w.combine, w.walkGroup(out, in, o.next()))
			}
			if p == 0 && w.first != nil {
				out[0] = w.first(x)
			}
		}
		w.store(p, count)
	}
}

// walkGroup writes the outputs of a group and returns its aggregate.
func (w *walker[E, S]) walkGroup(dst, group []E, carry S) S {
	if w.walk != nil {
		return w.walk(dst, group, carry)
	}
	aggregate := w.fold(group, w.runs[:])
	w.outputs(dst, group, carry, w.runs[:])
	return aggregate
}
