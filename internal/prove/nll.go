package prove

import (
	"fmt"
	"math/rand/v2"

	"vkops/tensor"
)

// losses strain sums of losses: [samples, 3] inputs, of which targets choose one each.
func losses() []Data {
	return append(Sums(), Data{"log-probabilities", logProbabilities})
}

func nllProofs(e Effort) []Proof {
	var all []Proof
	for i, d := range []tensor.DType{tensor.F16, tensor.F32, tensor.F64} {
		var list []job
		for k, data := range losses() {
			for _, reduction := range []tensor.Reduction{tensor.Mean, tensor.Sum, tensor.None} {
				samples := e.Length / 3
				if k == i {
					samples = e.Longest / 3
				}
				weights := []float64{0.3, 1.7, 0.9}
				if (k+int(reduction))%2 != 0 {
					weights = nil
				}
				op := tensor.NLL{Reduction: reduction, IgnoreIndex: &ignoredLabel}
				list = append(list, lossJob(op, reduction, d, data, samples, 3, weights, indexTypes[k%2]))
			}
		}
		all = append(all, jobs("nll "+d.String(), "1 ULP of the rounded losses' exact value where sums of magnitudes are small", list))
	}
	return all
}

var (
	ignoredLabel = int64(-100)
	indexTypes   = []tensor.DType{tensor.I32, tensor.I64}
)

// lossJob is a loss of [samples, classes] inputs, of which an eighth are ignored.
func lossJob(op tensor.Op, reduction tensor.Reduction, d tensor.DType, data Data, samples, classes int, weights []float64, labels tensor.DType) job {
	length := 1
	if reduction == tensor.None {
		length = samples
	}
	what := fmt.Sprintf("%s %s of %s, %d samples, %s labels, weighted %t", op.Name(), reduction, data.Name, samples, labels, weights != nil)
	return job{what, op, length, func(r *rand.Rand) ([]tensor.Dense, error) {
		x, err := Dense(d, data.Fill(r, samples*classes), samples, classes)
		if err != nil {
			return nil, err
		}
		target := make([]int64, samples)
		for i := range target {
			if target[i] = int64(r.IntN(classes)); r.IntN(8) == 0 {
				target[i] = ignoredLabel
			}
		}
		y, err := targets(labels, target)
		if err != nil || weights == nil {
			return []tensor.Dense{x, y}, err
		}
		w, err := Dense(d, weights)
		return []tensor.Dense{x, y, w}, err
	}}
}

func targets(d tensor.DType, labels []int64) (tensor.Dense, error) {
	if d == tensor.I64 {
		return tensor.Of(labels, len(labels))
	}
	narrow := make([]int32, len(labels))
	for i, v := range labels {
		narrow[i] = int32(v)
	}
	return tensor.Of(narrow, len(narrow))
}
