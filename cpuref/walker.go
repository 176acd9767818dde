package cpuref

// walker holds what one goroutine needs to walk strips.
type walker[E, S any] struct {
	*scan[E, S]
	outer, column, width int64 // of the strip
	odometers            []odometer[S]
	groups               []S
	buffer               []E // a run of each line of the strip, line after line
}

func (s *scan[E, S]) newWalker() *walker[E, S] {
	return &walker[E, S]{
		scan:      s,
		odometers: make([]odometer[S], s.columns),
		groups:    make([]S, s.columns),
		buffer:    make([]E, s.columns*radix),
	}
}

// start moves the walker to a strip.
func (w *walker[E, S]) start(strip int64) {
	perOuter := w.stripsPerOuter()
	w.outer, w.column = strip/perOuter, strip%perOuter*w.columns
	w.width = min(w.columns, w.view.Inner-w.column)
}

// reset gives the lines of the strip their carries: one each, or one for all.
func (w *walker[E, S]) reset(carries ...S) {
	for c := range w.width {
		w.odometers[c].reset(w.depth, w.identity, carries[min(int(c), len(carries)-1)])
	}
}

// index is where scan position p of the strip's first line lies, and by how much
// that moves with p.
func (w *walker[E, S]) index(p int64) (at, step int64) {
	if w.reverse {
		return (w.outer*w.view.N+w.view.N-1-p)*w.view.Inner + w.column, -w.view.Inner
	}
	return (w.outer*w.view.N+p)*w.view.Inner + w.column, w.view.Inner
}

// load gathers count elements of each line from scan position p on.
func (w *walker[E, S]) load(p, count int64) {
	at, step := w.index(p)
	for i := range count {
		row := w.src[at : at+w.width]
		for c, x := range row {
			w.buffer[int64(c)*radix+i] = x
		}
		at += step
	}
}

// store scatters what load gathered.
func (w *walker[E, S]) store(p, count int64) {
	at, step := w.index(p)
	for i := range count {
		row := w.dst[at : at+w.width]
		for c := range row {
			row[c] = w.buffer[int64(c)*radix+i]
		}
		at += step
	}
}

// aggregates folds scan positions [p, end) of each line, at most a tile: into
// runs line by line within each run, and into tile.
func (w *walker[E, S]) aggregates(p, end int64, runs, tile []S) {
	for c := range w.width {
		tile[c], w.groups[c] = w.identity, w.identity
	}
	for i := 1; p < end; i++ {
		count := min(radix, end-p)
		if w.direct {
			at, _ := w.index(p)
			runs[0] = w.aggregate(w.src[at : at+count])
		} else {
			w.load(p, count)
			for c := range w.width {
				runs[c] = w.aggregate(w.buffer[c*radix:][:count])
			}
		}
		p += count
		for c := range w.width {
			w.groups[c] = w.combine(w.groups[c], runs[c])
			if i%radix == 0 || p == end {
				tile[c] = w.combine(tile[c], w.groups[c])
				w.groups[c] = w.identity
			}
		}
		runs = runs[w.columns:]
	}
}

// walkLines writes the outputs at scan positions [p, end) of each line, from the
// carries that reset gave. runs holds the aggregates of the runs as aggregates
// left them; nil computes them.
func (w *walker[E, S]) walkLines(p, end int64, runs []S) {
	for p < end {
		count := min(radix, end-p)
		if w.direct {
			at, _ := w.index(p)
			w.walkRun(0, p, w.dst[at:at+count], w.src[at:at+count], runs)
		} else {
			w.load(p, count)
			for c := range w.width {
				run := w.buffer[c*radix:][:count]
				w.walkRun(c, p, run, run, runs)
			}
			w.store(p, count)
		}
		if p += count; runs != nil {
			runs = runs[w.columns:]
		}
	}
}

func (w *walker[E, S]) walkRun(c, p int64, dst, run []E, runs []S) {
	o := &w.odometers[c]
	x := run[0]
	var aggregate S
	if runs == nil {
		aggregate = w.walk(dst, run, o.next())
	} else {
		w.outputs(dst, run, o.next())
		aggregate = runs[c]
	}
	o.push(w.identity, w.combine, aggregate)
	if p == 0 && w.first != nil {
		dst[0] = w.first(x)
	}
}
