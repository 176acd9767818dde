package cpuref

// columns is what a walk over neighbouring lines, row by row, keeps of each. Twin:
// shaders/include/scan_columns.glsl.
type columns[E, S any] struct {
	run   []S // aggregates of the run
	group []S // of the group, up to the run
	carry []S // into the run
	state []S // within the run
	spare []E // a row
}

func newColumns[E, S any](width int) columns[E, S] {
	s := make([]S, 4*width)
	return columns[E, S]{s[:width], s[width : 2*width], s[2*width : 3*width], s[3*width:], make([]E, width)}
}

// first are those of the first lines.
func (c *columns[E, S]) first(width int) columns[E, S] {
	return columns[E, S]{c.run[:width], c.group[:width], c.carry[:width], c.state[:width], c.spare[:width]}
}

// foldColumns is foldTile row by row. It leaves the aggregates of the runs only: run by
// run, line by line. Twin: shaders/scan_tiles_columns.comp.
func (w *walker[E, S]) foldColumns(p, end int, states, tile []S) {
	c := &w.columns
	for ; p < end; p += groupSize {
		fill(c.group, w.identity)
		for run := p; run < min(p+groupSize, end); run += radix {
			c.run, states = states[:w.width], states[w.width:]
			at := w.at(run, min(radix, end-run))
			w.rows.fold(nil, w.src, at, c)
		}
		for i, group := range c.group {
			tile[i] = w.combine(tile[i], group)
		}
	}
}

// walkColumns is walkLines row by row. Twin: shaders/scan_outputs_columns.comp.
func (w *walker[E, S]) walkColumns(p, end int, states []S) {
	c, work := &w.columns, w.rows.outputsOf(w.view.N, states != nil)
	for ; p < end; p += groupSize {
		fill(c.group, w.identity)
		for i := range c.carry {
			c.carry[i] = w.odometers[i].next()
		}
		for run := p; run < min(p+groupSize, end); run += radix {
			if states != nil {
				c.run, states = states[:w.width], states[w.width:]
			}
			at := w.at(run, min(radix, end-run))
			if run > 0 || w.operator.first == nil {
				work(w.dst, w.src, at, c)
				continue
			}
			copy(c.spare, w.src[at.start:])
			work(w.dst, w.src, at, c)
			for i, x := range c.spare {
				w.dst[at.start+i] = w.operator.first(x)
			}
		}
		if p+groupSize >= end {
			break
		}
		for i, group := range c.group {
			w.odometers[i].push(w.identity, w.combine, group)
		}
	}
}

// lineByLine is work on a run of each line.
func lineByLine[E, S any](combine func(before, after S) S, work group[E, S]) rows[E, S] {
	return func(dst, src []E, at span, c *columns[E, S]) {
		for i := range c.run {
			work(dst, src, at, c.carry[i], c.run[i:i+1])
			c.group[i], c.carry[i] = combine(c.group[i], c.run[i]), combine(c.carry[i], c.run[i])
			at.start++
		}
	}
}
