package plan

// tree is where the states of some lines lie: level by level, the tiles first. The
// lines are [outers, inner], and a level's states [outers, nodes, inner].
type tree struct {
	outers, inner int64
	stateBytes    int64
	nodes         []int64 // of a line, by level
	base          []int64 // first state, by level
	states        int64   // of all levels
	ref           NamedRef
}

// newTree makes room for the levels from the tiles up to one of at most `top` nodes
// a line. It lies in the scratch buffer of that role, or in a new one if role is
// negative.
func (b *builder) newTree(role Role, outers, tiles, inner, top, stateBytes int64) *tree {
	t := layOut(outers, tiles, inner, top, stateBytes)
	b.room(t, role, t.states*stateBytes)
	return t
}

// layOut gives a tree's levels their places.
func layOut(outers, leaves, inner, top, stateBytes int64) *tree {
	t := &tree{outers: outers, inner: inner, stateBytes: stateBytes}
	for n := leaves; ; n = ceilDiv(n, radix) {
		t.nodes = append(t.nodes, n)
		t.base = append(t.base, t.states)
		t.states += n * outers * inner
		if n <= top {
			return t
		}
	}
}

// room makes room for a tree, and for what may come after it.
func (b *builder) room(t *tree, role Role, size int64) {
	if size > b.fullRange {
		b.fail("the states of %d nodes take %d bytes, more than the range of %d", t.states, size, b.fullRange)
	}
	if role < 0 {
		role = b.scratch(size)
	}
	have := &b.plan.Scratch[role-Scratch0]
	*have = max(*have, ceilDiv(size, wordBytes)*wordBytes)
	t.ref = NamedRef{"states", Ref{role, 0, size}}
}

// level plans a pass between the nodes of a level and their parents.
func (b *builder) level(t *tree, kernel string, level int, spec ...NameValue) {
	parents, parentBase := int64(1), int64(0)
	if level+1 < len(t.nodes) {
		parents, parentBase = t.nodes[level+1], t.base[level+1]
	}
	lines := t.outers * t.inner
	states := (t.nodes[level] + parents) * lines
	if len(spec) > 0 {
		states += t.nodes[level] * lines // written too
	}
	b.dispatch(job{
		kernel: kernel, size: b.laneSize(), items: parents * lines, spec: spec,
		push: []pushValue{
			{"inner", t.inner}, {"nodes", t.nodes[level]}, {"parents", parents},
			{"node_base", t.base[level]}, {"parent_base", parentBase},
		},
		bind:    []NamedRef{t.ref},
		traffic: states * t.stateBytes,
	})
}
