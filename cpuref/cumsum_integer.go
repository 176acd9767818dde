package cpuref

type integer interface {
	int32 | int64 | uint32 | uint64
}

// integerSums is CumSum of integers. Sums wrap, so that they need no order, and no
// aggregates of runs where a group starts.
func integerSums[T integer, F form]() operator[T, T] {
	return operator[T, T]{
		combine: func(a, b T) T { return a + b },
		groups:  works[group[T, T]]{integerGroup[T, F, folds], integerGroup[T, F, writes], integerGroup[T, F, walks], integerGroup[T, F, writesLines]},
		rows:    works[rows[T, T]]{integerRows[T, F, folds], integerRows[T, F, writes], integerRows[T, F, walks], integerRows[T, F, writesLines]},
		short: func(dst, src []T, all span, n int) {
			line := span{all.start, all.step, n}
			for range all.n / n {
				integerGroup[T, F, writes](dst, src, line, 0, nil)
				line.start += n * line.step
			}
		},
	}
}

func integerGroup[T integer, F form, W work](dst, src []T, at span, carry T, _ []T) T {
	sum := carry
	if isWriting[W]() {
		dst = dst[:len(src)]
	}
	i := at.start
	for range at.n {
		x := src[i]
		if isWriting[W]() && isExclusive[F]() {
			dst[i] = sum
		}
		sum += x
		if isWriting[W]() && !isExclusive[F]() {
			dst[i] = sum
		}
		i += at.step
	}
	return sum - carry
}

// integerRows has no aggregates but the sums themselves.
func integerRows[T integer, F form, W work](dst, src []T, at span, c *columns[T, T]) {
	sums := c.state
	if isWriting[W]() {
		copy(sums, c.carry)
	} else {
		clear(sums)
	}
	for ; at.n > 0; at.n-- {
		x := src[at.start:][:len(sums)]
		y := x
		if isWriting[W]() {
			y = dst[at.start:][:len(sums)]
		}
		for i, x := range x {
			sum := sums[i]
			if isWriting[W]() && isExclusive[F]() {
				y[i] = sum
			}
			sum += x
			if isWriting[W]() && !isExclusive[F]() {
				y[i] = sum
			}
			sums[i] = sum
		}
		at.start += at.step
	}
	for i, sum := range sums {
		if !isWriting[W]() {
			c.run[i] = sum
			c.group[i] += sum
			continue
		}
		c.group[i] += sum - c.carry[i]
		c.carry[i] = sum
	}
}
