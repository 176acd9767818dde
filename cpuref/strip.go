package cpuref

import "unsafe"

// walker walks strips for one goroutine. A strip is some neighbouring lines, which are
// walked side by side: a group of each at a time, or where they are many row by row, a
// run of each.
type walker[E, S any] struct {
	*scan[E, S]
	outer, column, width int // of the strip
	odometers            []odometer[S]
	runs                 [radix]S      // aggregates within a group
	columns              columns[E, S] // of the strip's lines
	full                 columns[E, S] // of those of a full one
}

// isByRows is whether strips are walked row by row. Where a row is less than a cache line, a
// group of each line stays in the nearest cache, unless a line is too short for a call.
func (s *scan[E, S]) isByRows() bool {
	v := s.view
	return v.Inner*sizeOf[E]() >= 64 || v.Inner >= 4 && v.N <= radix
}

func sizeOf[E any]() int64 {
	var zero E
	return int64(unsafe.Sizeof(zero))
}

// stripLines is how many lines a full strip has. By rows it is a page of each, but less
// where that is too much for threads to share.
func (s *scan[E, S]) stripLines(threads int) int {
	inner := int(s.view.Inner)
	if !s.isByRows() {
		return inner
	}
	const page = 4096
	return min(inner, page/int(sizeOf[E]()), max(64, inner/(4*threads)))
}

func (s *scan[E, S]) newWalker() *walker[E, S] {
	w := &walker[E, S]{scan: s, odometers: newOdometers[S](s.lines, s.depth)}
	if s.isByRows() {
		w.full = newColumns[E, S](s.lines)
	}
	return w
}

// start moves the walker to a strip.
func (w *walker[E, S]) start(strip int) {
	perOuter := w.stripsPerOuter()
	w.outer, w.column = strip/perOuter, strip%perOuter*w.lines
	w.width = min(w.lines, int(w.view.Inner)-w.column)
	if w.isByRows() {
		w.columns = w.full.first(w.width)
	}
}

// reset gives the lines of the strip their carries: one each, or one for all.
func (w *walker[E, S]) reset(carries ...S) {
	for c := range w.width {
		w.odometers[c].reset(w.identity, carries[min(c, len(carries)-1)])
	}
}

// at is where count elements of the strip's first line lie, from scan position p on.
func (w *walker[E, S]) at(p, count int) span {
	n, inner := int(w.view.N), int(w.view.Inner)
	if w.reverse {
		return span{(w.outer*n+n-1-p)*inner + w.column, -inner, count}
	}
	return span{(w.outer*n+p)*inner + w.column, inner, count}
}
