package cpuref

// operator is a scan over elements E with running state S, as functions on groups of
// up to 16 runs of up to 16 elements. combine is not associative in its bits, so the
// order is part of the contract: an aggregate is the left fold from the identity of
// its children; a first child's carry is its parent's, and each next one's is the
// carry before it combined with the aggregate before it. Twin:
// shaders/include/operator.glsl.
type operator[E, S any] struct {
	identity S
	combine  func(before, after S) S
	groups   works[group[E, S]]
	rows     works[rows[E, S]]
	// short writes whole lines of n elements, at most a run, that follow each other, at
	// most a group; nil goes line by line.
	short func(dst, src []E, all span, n int)
	// first replaces the output of a line's first element; nil leaves it.
	first func(x E) E
}

// works are functions that differ in their work: fold leaves the aggregates of runs,
// outputs writes their outputs with these aggregates, walk is both at once, and lines
// is for whole lines, which are a run at most and need no aggregates.
type works[F any] struct{ fold, outputs, walk, lines F }

// outputsOf is what writes the outputs of lines of n elements, with their runs'
// aggregates or without.
func (w *works[F]) outputsOf(n int64, folded bool) F {
	switch {
	case folded:
		return w.outputs
	case n <= radix:
		return w.lines
	}
	return w.walk
}

// group works on a group of a line, or less of it, that starts from carry. The aggregates
// of its runs are in runs; its own is returned by fold and walk. dst may be src.
type group[E, S any] func(dst, src []E, at span, carry S, runs []S) S

// rows works on a run of neighbouring lines, the first one at a span. The aggregates
// are in c.run; it moves c.group and c.carry past the run.
type rows[E, S any] func(dst, src []E, at span, c *columns[E, S])

// byLine is an operator whose rows are walked line by line.
func byLine[E, S any](op operator[E, S]) operator[E, S] {
	op.rows = works[rows[E, S]]{
		lineByLine(op.combine, op.groups.fold),
		lineByLine(op.combine, op.groups.outputs),
		lineByLine(op.combine, op.groups.walk),
		lineByLine(op.combine, op.groups.lines),
	}
	return op
}
