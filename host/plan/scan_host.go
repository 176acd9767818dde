package plan

import "vkops/tensor"

// box is some outer indices and some columns of a view, with all positions.
type box struct{ outer, outers, column, columns int64 }

func wholeBox(v tensor.View) box { return box{outers: v.Outer, columns: v.Inner} }

// cutHost plans passes over a box of tensors that stay in the host's memory: windows of
// them are copied to a scratch buffer and back, and kernels see nothing else. Windows are
// whole outer indices if one fits, else tiles of a line or strips of columns.
func (s *scanner) cutHost(v tensor.View, in box) {
	limit := min(s.lim.HostWindow, s.maxRange) / int64(s.dtype.Size())
	slab := v.N * s.pitch(in.columns)
	if v.Inner == 1 {
		slab = s.pitch(v.N)
	}
	switch step := limit / tile * tile; {
	case slab <= limit && in.columns == v.Inner:
		for o := in.outer; o < in.outer+in.outers; o += limit / slab {
			s.scanSet(s.stagedSlabs(v, o, min(limit/slab, in.outer+in.outers-o)))
		}
	case v.Inner > 1:
		s.cutStrips(v, in, limit)
	case step == 0:
		s.fail("a tile exceeds the window of %d bytes", s.lim.HostWindow)
	default:
		for o := in.outer; o < in.outer+in.outers; o++ {
			set := scanSet{outers: 1, inner: 1, columns: 1}
			for p := int64(0); p < v.N; p += step {
				set.add(s.stagedLines(v, o, 1, p, min(step, v.N-p)))
			}
			s.scanSet(set)
		}
	}
}

// stagedSlabs is a set of whole outer indices in one window.
func (s *scanner) stagedSlabs(v tensor.View, o, outers int64) scanSet {
	set := scanSet{outers: outers, inner: s.pitch(v.Inner), columns: v.Inner}
	if v.Inner == 1 {
		set.inner = 1
		set.add(s.stagedLines(v, o, outers, 0, v.N))
		return set
	}
	rows := outers * v.N
	set.add(s.staged(o*v.N*v.Inner, v.N, rowLayout{rows: rows, width: v.Inner, pitch: v.Inner}, rowLayout{pitch: set.inner}))
	return set
}

// stagedLines is the window of positions p to p+n of some lines. The first position of 16
// bits has to start a word: before an odd number of them in reverse lies a position
// more, the last, which is dropped.
func (s *scanner) stagedLines(v tensor.View, o, outers, p, n int64) scanWindow {
	padded := n
	if s.reverse || outers > 1 {
		padded = s.pitch(n)
	}
	inside := rowLayout{pitch: padded}
	if s.reverse {
		inside.shift = padded - n
	}
	return s.staged(o*v.N+s.memoryPosition(v, p, n), padded, rowLayout{rows: outers, width: n, pitch: v.N}, inside)
}

// staged is a window of n positions whose rows lie in the tensors from an element on, and
// in a scratch buffer at a pitch and shift of their own.
func (s *scanner) staged(first, n int64, rows, inside rowLayout) scanWindow {
	size := int64(s.dtype.Size())
	room := s.stage(rows.rows * inside.pitch)
	at := span{role: room.role, first: inside.shift, size: size}
	return scanWindow{
		n: n, source: room, result: room,
		fetch: func() {
			s.copyRect(at, span{role: Input0, first: first, size: size}, inside.pitch, rows.pitch, rows.width, rows.rows)
		},
		deliver: func() {
			s.copyRect(span{role: Output, first: first, size: size}, at, rows.pitch, inside.pitch, rows.width, rows.rows)
		},
	}
}
