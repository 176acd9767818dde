package prove

import "vkops/tensor"

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
		all = append(all, jobs("logsoftmax "+d.String(), bound, list))
	}
	return all
}
