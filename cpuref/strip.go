package cpuref

import "unsafe"

// walker walks strips for one goroutine. A strip is some neighbouring lines, which
// are walked side by side, a group of each at a time, so that whole cache lines of a
// row are used.
type walker[E, S any] struct {
	*scan[E, S]
	outer, column, width int64 // of the strip
	odometers            []odometer[S]
	runs                 [radix]S // aggregates within a group
	in, out              []E      // the group of a strip that lies in memory in scan order
	buffer               []E      // otherwise a group of each line of the strip
	span                 int64    // of a line in the buffer
}

// stripColumns is how many lines a full strip has: a cache line of elements.
func stripColumns[E any](inner int64) int64 {
	var zero E
	return max(1, min(inner, 64/int64(unsafe.Sizeof(zero))))
}

func (s *scan[E, S]) newWalker() *walker[E, S] {
	w := &walker[E, S]{scan: s, odometers: make([]odometer[S], s.columns)}
	if !s.direct {
		w.span = min(groupSize, s.view.N)
		w.buffer = make([]E, s.columns*w.span)
	}
	return w
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

// load makes count elements of each line from scan position p on ready for line.
func (w *walker[E, S]) load(p, count int64) {
	at, step := w.index(p)
	switch {
	case w.direct:
		w.in, w.out = w.src[at:at+count], w.dst[at:at+count]
	case w.width == 1:
		for i := range w.buffer[:count] {
			w.buffer[i] = w.src[at]
			at += step
		}
	default:
		for i := range count {
			row := w.src[at : at+w.width]
			for c, x := range row {
				w.buffer[int64(c)*w.span+i] = x
			}
			at += step
		}
	}
}

// line is what load has made ready of a line, and where its outputs go.
func (w *walker[E, S]) line(c, count int64) (in, out []E) {
	if w.direct {
		return w.in, w.out
	}
	line := w.buffer[c*w.span:][:count]
	return line, line
}

// store moves the outputs of what was loaded to where they belong.
func (w *walker[E, S]) store(p, count int64) {
	at, step := w.index(p)
	switch {
	case w.direct:
	case w.width == 1:
		for _, x := range w.buffer[:count] {
			w.dst[at] = x
			at += step
		}
	default:
		for i := range count {
			row := w.dst[at : at+w.width]
			for c := range row {
				row[c] = w.buffer[int64(c)*w.span+i]
			}
			at += step
		}
	}
}
