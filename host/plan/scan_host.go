package plan

import "vkops/tensor"

// cutHost plans a scan whose tensors stay in the host's memory: windows of them are
// copied to a scratch buffer and back, and kernels see nothing else.
func (s *scanner) cutHost(v tensor.View) {
	limit := min(s.lim.HostWindow, s.maxRange) / int64(s.dtype.Size())
	if v.Inner > 1 {
		s.cutStrips(v, limit)
		return
	}
	step := limit / tile * tile
	if step == 0 {
		s.fail("a tile exceeds the window of %d bytes", s.lim.HostWindow)
		return
	}
	for o := range v.Outer {
		set := scanSet{outers: 1, inner: 1}
		for p := int64(0); p < v.N; p += step {
			set.add(s.stagedLine(v, o, p, min(step, v.N-p)))
		}
		s.scanSet(set)
	}
}

// stagedLine is the window of positions p to p+n of line o. The first position of 16
// bits has to start a word: before an odd number of them in reverse lies a position
// more, the last, which is dropped.
func (s *scanner) stagedLine(v tensor.View, o, p, n int64) scanWindow {
	size := int64(s.dtype.Size())
	first := o*v.N + s.memoryPosition(v, p, n)
	padded, shift := n, int64(0)
	if s.reverse {
		padded = s.pitch(n)
		shift = padded - n
	}
	staged := s.stage(padded)
	inside := span{role: staged.role, first: shift, size: size}
	return scanWindow{
		n: padded, source: staged, result: staged,
		fetch: func() {
			s.copyRect(inside, span{role: Input0, first: first, size: size}, n, n, n, 1)
		},
		deliver: func() {
			s.copyRect(span{role: Output, first: first, size: size}, inside, n, n, n, 1)
		},
	}
}
