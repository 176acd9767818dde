package prove

import (
	"math/rand/v2"

	"vkops/tensor"
)

func logSoftmaxProofs(e Effort) []Proof {
	var all []Proof
	for _, d := range floatTypes {
		length, longest := e.Length, e.Longest
		bound := "1 ULP of max(|y|, 2^-50)"
		switch d {
		case tensor.F64:
			length, longest = length/e.Wide, longest/e.Wide
		case tensor.F16, tensor.BF16:
			bound += " of float32 beyond the rounding"
		}
		var list []job
		for i, data := range Logs() {
			n := length
			if i < 4 {
				n = longest
			}
			list = append(list, scan(tensor.LogSoftmax{}, d, data, n), scan(tensor.LogSoftmax{}, d, data, 17))
		}
		lines := length / 16
		list = append(list, job{"terms alike", tensor.LogSoftmax{Axis: 1}, 16 * lines, func(r *rand.Rand) ([]tensor.Dense, error) {
			x, err := Dense(d, AlikeTerms(r, lines), lines, 16)
			return []tensor.Dense{x}, err
		}})
		all = append(all, jobs("logsoftmax "+d.String(), bound, list))
	}
	return all
}

// crossEntropyProofs have lines of 17 scores: one more than a run of the carry tree.
func crossEntropyProofs(e Effort) []Proof {
	const classes = 17
	weights := make([]float64, classes)
	for i := range weights {
		weights[i] = 0.3 + 0.7*float64(i%5)
	}
	var all []Proof
	for i, d := range floatTypes {
		length := e.Length
		if d == tensor.F64 {
			length /= e.Wide
		}
		var list []job
		for k, data := range Logs() {
			reduction := []tensor.Reduction{tensor.None, tensor.Sum, tensor.Mean}[(i+k)%3]
			given := weights
			if k%2 == 0 {
				given = nil
			}
			op := tensor.SoftmaxCrossEntropyLoss{Reduction: reduction, IgnoreIndex: &ignoredLabel}
			list = append(list, lossJob(op, reduction, d, data, length/classes, classes, given, indexTypes[k/2%2]))
		}
		all = append(all, jobs("crossentropy "+d.String(), "2 ULP of the log-probabilities, weighted and reduced, and of the result", list))
	}
	return all
}
