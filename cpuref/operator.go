package cpuref

// operator is a scan over elements E with running state S, as functions on groups
// of up to 16 runs of up to 16 elements. combine is not associative in its bits, so
// the order is part of the contract: an aggregate is the left fold from the identity
// of its children; a first child's carry is its parent's, and each next one's is the
// carry before it combined with the aggregate before it. Twin:
// shaders/include/operator.glsl.
type operator[E, S any] struct {
	identity S
	combine  func(before, after S) S
	// fold is the aggregate of a group. It leaves those of the runs in runs.
	fold func(group []E, runs []S) S
	// outputs writes the outputs of a group that starts from carry, with runs as fold
	// left them. dst may be group.
	outputs func(dst, group []E, carry S, runs []S)
	// walk is both at once, for operators that share work; nil is one after the
	// other.
	walk func(dst, group []E, carry S) S
	// first replaces the output of a line's first element; nil leaves it.
	first func(x E) E
}

// foldRuns is an operator's fold from the aggregate of one run.
func foldRuns[E, S any](identity S, combine func(before, after S) S, aggregate func(run []E) S) func(group []E, runs []S) S {
	return func(group []E, runs []S) S {
		folded := identity
		for i := 0; len(group) > 0; i++ {
			n := min(radix, len(group))
			runs[i] = aggregate(group[:n])
			folded = combine(folded, runs[i])
			group = group[n:]
		}
		return folded
	}
}

// outputRuns is an operator's outputs from those of one run.
func outputRuns[E, S any](combine func(before, after S) S, outputs func(dst, run []E, carry S)) func(dst, group []E, carry S, runs []S) {
	return func(dst, group []E, carry S, runs []S) {
		for i := 0; len(group) > 0; i++ {
			n := min(radix, len(group))
			outputs(dst[:n], group[:n], carry)
			carry = combine(carry, runs[i])
			dst, group = dst[n:], group[n:]
		}
	}
}

// walkRuns is an operator's walk from that of one run.
func walkRuns[E, S any](identity S, combine func(before, after S) S, walk func(dst, run []E, carry S) S) func(dst, group []E, carry S) S {
	return func(dst, group []E, carry S) S {
		folded := identity
		for len(group) > 0 {
			n := min(radix, len(group))
			aggregate := walk(dst[:n], group[:n], carry)
			folded = combine(folded, aggregate)
			carry = combine(carry, aggregate)
			dst, group = dst[n:], group[n:]
		}
		return folded
	}
}
