package plan

// lookBack plans a single pass over a set of long lines. The states are followed by a
// ticket and by a flag for each node.
func (s *scanner) lookBack(set *scanSet, walk walk) {
	t := layOut(set.outers, set.nodes(tile), 1, radix, s.stateBytes)
	flags := t.states * s.stateBytes
	s.room(t, s.statesRole, flags+wordBytes*(1+t.states))
	s.statesRole = t.ref.Role
	for i := range set.windows {
		w := &set.windows[i]
		cleared := Ref{t.ref.Role, flags, wordBytes}
		if i == 0 {
			cleared.Size = t.ref.Size - flags
		}
		s.fill(cleared, 0)
		j := s.outputJob(set, w, "scan_lookback", walk)
		j.push = append(j.push, pushValue{"lines", set.outers}, pushValue{"ticket", flags / wordBytes})
		j.spec = append(j.spec, NameValue{"poll_limit", s.pollLimit()})
		j.bind = append(j.bind, t.ref)
		first := w.first / tile
		j.traffic += set.outers * (s.lookBackTraffic(first+w.nodes(tile)) - s.lookBackTraffic(first))
		s.dispatch(j)
	}
}

const wordBytes = 4

// lookBackTraffic is how many bytes of states, flags and tickets the first tiles of a
// line read and write if nothing has to be awaited.
func (s *scanner) lookBackTraffic(tiles int64) int64 {
	nodes := tiles
	for unit := int64(1); unit < tiles; unit *= radix {
		nodes += digits(tiles, unit)                  // the siblings before each tile on this level
		nodes += tiles / (radix * unit) * (radix + 1) // nodes made of 16
	}
	return nodes*(s.stateBytes+wordBytes) + tiles*2*wordBytes
}

// digits sums, over the numbers below n, the hexadecimal digit that counts a unit.
func digits(n, unit int64) int64 {
	whole, rest := n/(radix*unit), n%(radix*unit)
	digit := rest / unit
	return unit*(whole*radix*(radix-1)/2+digit*(digit-1)/2) + rest%unit*digit
}

// pollLimit is how often a workgroup asks for what is missing before it makes it.
func (s *scanner) pollLimit() uint32 {
	if s.lim.SoftwareDevice {
		return 256 // a poll of 256 invocations takes a software device some microseconds
	}
	return 1 << 14
}

// looksBack reports whether look-back may be used on a set of long lines: what is
// missing is made from the source, which must still be there. On software devices the
// loops of an invocation are few enough only for some hundred tiles.
func (s *scanner) looksBack(set *scanSet) bool {
	if s.plan.Strategy != LookBack || s.lim.InPlace {
		return false
	}
	for _, w := range set.windows {
		if w.fetch != nil {
			return false
		}
	}
	return !s.lim.SoftwareDevice || s.lookBackLoops(set.nodes(tile)) <= maxLoops
}

// lookBackLoops bounds the iterations of an invocation whose workgroup has to make
// all tiles before its own itself.
func (s *scanner) lookBackLoops(tiles int64) int64 {
	size := int64(s.sharedSize())
	levels := int64(1)
	for n := tiles; n > radix; n = ceilDiv(n, radix) {
		levels++
	}
	runs, nodes := ceilDiv(tile/radix, size), ceilDiv(radix, size) // of an invocation
	perTile := tile/1024*(1+ceilDiv(1024, size)+runs) + 2*runs*(radix+1) + nodes*(radix+1) + radix
	perGather := levels + 1 + 2*nodes + radix
	polls := int64(s.pollLimit()) * (1 + nodes)
	return polls + (tiles+4)*(perTile+2*levels*perGather)
}
