package cpuref

// halfPairCumSum runs in float32 and rounds each output once.
func halfPairCumSum[H half, F form]() operator[H, pair[float32]] {
	return byLine(operator[H, pair[float32]]{
		identity: pairIdentity[float32](),
		combine:  pairCombine[float32],
		groups: works[group[H, pair[float32]]]{
			halfPairGroup[H, F, folds], halfPairGroup[H, F, writes], halfPairGroup[H, F, walks], halfPairGroup[H, F, writesLines],
		},
		short: func(dst, src []H, all span, n int) {
			var memory [groupSize]float32
			wide := memory[:all.n]
			widenHalves(wide, src, all)
			pairShort[float32, F](wide, wide, span{0, 1, all.n}, n)
			roundHalves(dst, all, wide)
		},
	})
}

func halfPairGroup[H half, F form, W work](dst, src []H, at span, carry pair[float32], runs []pair[float32]) pair[float32] {
	if at.n <= radix { // a small array is sooner cleared
		var wide [radix]float32
		return widePairGroup[H, F, W](wide[:at.n], dst, src, at, carry, runs)
	}
	var wide [groupSize]float32
	return widePairGroup[H, F, W](wide[:at.n], dst, src, at, carry, runs)
}

func widePairGroup[H half, F form, W work](wide []float32, dst, src []H, at span, carry pair[float32], runs []pair[float32]) (folded pair[float32]) {
	widenHalves(wide, src, at)
	all := span{0, 1, len(wide)}
	if isFolding[W]() {
		folded = pairFold(nil, wide, all, carry, runs)
	}
	if isWriting[W]() {
		pairOutputs[float32, F](wide, wide, all, carry, runs)
		roundHalves(dst, at, wide)
	}
	return folded
}
