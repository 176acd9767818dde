package plan

import (
	"math"

	"vkops/shaders"
	"vkops/tensor"
)

// The words of the status buffer: those of Plan.Status, then the smallest position
// in the current window whose target is out of range.
const (
	statusBytes     = 24
	candidateOffset = 20
)

// nllPlanner plans an NLL.
type nllPlanner struct {
	*builder
	op          tensor.NLL
	view        tensor.NLLView
	dtype       tensor.DType
	size        int64 // bytes of an element
	targetBytes int64
	weighted    bool
	status      Role
	gathered    Role // the chosen elements, where the input exceeds a range; else -1
}

// nll plans an NLL: the losses, or the sums of tiles of samples and the way up the
// carry tree; in windows of samples.
func (b *builder) nll(op tensor.NLL, inputs []tensor.Type) {
	n := &nllPlanner{
		builder: b, op: op, view: op.View(inputs[0].Shape), dtype: inputs[0].DType, size: int64(inputs[0].DType.Size()),
		targetBytes: int64(inputs[1].DType.Size()), weighted: len(inputs) == 3, gathered: -1,
	}
	samples := n.view.Samples()
	if samples == 0 {
		n.empty()
		return
	}
	step := min(samples, b.limit(samples, max(n.size, n.targetBytes))/tile*tile)
	if samples <= b.limit(samples, max(n.size, n.targetBytes)) {
		step = samples
	}
	if step == 0 {
		b.fail("the targets of a tile exceed the range of %d bytes", b.fullRange)
		return
	}
	if n.view.D+step > math.MaxUint32 {
		b.fail("%d samples for each of %d items", n.view.D, n.view.N)
		return
	}
	n.status = b.scratch(statusBytes)
	b.plan.Status = int(n.status - Scratch0)
	b.fill(Ref{n.status, 0, candidateOffset}, 0)
	b.fill(Ref{n.status, candidateOffset, 4}, math.MaxUint32)
	if elements := n.view.N * n.view.C * n.view.D; elements > b.fullRange/n.size {
		n.gathered = b.scratch(step * n.size)
	}
	var sums *tree
	if op.Reduction != tensor.None {
		k, err := shaders.Lookup(n.kernel("nll_finish"))
		if err != nil {
			b.fail("%v", err)
			return
		}
		sums = b.newTree(-1, 1, ceilDiv(samples, tile), 2, 1, int64(k.StateWords())*4)
	}
	for first := int64(0); first < samples; first += step {
		n.window(first, min(step, samples-first), sums)
	}
	if sums != nil {
		n.finish(sums)
	}
}

func (n *nllPlanner) kernel(name string) string { return name + "_" + variant(n.dtype) }

// empty plans the result without samples: no losses, sum 0, mean NaN.
func (n *nllPlanner) empty() {
	words := map[tensor.DType][]uint32{tensor.F16: {0x7e00}, tensor.F32: {0x7fc00000}, tensor.F64: {0, 0x7ff80000}}[n.dtype]
	switch n.op.Reduction {
	case tensor.None:
	case tensor.Sum:
		n.fill(Ref{Output, 0, int64(4 * len(words))}, 0)
	default:
		for i, word := range words {
			n.fill(Ref{Output, int64(4 * i), 4}, word)
		}
	}
}

// window plans what is done for some samples.
func (n *nllPlanner) window(first, count int64, sums *tree) {
	slab := first / n.view.D * n.view.C * n.view.D // the input at [n, 0, 0]
	if n.gathered >= 0 {
		n.gather(first, count, slab)
	}
	if sums != nil {
		n.tiles(first, count, slab, sums)
	} else {
		n.losses(first, count, slab)
	}
	j := n.job("nll_status", first, count, 0, 0)
	j.kernel, j.items, j.size, j.spec = "nll_status", 1, 1, j.spec[:2]
	set(j.push, "window_low", first&math.MaxUint32)
	set(j.push, "window_high", first>>32)
	j.bind = append(j.bind, n.statusRef())
	j.traffic = n.targetBytes + statusBytes
	n.dispatch(j)
}

func (n *nllPlanner) statusRef() NamedRef { return NamedRef{"status", Ref{n.status, 0, statusBytes}} }

// job is what the kernels that look at targets have in common.
func (n *nllPlanner) job(kernel string, first, count, sourceBase, resultBase int64) job {
	targets, targetBase := n.bind(span{Input1, first, count, n.targetBytes})
	var ignore uint64
	if n.op.IgnoreIndex != nil {
		ignore = uint64(*n.op.IgnoreIndex)
	}
	return job{
		kernel: n.kernel(kernel), size: n.laneSize(), items: count,
		spec: []NameValue{{"target_words", uint32(n.targetBytes / 4)}, {"ignoring", flag(n.op.IgnoreIndex != nil)}},
		push: []pushValue{
			{"samples", count}, {"samples_per_item", 1}, {"classes", n.view.C}, {"depth", n.view.D},
			{"first_d", first % n.view.D}, {"source_base", sourceBase}, {"target_base", targetBase}, {"result_base", resultBase},
			{"ignore_low", int64(ignore & math.MaxUint32)}, {"ignore_high", int64(ignore >> 32)},
			{"window_low", 0}, {"window_high", 0}, {"window_count", 0}, {"first_tile", first / tile},
		},
		bind: []NamedRef{{"targets", targets}},
	}
}

