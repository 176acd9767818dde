package cpuref

// pairRows takes four rows at a time: the sums of a line stay in registers for four
// elements, and memory is read row by row. Only a line's last run may lack some of
// four; nothing follows it, so that any other row may take their place.
func pairRows[T real, F form, W work](dst, src []T, at span, c *columns[T, pair[T]]) {
	runs, sums := c.run, c.state[:len(c.run)]
	if isFolding[W]() {
		fill(runs, pairIdentity[T]())
	}
	copy(sums, c.carry)
	for ; at.n > 0; at = (span{at.start + 4*at.step, at.step, at.n - 4}) {
		row := func(of []T, i int) []T {
			if i < at.n {
				return of[at.start+i*at.step:][:len(runs)]
			}
			return c.spare[:len(runs)]
		}
		x0, x1, x2, x3 := row(src, 0), row(src, 1), row(src, 2), row(src, 3)
		y0, y1, y2, y3 := x0, x1, x2, x3
		if isWriting[W]() {
			y0, y1, y2, y3 = row(dst, 0), row(dst, 1), row(dst, 2), row(dst, 3)
		}
		for i := range runs {
			a, b, c, d := x0[i], x1[i], x2[i], x3[i]
			if isFolding[W]() {
				runs[i] = runs[i].take(a).take(b).take(c).take(d)
			}
			if isWriting[W]() {
				before := sums[i]
				s0 := before.take(a)
				s1 := s0.take(b)
				s2 := s1.take(c)
				s3 := s2.take(d)
				sums[i] = s3
				finite := isFinite(s3.lo) // it stays so
				if isExclusive[F]() {
					s0, s1, s2, s3 = before, s0, s1, s2
				}
				a, b, c, d = s0.hi+s0.lo, s1.hi+s1.lo, s2.hi+s2.lo, s3.hi+s3.lo
				if !finite {
					a, b, c, d = s0.value(), s1.value(), s2.value(), s3.value()
				}
				if isExclusive[F]() {
					a, b, c, d = a+0, b+0, c+0, d+0
				}
				y0[i], y1[i], y2[i], y3[i] = a, b, c, d
			}
		}
	}
	if isOfLines[W]() {
		return
	}
	for i, run := range runs {
		c.group[i], c.carry[i] = pairCombine(c.group[i], run), pairCombine(c.carry[i], run)
	}
}
