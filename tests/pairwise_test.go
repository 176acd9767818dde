package tests

import "math/rand/v2"

// pairwise picks level combinations so that every pair of levels of two factors that
// can occur together, at a finite cost, occurs in at least one, and the sum of the
// costs is low. levels is the number of levels of each factor. It gives up on a pair
// after many random tries.
func pairwise(r *rand.Rand, levels []int, cost func(combination []int) float64) [][]int {
	type pair struct{ f, i, g, j int }
	open := map[pair]bool{}
	var order []pair
	for f := range levels {
		for g := f + 1; g < len(levels); g++ {
			for i := range levels[f] {
				for j := range levels[g] {
					open[pair{f, i, g, j}] = true
					order = append(order, pair{f, i, g, j})
				}
			}
		}
	}
	gain := func(c []int) (n int) {
		for f := range c {
			for g := f + 1; g < len(c); g++ {
				if open[pair{f, c[f], g, c[g]}] {
					n++
				}
			}
		}
		return n
	}
	var chosen [][]int
	for _, p := range order {
		if !open[p] {
			continue
		}
		var best []int
		most := 0.0
		for range 200 {
			c := make([]int, len(levels))
			for f, n := range levels {
				c[f] = r.IntN(n)
			}
			c[p.f], c[p.g] = p.i, p.j
			if worth := float64(gain(c)) / cost(c); worth > most {
				best, most = c, worth
			}
		}
		if best == nil {
			continue // the two cannot be together
		}
		chosen = append(chosen, best)
		for f := range best {
			for g := f + 1; g < len(best); g++ {
				delete(open, pair{f, best[f], g, best[g]})
			}
		}
	}
	return chosen
}