func set(push []pushValue, name string, value int64) {
	for i := range push {
		if push[i].name == name {
			push[i].value = value
		}
	}
}

// sampleJob is a job on samples and what they choose; it has a status to write to.
func (n *nllPlanner) sampleJob(kernel string, first, count, slab, resultBase int64) job {
	var source Ref
	var base int64
	if n.gathered >= 0 {
		source, base = n.bind(span{n.gathered, 0, count, n.size})
	} else {
		source, base = n.bind(span{Input0, 0, n.view.N * n.view.C * n.view.D, n.size})
		base += slab
	}
	weights := source // has to be bound, is not read
	if n.weighted {
		weights, _ = n.bind(span{Input2, 0, n.view.C, n.size})
	}
	j := n.job(kernel, first, count, base, resultBase)
	j.spec = append(j.spec, NameValue{"weighted", flag(n.weighted)}, NameValue{"gathered", flag(n.gathered >= 0)})
	j.bind = append(j.bind, NamedRef{"source", source}, NamedRef{"weights", weights}, n.statusRef())
	j.traffic = count * (n.targetBytes + n.size)
	if n.weighted {
		j.traffic += count * n.size
	}
	return j
}

// losses plans the result of the reduction `none` for a window.
func (n *nllPlanner) losses(first, count, slab int64) {
	result, base := n.bind(span{Output, first, count, n.size})
	j := n.sampleJob("nll_losses", first, count, slab, base)
	perItem := int64(2) // 16-bit losses are stored in pairs
	if n.lim.SoftwareDevice {
		perItem = min(1024, max(2, count/manyItems/2*2))
	}
	j.items = ceilDiv(count, perItem)
	set(j.push, "samples_per_item", perItem)
	j.bind = append(j.bind, NamedRef{"result", result})
	j.traffic += count * n.size
	n.dispatch(j)
}

// tiles plans the sums of a window's tiles.
func (n *nllPlanner) tiles(first, count, slab int64, sums *tree) {
	kernel := "nll_tiles_lane"
	if n.plan.Strategy != Lane {
		kernel = "nll_tiles_workgroup"
	}
	j := n.sampleJob(kernel, first, count, slab, 0)
	j.items = ceilDiv(count, tile)
	if n.plan.Strategy != Lane {
		j.size, j.shared = n.sharedSize(), true
	}
	j.spec = append(j.spec, NameValue{"mean", flag(n.op.Reduction == tensor.Mean)})
	j.bind = append(j.bind, sums.ref)
	j.traffic += 2 * j.items * sums.stateBytes
	n.dispatch(j)
}

// finish plans the way up the tree and the result.
func (n *nllPlanner) finish(sums *tree) {
	fold := "scan_fold_lane_cumsum_f32" // the states are CumSum's
	if n.dtype == tensor.F64 {
		fold = "scan_fold_lane_cumsum_f64"
	}
	root := len(sums.nodes) - 1
	for level := range root {
		n.level(sums, fold, level)
	}
	result, _ := n.bind(span{Output, 0, 1, n.size})
	n.dispatch(job{
		kernel: n.kernel("nll_finish"), size: 1, items: 1,
		spec:    []NameValue{{"mean", flag(n.op.Reduction == tensor.Mean)}},
		push:    []pushValue{{"root", sums.base[root]}},
		bind:    []NamedRef{sums.ref, {"result", result}},
		traffic: 2*sums.stateBytes + n.size,
	})
}

// gather plans the copy of the chosen elements out of an input that exceeds a
// range, window by window of the input.
func (n *nllPlanner) gather(first, count, slab int64) {
	row := n.view.C * n.view.D
	end := ((first+count-1)/n.view.D + 1) * row
	for from := slab; from < end; from += n.maxRange / n.size {
		window := min(n.maxRange/n.size, end-from)
		// Only samples of the rows that the window touches can choose from it.
		lo := max(first, from/row*n.view.D) - first
		hi := min(first+count, ((from+window-1)/row+1)*n.view.D) - first
		source, base := n.bind(span{Input0, from, window, n.size})
		result, _ := n.bind(span{n.gathered, 0, count, n.size})
		j := n.job("nll_gather", first, count, base, 0)
		perItem := max(1, 4/n.size) // an item is a word, or an element of 64 bits
		j.firstItem = lo / perItem
		j.items = ceilDiv(hi, perItem) - j.firstItem
		set(j.push, "window_low", (from-slab)&math.MaxUint32)
		set(j.push, "window_high", (from-slab)>>32)
		set(j.push, "window_count", window)
		j.bind = append(j.bind, NamedRef{"source", source}, NamedRef{"result", result})
		j.traffic = (hi - lo) * (n.targetBytes + 2*n.size)
		n.dispatch(j)
	}
}
