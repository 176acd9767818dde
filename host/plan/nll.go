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
	gathered    Role  // the chosen elements, where the rows of an item exceed a range; else -1
	chosen      bool  // gathered holds those of all samples from the start
	rows        int64 // rows of the input that a range holds
	grain       int64 // samples that may not be cut apart: those of an item
}

func newNLLPlanner(b *builder, op tensor.NLL, inputs []tensor.Type) *nllPlanner {
	return &nllPlanner{
		builder: b, op: op, view: op.View(inputs[0].Shape), dtype: inputs[0].DType, size: int64(inputs[0].DType.Size()),
		targetBytes: int64(inputs[1].DType.Size()), weighted: len(inputs) == 3, gathered: -1,
	}
}

// run plans an NLL: the losses, or the sums of tiles of samples and the way up the
// carry tree; in windows of samples.
func (n *nllPlanner) run() {
	b := n.builder
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
	n.grain = group
	if n.op.Reduction != tensor.None && b.plan.Strategy != Lane {
		n.grain = 4096 / max(4, n.size) // what has room in shared memory
	}
	if n.rows = b.limit(n.view.N*n.view.C*n.view.D, n.size) / max(1, n.view.C*n.view.D); !n.chosen && !n.itemsFit() {
		n.gathered = b.scratch(step * n.size)
	}
	var sums *nllSums
	if n.op.Reduction != tensor.None {
		k, err := shaders.Lookup(n.kernel("nll_finish"))
		if err != nil {
			b.fail("%v", err)
			return
		}
		sums = n.newSums(samples, step, int64(k.StateWords())*4)
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
	words := map[tensor.DType][]uint32{tensor.F16: {0x7e00}, tensor.BF16: {0x7fc0}, tensor.F32: {0x7fc00000}, tensor.F64: {0, 0x7ff80000}}[n.dtype]
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

// itemsFit is whether the rows from which the samples of an item choose always lie in
// one range. Rows that begin before the item are the worst case.
func (n *nllPlanner) itemsFit() bool {
	d := n.view.D
	return n.rows >= n.view.N || n.rows*d-(d-gcd(d, n.grain)) >= n.grain
}

func gcd(a, b int64) int64 {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}

// window plans what is done for some samples: in one piece, or in one for each
// stretch of the input's rows that a range holds.
func (n *nllPlanner) window(first, count int64, sums *nllSums) {
	if n.gathered >= 0 && !n.chosen {
		n.gather(first, count)
	}
	for at := int64(0); at < count && n.err == nil; {
		p := piece{first: first, count: count, at: at, end: count}
		if n.gathered < 0 {
			p.row = (first + at) / n.view.D
			p.rows = min(n.rows, n.view.N-p.row)
			if rest := (p.row+p.rows)*n.view.D - first; rest < count {
				p.end = rest / n.grain * n.grain
			}
		}
		if sums != nil {
			n.groups(p, sums)
		} else {
			n.losses(p)
		}
		at = p.end
	}
	if sums != nil {
		n.foldWindow(first, count, sums)
	}
	j := n.job("nll_status", first, count, 0)
	j.kernel, j.items, j.size, j.spec = "nll_status", 1, 1, j.spec[:2]
	set(j.push, "window_low", first&math.MaxUint32)
	set(j.push, "window_high", first>>32)
	j.bind = append(j.bind, n.statusRef())
	j.traffic = n.targetBytes + statusBytes
	n.dispatch(j)
}

func (n *nllPlanner) statusRef() NamedRef { return NamedRef{"status", Ref{n.status, 0, statusBytes}} }

// piece is the samples [at, end) of a window, which choose from some rows of the
// input.
type piece struct {
	first, count int64 // the window
	at, end      int64 // from first on
	row, rows    int64
}

// job is what the kernels that look at targets have in common.
func (n *nllPlanner) job(kernel string, first, count, sourceBase int64) job {
	targets, targetBase := n.bind(span{Input1, first, count, n.targetBytes})
	low, high := n.ignored()
	return job{
		kernel: n.kernel(kernel), size: n.laneSize(), items: count,
		spec: n.labelSpec(),
		push: []pushValue{
			{"samples", count}, {"samples_per_item", 1}, {"classes", n.view.C}, {"depth", n.view.D},
			{"first_d", first % n.view.D}, {"first_row", 0}, {"source_base", sourceBase}, {"target_base", targetBase}, {"result_base", 0},
			{"ignore_low", low}, {"ignore_high", high},
			{"window_low", 0}, {"window_high", 0}, {"window_count", 0}, {"first_state", 0},
		},
		bind: []NamedRef{{"targets", targets}},
	}
}

// labelSpec is the specialization of kernels that look at targets.
func (n *nllPlanner) labelSpec() []NameValue {
	return []NameValue{{"target_words", uint32(n.targetBytes / 4)}, {"ignoring", flag(n.op.IgnoreIndex != nil)}}
}

// ignored is the words of ignore_index.
func (n *nllPlanner) ignored() (low, high int64) {
	if n.op.IgnoreIndex == nil {
		return 0, 0
	}
	bits := uint64(*n.op.IgnoreIndex)
	return int64(bits & math.MaxUint32), int64(bits >> 32)
}

func set(push []pushValue, name string, value int64) {
	for i := range push {
		if push[i].name == name {
			push[i].value = value
		}
	}
}

// sampleJob is a job on samples and what they choose, so many of them an item; it has
// a status to write to.
func (n *nllPlanner) sampleJob(kernel string, p piece, perItem int64) job {
	var source Ref
	var base int64
	switch {
	case n.chosen:
		source, base = n.bind(span{n.gathered, p.first, p.count, n.size})
	case n.gathered >= 0:
		source, base = n.bind(span{n.gathered, 0, p.count, n.size})
	default:
		row := n.view.C * n.view.D
		source, base = n.bind(span{Input0, p.row * row, p.rows * row, n.size})
	}
	weights := source // has to be bound, is not read
	if n.weighted {
		weights, _ = n.bind(span{Input2, 0, n.view.C, n.size})
	}
	j := n.job(kernel, p.first, p.count, base)
	j.firstItem = p.at / perItem
	j.items = ceilDiv(p.end, perItem) - j.firstItem
	if n.gathered < 0 {
		set(j.push, "first_row", p.row-p.first/n.view.D)
	}
	j.spec = append(j.spec, NameValue{"weighted", flag(n.weighted)}, NameValue{"gathered", flag(n.gathered >= 0)})
	j.bind = append(j.bind, NamedRef{"source", source}, NamedRef{"weights", weights}, n.statusRef())
	samples := p.end - p.at
	j.traffic = samples * (n.targetBytes + n.size)
	if n.weighted { // they stay in a cache
		j.traffic += min(samples, n.view.C) * n.size
	}
	return j
}

// losses plans the result of the reduction `none`.
func (n *nllPlanner) losses(p piece) {
	perItem := int64(4) // losses are stored in quads
	if n.lim.SoftwareDevice {
		perItem = min(group, max(4, n.samplesPerItem(p.end-p.at)))
	}
	j := n.sampleJob("nll_losses", p, perItem)
	result, base := n.bind(span{Output, p.first, p.count, n.size})
	set(j.push, "result_base", base)
	set(j.push, "samples_per_item", perItem)
	j.spec = append(j.spec, NameValue{"vector_access", 1})
	j.bind = append(j.bind, NamedRef{"result", result})
	j.traffic += (p.end - p.at) * n.size
	n.dispatch(j)
}

// samplesPerItem is a power of two that leaves work for all threads.
func (n *nllPlanner) samplesPerItem(samples int64) int64 {
	size := int64(1)
	for size*2*manyItems <= samples {
		size *= 2
	}
	return size
}

// nllSums is where the sums lie: a tree from the tiles on, two states a node, and
// behind it those of a window's groups.
type nllSums struct {
	*tree
	firstGroup int64 // states
}

func (n *nllPlanner) newSums(samples, step, stateBytes int64) *nllSums {
	t := layOut(1, ceilDiv(samples, tile), 2, 1, stateBytes)
	n.room(t, -1, (t.states+2*ceilDiv(step, group))*stateBytes)
	return &nllSums{t, t.states}
}

// groups plans the sums of groups of samples.
func (n *nllPlanner) groups(p piece, sums *nllSums) {
	kernel := "nll_groups_lane"
	if n.plan.Strategy != Lane {
		kernel = "nll_groups_workgroup"
	}
	j := n.sampleJob(kernel, p, n.grain)
	if n.plan.Strategy != Lane {
		j.size, j.shared = n.sharedSize(), true
	} else {
		j.spec = append(j.spec, NameValue{"vector_access", 1})
	}
	set(j.push, "first_state", sums.firstGroup)
	j.spec = append(j.spec, NameValue{"mean", flag(n.op.Reduction == tensor.Mean)})
	j.bind = append(j.bind, sums.ref)
	j.traffic += 2 * ceilDiv(p.end-p.at, group) * sums.stateBytes
	n.dispatch(j)
}

// fold is the kernel that folds nodes of the tree; the states are CumSum's.
func (n *nllPlanner) fold() string {
	if n.dtype == tensor.F64 {
		return "scan_fold_lane_cumsum_f64"
	}
	return "scan_fold_lane_cumsum_f32"
}

// foldWindow plans the step from a window's groups to its tiles.
func (n *nllPlanner) foldWindow(first, count int64, sums *nllSums) {
	nodes, parents := ceilDiv(count, group), ceilDiv(count, tile)
	n.dispatch(job{
		kernel: n.fold(), size: n.laneSize(), items: 2 * parents,
		push: []pushValue{
			{"inner", 2}, {"nodes", nodes}, {"parents", parents},
			{"node_base", sums.firstGroup}, {"parent_base", 2 * (first / tile)},
		},
		bind:    []NamedRef{sums.ref},
		traffic: 2 * (nodes + parents) * sums.stateBytes,
	})
}

// finish plans the way up the tree and the result.
func (n *nllPlanner) finish(sums *nllSums) {
	root := len(sums.nodes) - 1
	for level := range root {
		n.level(sums.tree, n.fold(), level)
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
func (n *nllPlanner) gather(first, count int64) {
	row := n.view.C * n.view.D
	slab := first / n.view.D * row // the input at [n, 0, 0]
	end := ((first+count-1)/n.view.D + 1) * row
	for from := slab; from < end; from += n.maxRange / n.size {
		window := min(n.maxRange/n.size, end-from)
		// Only samples of the rows that the window touches can choose from it.
		lo := max(first, from/row*n.view.D) - first
		hi := min(first+count, ((from+window-1)/row+1)*n.view.D) - first
		source, base := n.bind(span{Input0, from, window, n.size})
		result, _ := n.bind(span{n.gathered, 0, count, n.size})
		j := n.job("nll_gather", first, count, base)
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
