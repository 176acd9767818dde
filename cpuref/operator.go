package cpuref

// operator is a scan over elements E with running state S, as functions on runs
// of up to 16 elements. combine is not associative in its bits, so the order is
// part of the contract: an aggregate is the left fold from the identity of its
// children; a first child's carry is its parent's, and each next one's is the
// carry before it combined with the aggregate before it. Twin:
// shaders/include/operator.glsl.
type operator[E, S any] struct {
	identity S
	combine  func(before, after S) S
	// aggregate folds a run from the identity.
	aggregate func(run []E) S
	// outputs writes the outputs of a run that starts from carry. dst may be run.
	outputs func(dst, run []E, carry S)
	// walk is both at once, for operators that share work; nil is one after the
	// other.
	walk func(dst, run []E, carry S) S
	// first replaces the output of a line's first element; nil leaves it.
	first func(x E) E
}
