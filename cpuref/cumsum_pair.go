package cpuref

// pairCumSum is CumSum of floats.
func pairCumSum[T real, F form]() operator[T, pair[T]] {
	return operator[T, pair[T]]{
		identity: pairIdentity[T](),
		combine:  pairCombine[T],
		groups:   works[group[T, pair[T]]]{pairFold[T], pairOutputs[T, F], pairWalk[T, F], pairOutputs[T, F]},
		rows:     works[rows[T, pair[T]]]{pairRows[T, F, folds], pairRows[T, F, writes], pairRows[T, F, walks], pairRows[T, F, writesLines]},
		short:    pairShort[T, F],
	}
}

// pairFold takes two runs side by side, which fills the time that the sums of one wait
// for each other.
func pairFold[T real](_, src []T, at span, _ pair[T], runs []pair[T]) pair[T] {
	folded, r := pairIdentity[T](), 0
	for ; at.n >= 2*radix; r += 2 {
		i, j := at.start, at.rest().start
		a, b := pairOf(src[i]), pairOf(src[j])
		for range radix - 1 {
			i += at.step
			j += at.step
			a, b = a.take(src[i]), b.take(src[j])
		}
		runs[r], runs[r+1] = a, b
		folded = pairCombine(pairCombine(folded, a), b)
		at = at.rest().rest()
	}
	for ; at.n > 0; r++ {
		i := at.start
		run := pairOf(src[i])
		for range min(radix, at.n) - 1 {
			i += at.step
			run = run.take(src[i])
		}
		runs[r] = run
		folded = pairCombine(folded, run)
		at = at.rest()
	}
	return folded
}

// pairOutputs takes two runs side by side, too. A sum that is not finite stays so
// within its run, so that the last one is tested only.
func pairOutputs[T real, F form](dst, src []T, at span, carry pair[T], runs []pair[T]) (_ pair[T]) {
	dst = dst[:len(src)]
	var elements [2 * radix]T // dst may be src
	r := 0
	for ; at.n >= 2*radix; r += 2 {
		second := pairCombine(carry, runs[r])
		a, b := carry, second
		i, j := at.start, at.rest().start
		for k := range radix {
			x, y := src[i], src[j]
			elements[k], elements[radix+k] = x, y
			outputA, outputB := a, b
			a, b = a.take(x), b.take(y)
			if !isExclusive[F]() {
				outputA, outputB = a, b
			}
			x, y = outputA.hi+outputA.lo, outputB.hi+outputB.lo
			if isToOdd[F]() {
				x = T(toOdd(float32(x), float32(sumError(outputA.hi, outputA.lo, x))))
				y = T(toOdd(float32(y), float32(sumError(outputB.hi, outputB.lo, y))))
			}
			if isExclusive[F]() {
				x, y = x+0, y+0 // the first sum of all is empty and +0
			}
			dst[i], dst[j] = x, y
			i += at.step
			j += at.step
		}
		if !isFinite(a.lo) || !isFinite(b.lo) {
			pairAnyOutputs[T, F](dst, elements[:radix], at, carry)
			pairAnyOutputs[T, F](dst, elements[radix:], at.rest(), second)
		}
		carry = pairCombine(second, runs[r+1])
		at = span{j, at.step, at.n - 2*radix}
	}
	for ; at.n > 0; r++ {
		pairOutputsRun[T, F](dst, src, at.run(), carry)
		if at.n > radix {
			carry = pairCombine(carry, runs[r])
		}
		at = at.rest()
	}
	return
}

// pairOutputsRun is pairOutputs of a run.
func pairOutputsRun[T real, F form](dst, src []T, at span, sum pair[T]) {
	dst = dst[:len(src)]
	var elements [radix]T
	carry, i := sum, at.start
	for k := range min(radix, at.n) {
		x := src[i]
		elements[k] = x
		output := sum
		sum = sum.take(x)
		if !isExclusive[F]() {
			output = sum
		}
		y := output.hi + output.lo
		if isToOdd[F]() {
			y = T(toOdd(float32(y), float32(sumError(output.hi, output.lo, y))))
		}
		if isExclusive[F]() {
			y += 0
		}
		dst[i] = y
		i += at.step
	}
	if !isFinite(sum.lo) {
		pairAnyOutputs[T, F](dst, elements[:at.n], at, carry)
	}
}

func pairWalk[T real, F form](dst, src []T, at span, carry pair[T], runs []pair[T]) pair[T] {
	folded := pairFold(nil, src, at, carry, runs)
	pairOutputs[T, F](dst, src, at, carry, runs)
	return folded
}

func pairShort[T real, F form](dst, src []T, all span, n int) {
	line := span{all.start, all.step, n}
	for range all.n / n {
		pairOutputsRun[T, F](dst, src, line, pairIdentity[T]())
		line.start += n * line.step
	}
}

// pairAnyOutputs writes the outputs of a run whose sums may be infinite or NaN.
func pairAnyOutputs[T real, F form](dst, run []T, at span, sum pair[T]) {
	i := at.start
	for _, x := range run {
		output := sum
		sum = sum.take(x)
		if !isExclusive[F]() {
			output = sum
		}
		dst[i] = pairOutput[T, F](output)
		i += at.step
	}
}

// pairOutput is the output for a sum, which may be infinite or NaN.
func pairOutput[T real, F form](sum pair[T]) T {
	y := sum.value()
	if isToOdd[F]() {
		y = T(valueToOdd(pair[float32]{float32(sum.hi), float32(sum.lo)}))
	}
	if isExclusive[F]() {
		y += 0
	}
	return y
}
