package plan

import "vkops/tensor"

// lossWindows is what a loss of tensors that stay with the host has of them on the
// device: windows of samples. The host brings one while the device works on another.
type lossWindows struct {
	targets, gathered, results [2]Role
	brought                    int
	softmax                    *softmaxPlanner // what is gathered are its log-probabilities; nil: elements of the input
}

// windowSamples is how many samples a window may have: a quarter of what a window of the
// input holds, since there are more kinds of them, but a tile.
func (n *nllPlanner) windowSamples() int64 {
	most := n.lim.HostWindow / max(n.size, n.targetBytes)
	return min(most, max(tile, most/4))
}

// hold makes room for windows of so many samples, and brings the weights.
func (n *nllPlanner) hold(samples int64) {
	turns := 2
	if samples == n.view.Samples() {
		turns = 1
	}
	for i := range turns {
		n.hosted.targets[i] = n.scratch(samples * n.targetBytes)
		n.hosted.gathered[i] = n.scratch(samples * n.size)
		if n.op.Reduction == tensor.None {
			n.hosted.results[i] = n.scratch(samples * n.size)
		}
	}
	n.chosen = true
	if n.op.Reduction != tensor.None {
		n.result = n.scratch(n.size)
	}
	if n.weighted {
		n.weights = n.scratch(n.view.C * n.size)
		step := n.lim.HostWindow / n.size
		for c := int64(0); c < n.view.C; c += step {
			n.copyElements(span{n.weights, c, min(step, n.view.C-c), n.size}, Input2, c)
		}
	}
}

// bring plans that the next windows have the targets of some samples and the elements
// that these choose.
func (n *nllPlanner) bring(first, count int64) {
	h := n.hosted
	turn := h.brought % 2
	h.brought++
	n.targets, n.gathered, n.firstHeld = h.targets[turn], h.gathered[turn], first
	if n.op.Reduction == tensor.None {
		n.result = h.results[turn]
	}
	n.copyElements(span{n.targets, 0, count, n.targetBytes}, Input1, first)
	if h.softmax == nil {
		n.choose(first, count)
		return
	}
	h.softmax.next = 0
	for end := first + count; first < end; {
		in := box{outer: first / n.view.D, outers: 1, column: first % n.view.D}
		in.columns = min(n.view.D-in.column, end-first)
		if in.columns == n.view.D {
			in.outers = (end - first) / n.view.D
		}
		h.softmax.cutHost(h.softmax.view, in)
		first += in.outers * in.columns
	}
}

// take plans that elements of the result go to the output.
func (n *nllPlanner) take(first, count int64) {
	n.copyElements(span{Output, first, count, n.size}, n.result, 0)
}

// copyElements plans a copy to a span from as many elements of a buffer.
func (n *nllPlanner) copyElements(to span, from Role, first int64) {
	n.copyRect(to, span{role: from, first: first, size: to.size}, to.count, to.count, to.count, 1)
}

// choose plans that the host brings what targets choose.
func (n *nllPlanner) choose(first, count int64) {
	to := Ref{n.gathered, 0, count * n.size}
	n.depend(nil, []Ref{to})
	n.add(Step{Kind: Choose, Dst: to, First: first, Samples: count, Traffic: count * (n.targetBytes + 2*n.size)})
}
