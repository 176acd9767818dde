package plan

import (
	"math"

	"vkops/shaders"
	"vkops/tensor"
)

// The size of the status buffer of a loss: the words of Plan.Status, then the smallest
// position in the current window whose target is out of range.
const (
	StatusBytes     = 24
	candidateOffset = 20
)

// maxTexelBytes is what is seen of a buffer through texels at most: lavapipe's offsets
// into them are signed.
const maxTexelBytes = 1 << 30

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
	chosen      bool  // gathered holds those from sample firstHeld on, before a window's kernels run
	rows        int64 // rows of the input that a kernel sees
	grain       int64 // samples that may not be cut apart: those of an item
	// Where targets, weights and the result are, which may be windows of those of the host.
	targets, weights, result Role
	firstHeld                int64 // the sample that targets and result begin with
	hosted                   *lossWindows
}

func newNLLPlanner(b *builder, op tensor.NLL, inputs []tensor.Type) *nllPlanner {
	n := &nllPlanner{
		builder: b, op: op, view: op.View(inputs[0].Shape), dtype: inputs[0].DType, size: int64(inputs[0].DType.Size()),
		targetBytes: int64(inputs[1].DType.Size()), weighted: len(inputs) == 3, gathered: -1,
		targets: Input1, weights: Input2, result: Output,
	}
	if b.lim.HostWindow != 0 {
		n.hosted = &lossWindows{}
	}
	return n
}

// run plans an NLL: the losses, or the sums of tiles of samples and the way up the
// carry tree; in windows of samples.
func (n *nllPlanner) run() {
	b := n.builder
	samples := n.view.Samples()
	if samples == 0 {
		if n.hosted != nil {
			b.fail("no samples to bring")
		}
		n.empty()
		return
	}
	limit := b.limit(samples, max(n.size, n.targetBytes))
	if n.hosted != nil {
		limit = min(limit, n.windowSamples())
	}
	step := samples
	if samples > limit {
		step = limit / tile * tile
	}
	if step == 0 {
		b.fail("the targets of a tile exceed the range of %d bytes", b.fullRange)
		return
	}
	if n.view.D+step > math.MaxUint32 {
		b.fail("%d samples for each of %d items", n.view.D, n.view.N)
		return
	}
	n.status = b.scratch(StatusBytes)
	b.plan.Status = int(n.status - Scratch0)
	b.fill(Ref{n.status, 0, candidateOffset}, 0)
	b.fill(Ref{n.status, candidateOffset, 4}, math.MaxUint32)
	if n.hosted != nil {
		n.hold(step)
	}
	n.setRows()
	if n.setGrain(step); !n.chosen && !n.itemsFit() {
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
		n.finish(sums, (samples-1)/step*step, samples)
	}
}

// setRows finds how much of the input a kernel sees: a range, or where lanes load single
// elements through texels, all that these reach.
func (n *nllPlanner) setRows() {
	row := max(1, n.view.C*n.view.D)
	n.rows = n.limit(n.view.N*row, n.size) / row
	if n.lim.SoftwareDevice && n.plan.Strategy == Lane && n.lim.MaxRange == 0 {
		texels := int64(min(n.lim.Caps.MaxTexelElements, math.MaxInt32))
		n.rows = max(n.rows, (min(texels*max(wordBytes, n.size), maxTexelBytes)-n.alignment)/(row*n.size))
	}
}

// lanes is the workgroup size of kernels whose lanes walk samples side by side, at most a
// tile of them at once.
func (n *nllPlanner) lanes() uint32 { return min(n.laneSize(), group) }

// setGrain finds how many samples an item takes: as many as leave work for all threads,
// and whose elements lie in what a kernel sees.
func (n *nllPlanner) setGrain(samples int64) {
	lanes := int64(n.lanes())
	switch {
	case n.op.Reduction == tensor.None:
		n.grain = 4 * lanes
	case n.plan.Strategy == Lane:
		n.grain = radix * lanes
	default:
		n.grain = 4096 / max(4, n.size) // what has room in shared memory
		return
	}
	if !n.lim.SoftwareDevice {
		return
	}
	least := n.grain
	for n.grain < tile && 2*n.grain*manyItems <= samples {
		n.grain *= 2
	}
	for n.grain > least && !n.chosen && !n.itemsFit() {
		n.grain /= 2
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
	if n.hosted != nil {
		n.bring(first, count)
	}
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
			n.nodes(p, sums)
		} else {
			n.losses(p)
		}
		at = p.end
	}
	if sums != nil {
		n.foldWindow(first, count, sums)
	}
	if sums == nil || first+count < n.view.Samples() {
		n.report(first, count)
	}
	if sums == nil && n.hosted != nil {
		n.take(first, count)
	}
}

