package cpuref

// walkLines writes the outputs at scan positions [p, end) of each line, from the
// carries that reset gave. runs holds the aggregates of the runs as foldTile left
// them; nil computes them. Twin: shaders/scan_outputs_*, scan_lines_workgroup and
// scan_lookback.
func (w *walker[E, S]) walkLines(p, end int64, runs []S) {
	for ; p < end; p += groupSize {
		count := min(groupSize, end-p)
		w.load(p, count)
		for c := range w.width {
			in, out := w.line(c, count)
			x := in[0]
			o := &w.odometers[c]
			o.push(w.identity, w.combine, w.walkGroup(out, in, o.next(), runs))
			if runs != nil {
				runs = runs[radix:]
			}
			if p == 0 && w.first != nil {
				out[0] = w.first(x)
			}
		}
		w.store(p, count)
	}
}

// walkGroup writes the outputs of up to 16 runs and returns their aggregate.
func (op *operator[E, S]) walkGroup(dst, group []E, carry S, runs []S) S {
	folded := op.identity
	for i := 0; len(group) > 0; i++ {
		n := min(radix, len(group))
		var aggregate S
		if runs == nil {
			aggregate = op.walk(dst[:n], group[:n], carry)
		} else {
			aggregate = runs[i]
			op.outputs(dst[:n], group[:n], carry)
		}
		folded = op.combine(folded, aggregate)
		carry = op.combine(carry, aggregate)
		dst, group = dst[n:], group[n:]
	}
	return folded
}
