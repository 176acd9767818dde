package plan

import "vkops/tensor"

// cut plans a scan over a tensor of any size, in windows that fit the range of a
// binding: whole outer indices if one fits, else tiles along the axis if one fits,
// else strips of columns that are copied out and back.
func (s *scanner) cut(v tensor.View) {
	if s.lim.HostWindow != 0 {
		s.cutHost(v, wholeBox(v))
		return
	}
	pad := s.needsPitch(v)
	slab := v.N * s.pitch(v.Inner)
	if v.Inner == 1 {
		slab = s.pitch(v.N)
	}
	limit := s.limit(v.Outer*slab, int64(s.dtype.Size()))
	switch {
	case slab <= limit:
		step := limit / slab
		for o := int64(0); o < v.Outer; o += step {
			outers := min(step, v.Outer-o)
			done := s.blockRows(v, o, outers)
			if done == outers {
				continue
			}
			w := s.window(v, o+done, outers-done, 0, v.N, pad)
			s.scanSet(scanSet{outers - done, w.n, s.innerOf(v, pad), v.Inner, []scanWindow{w}})
		}
	case s.pitch(v.Inner)*tile <= limit || v.Inner == 1 && tile <= limit:
		step := limit / tile * tile
		if v.Inner > 1 {
			step = limit / s.pitch(v.Inner) / tile * tile
		}
		for o := range v.Outer {
			set := scanSet{outers: 1, inner: s.innerOf(v, pad), columns: v.Inner}
			for p := int64(0); p < v.N; p += step {
				set.add(s.window(v, o, 1, p, min(step, v.N-p), pad))
			}
			s.scanSet(set)
		}
	default:
		s.cutStrips(v, wholeBox(v), limit)
	}
}

// add puts a window after the others along the axis.
func (set *scanSet) add(w scanWindow) {
	w.first = set.n
	set.n += w.n
	set.windows = append(set.windows, w)
}

// pitch is the even width that a row of 16-bit elements may need.
func (s *scanner) pitch(width int64) int64 {
	if s.dtype.Size() == 2 {
		return width + width%2
	}
	return width
}

// needsPitch reports whether 16-bit elements have to be copied to rows of even
// pitch: the first position of each line, or the first column of each row, must
// start a word.
func (s *scanner) needsPitch(v tensor.View) bool {
	if v.Inner > 1 || v.Outer == 1 && !s.reverse {
		return s.pitch(v.Inner) != v.Inner && v.Inner > 1
	}
	return s.pitch(v.N) != v.N
}

// innerOf is the inner dimension that kernels see.
func (s *scanner) innerOf(v tensor.View, pad bool) int64 {
	if pad && v.Inner > 1 {
		return s.pitch(v.Inner)
	}
	return v.Inner
}

// window is positions p to p+n of some outer indices. With pad it is copied to rows
// of even pitch; a column that this adds lies after the last, a position too: it is
// scanned with the others and then dropped.
func (s *scanner) window(v tensor.View, o, outers, p, n int64, pad bool) scanWindow {
	size := int64(s.dtype.Size())
	first := (o*v.N + s.memoryPosition(v, p, n)) * v.Inner
	w := scanWindow{
		n:      n,
		source: span{Input0, first, outers * n * v.Inner, size},
		result: span{Output, first, outers * n * v.Inner, size},
	}
	if !pad {
		return w
	}
	rows, width, shift := outers*n, v.Inner, int64(0)
	if v.Inner == 1 {
		rows, width = outers, n
		w.n = s.pitch(n)
		if s.reverse {
			shift = w.n - n
		}
	}
	tensorRows := rowLayout{rows: rows, width: width, pitch: width}
	stagedRows := rowLayout{rows: rows, width: width, pitch: s.pitch(width), shift: shift}
	from, to := w.source, w.result
	staged := s.stage(rows * s.pitch(width))
	w.source, w.result = staged, staged
	w.fetch = func() { s.repitch(staged, stagedRows, from, tensorRows) }
	w.deliver = func() { s.repitch(to, tensorRows, staged, stagedRows) }
	return w
}

// memoryPosition is where positions p to p+n of a line start in memory.
func (s *scanner) memoryPosition(v tensor.View, p, n int64) int64 {
	if s.reverse {
		return v.N - p - n
	}
	return p
}

// stage is room for some elements in the scratch buffer that windows pass through. The
// host's windows have two that take turns: it brings one while the device works on the
// other.
func (s *scanner) stage(count int64) span {
	size := int64(s.dtype.Size())
	role := &s.stagedRoles[0]
	if s.lim.HostWindow != 0 {
		role = &s.stagedRoles[s.stagedWindows%2]
		s.stagedWindows++
	}
	if *role == 0 {
		*role = s.scratch(count * size)
	}
	have := &s.plan.Scratch[*role-Scratch0]
	*have = max(*have, ceilDiv(count*size, 4)*4)
	return span{*role, 0, count, size}
}

// rowLayout is how rows lie in a span: each starts `shift` elements into its pitch.
type rowLayout struct {
	rows, width, pitch, shift int64
}

// repitch copies rows of 16-bit elements between layouts.
func (s *scanner) repitch(dst span, to rowLayout, src span, from rowLayout) {
	source, sourceBase := s.bind(src)
	result, resultBase := s.bind(dst)
	end := ceilDiv(resultBase+to.rows*to.pitch, 2)
	words, perItem := end-resultBase/2, int64(1)
	if s.lim.SoftwareDevice {
		perItem = min(1024, max(1, words/manyItems))
	}
	s.dispatch(job{
		kernel: "repitch16", size: s.laneSize(), items: ceilDiv(words, perItem),
		push: []pushValue{
			{"words_per_item", perItem}, {"word_end", end},
			{"width", to.width}, {"source_pitch", from.pitch}, {"result_pitch", to.pitch}, {"shift", to.shift},
			{"source_base", sourceBase + from.shift}, {"result_base", resultBase}, {"result_count", to.rows * to.pitch},
		},
		bind:    []NamedRef{{"source", source}, {"result", result}},
		traffic: 2 * to.rows * (to.width + to.pitch),
	})
}

// cutStrips plans a scan whose axis has rows so wide that a tile of them exceeds a
// range: strips of columns go through a scratch buffer.
func (s *scanner) cutStrips(v tensor.View, in box, limit int64) {
	width := min(limit/tile, 1024)
	if whole := limit / v.N; whole >= 16 {
		width = whole // all of the axis at once
	}
	if s.dtype.Size() == 2 {
		width = width / 2 * 2
	}
	width = min(width, in.columns)
	if width < 1 {
		s.fail("a tile of %d rows exceeds the range of %d bytes", tile, s.maxRange)
		return
	}
	rows := limit / s.pitch(width)
	step := rows / tile * tile
	if rows >= v.N {
		step = v.N
	}
	for o := in.outer; o < in.outer+in.outers; o++ {
		for c := in.column; c < in.column+in.columns; c += width {
			columns := min(width, in.column+in.columns-c)
			set := scanSet{outers: 1, inner: s.pitch(columns), columns: columns}
			for p := int64(0); p < v.N; p += step {
				set.add(s.strip(v, o, c, columns, p, min(step, v.N-p)))
			}
			s.scanSet(set)
		}
	}
}

// strip is the window of some columns, positions p to p+n of outer index o.
func (s *scanner) strip(v tensor.View, o, c, columns, p, n int64) scanWindow {
	first := (o*v.N+s.memoryPosition(v, p, n))*v.Inner + c
	return s.staged(first, n, rowLayout{rows: n, width: columns, pitch: v.Inner}, rowLayout{pitch: s.pitch(columns)})
}