// report plans the report of a bad target of a window.
func (n *nllPlanner) report(first, count int64) {
	j := n.job("nll_status", first, count, 0)
	j.kernel, j.items, j.size = "nll_status", 1, 1
	setPush(j.push, "window_low", first&math.MaxUint32)
	setPush(j.push, "window_high", first>>32)
	j.bind = append(j.bind, n.statusRef())
	j.traffic = n.targetBytes + StatusBytes
	n.dispatch(j)
}

func (n *nllPlanner) statusRef() NamedRef { return NamedRef{"status", Ref{n.status, 0, StatusBytes}} }

// piece is the samples [at, end) of a window, which choose from some rows of the
// input.
type piece struct {
	first, count int64 // the window
	at, end      int64 // from first on
	row, rows    int64
}

// job is what the kernels that look at targets have in common.
func (n *nllPlanner) job(kernel string, first, count, sourceBase int64) job {
	targets, targetBase := n.bind(span{n.targets, first - n.firstHeld, count, n.targetBytes})
	low, high := n.ignored()
	return job{
		kernel: n.kernel(kernel), size: n.lanes(), items: count,
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

func setPush(push []pushValue, name string, value int64) {
	for i := range push {
		if push[i].name == name {
			push[i].value = value
		}
	}
}

// sampleJob is a job on samples and what they choose, a grain of them an item; it has
// a status to write to.
func (n *nllPlanner) sampleJob(kernel string, p piece) job {
	var source Ref
	var base int64
	var texels []NamedRef // of the input, where they are not those of its range
	switch {
	case n.chosen:
		source, base = n.bind(span{n.gathered, p.first - n.firstHeld, p.count, n.size})
	case n.gathered >= 0:
		source, base = n.bind(span{n.gathered, 0, p.count, n.size})
	default:
		row := n.view.C * n.view.D
		source, base = n.around(span{Input0, p.row * row, p.rows * row, n.size})
		if source.Size > n.fullRange { // then the kernel uses texels only
			name := "source_words"
			if n.size > wordBytes {
				name = "source_word_pairs"
			}
			texels = []NamedRef{{name, source}}
			source.Size = n.fullRange
		}
	}
	weights := source // has to be bound, is not read
	if n.weighted {
		weights, _ = n.bind(span{n.weights, 0, n.view.C, n.size})
	}
	j := n.job(kernel, p.first, p.count, base)
	j.shared = true
	j.firstItem = p.at / n.grain
	j.items = ceilDiv(p.end, n.grain) - j.firstItem
	setPush(j.push, "samples_per_item", n.grain)
	if n.gathered < 0 {
		setPush(j.push, "first_row", p.row-p.first/n.view.D)
	}
	j.spec = append(j.spec, NameValue{"weighted", flag(n.weighted)}, NameValue{"gathered", flag(n.gathered >= 0)})
	j.bind = append(append(j.bind, NamedRef{"source", source}, NamedRef{"weights", weights}, n.statusRef()), texels...)
	samples := p.end - p.at
	j.traffic = samples * (n.targetBytes + n.size)
	if n.weighted { // they stay in a cache
		j.traffic += min(samples, n.view.C) * n.size
	}
	return j
}

// losses plans the result of the reduction `none`.
func (n *nllPlanner) losses(p piece) {
	j := n.sampleJob("nll_losses", p)
	result, base := n.bind(span{n.result, p.first - n.firstHeld, p.count, n.size})
	setPush(j.push, "result_base", base)
	j.spec = append(j.spec, NameValue{"vector_access", 1})
	j.bind = append(j.bind, NamedRef{"result", result})
	j.traffic += (p.end - p.at) * n.size
	n.dispatch(j)
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
		setPush(j.push, "window_low", (from-slab)&math.MaxUint32)
		setPush(j.push, "window_high", (from-slab)>>32)
		setPush(j.push, "window_count", window)
		j.bind = append(j.bind, NamedRef{"source", source}, NamedRef{"result", result})
		j.traffic = (hi - lo) * (n.targetBytes + 2*n.size)
		n.dispatch(j)
	}
}
