package cpuref

// The carry tree: an element's position in hexadecimal is its path.
const (
	radix    = 16
	tileSize = radix * radix * radix // elements
	// levels of nodes above the runs; an axis has fewer than 16^15 runs.
	levels = 15
)

// depth is how many levels of an odometer a walk over n elements touches.
func depth(n int64) int {
	d := 1
	for leaves := (n + radix - 1) / radix; leaves >= radix; leaves /= radix {
		d++
	}
	return d
}

// operator is a scan over elements E with running state S, as functions on runs
// of up to 16 elements. combine is not associative in its bits, so the order is
// part of the contract: an aggregate is the left fold from the identity of its
// children; a first child's carry is its parent's, and each next one's is the
// carry before it combined with the aggregate before it.
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

// odometer walks the tree from left to right with one carry and one aggregate
// per level, and so needs a single pass over the leaves.
type odometer[S any] struct {
	leaves    uint64 // pushed so far
	carry     [levels]S
	aggregate [levels]S
}

// reset starts the walk below a node with the given carry. depth is that of the
// walk, or of a longer one.
func (o *odometer[S]) reset(depth int, identity, carry S) {
	o.leaves = 0
	for i := range depth {
		o.carry[i] = carry
		o.aggregate[i] = identity
	}
}

// next is the carry of the next leaf.
func (o *odometer[S]) next() S { return o.carry[0] }

// push moves past a leaf with the given aggregate.
func (o *odometer[S]) push(identity S, combine func(before, after S) S, leaf S) {
	position := o.leaves
	o.leaves++
	level := 0
	for ; position%radix == radix-1; level++ {
		leaf, o.aggregate[level] = combine(o.aggregate[level], leaf), identity
		position /= radix
	}
	o.aggregate[level] = combine(o.aggregate[level], leaf)
	carry := combine(o.carry[level], leaf)
	for i := range level + 1 {
		o.carry[i] = carry
	}
}
