package cpuref

// odometer walks the tree from left to right with one carry and one aggregate
// per level, and so needs a single pass over the leaves, which are groups or
// tiles. Twin: shaders/scan_fold_lane.comp and scan_carries_lane.comp, level by level.
type odometer[S any] struct {
	leaves    uint64 // pushed so far
	carry     []S
	aggregate []S
}

// newOdometers are for walks of that depth.
func newOdometers[S any](count, depth int) []odometer[S] {
	odometers := make([]odometer[S], count)
	states := make([]S, 2*count*depth)
	for i := range odometers {
		odometers[i].carry, odometers[i].aggregate = states[:depth:depth], states[depth:2*depth]
		states = states[2*depth:]
	}
	return odometers
}

// reset starts the walk below a node with the given carry.
func (o *odometer[S]) reset(identity, carry S) {
	o.leaves = 0
	fill(o.carry, carry)
	fill(o.aggregate, identity)
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

// depth is how many levels of an odometer a walk over n elements touches.
func depth(n int64) int {
	d := 1
	for leaves := (n + groupSize - 1) / groupSize; leaves >= radix; leaves /= radix {
		d++
	}
	return d
}

// toCarries replaces the aggregates of tiles, those of a strip's lines side by side,
// by their carries.
func (s *scan[E, S]) toCarries(lines []odometer[S], tiles []S) {
	for i := range tiles {
		o := &lines[i%len(lines)]
		carry := o.next()
		o.push(s.identity, s.combine, tiles[i])
		tiles[i] = carry
	}
}

// root folds the nodes of one level of the tree to its root.
func root[S any](nodes []S, identity S, combine func(before, after S) S) S {
	if len(nodes) == 0 {
		return identity
	}
	for len(nodes) > 1 {
		var above []S
		for lo := 0; lo < len(nodes); lo += radix {
			s := identity
			for _, node := range nodes[lo:min(lo+radix, len(nodes))] {
				s = combine(s, node)
			}
			above = append(above, s)
		}
		nodes = above
	}
	return nodes[0]
}
