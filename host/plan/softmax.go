package plan

import (
	"math"

	"vkops/shaders"
	"vkops/tensor"
)

// softmaxPlanner plans a LogSoftmax, or the log-probabilities that a loss needs.
type softmaxPlanner struct {
	*scanner
	view tensor.View
	next int64       // the first line of the next set, in the loss's window
	loss *nllPlanner // whose elements are the log-probabilities that labels choose; nil for LogSoftmax
}

// passes are the parts of the work that a dispatch does.
type passes struct{ findLargest, addUp, putOut bool }

func (b *builder) softmax(dtype tensor.DType, view tensor.View, loss *nllPlanner) {
	if view.Elements() == 0 {
		return
	}
	if p := b.newSoftmax(dtype, view, loss); p != nil {
		p.cut(view)
	}
}

func (b *builder) newSoftmax(dtype tensor.DType, view tensor.View, loss *nllPlanner) *softmaxPlanner {
	kernels := scanKernels{"softmax", dtype}
	kernel, err := shaders.Lookup(kernels.states("scan_fold_lane"))
	if err != nil {
		b.fail("%v", err)
		return nil
	}
	p := &softmaxPlanner{view: view, loss: loss}
	p.scanner = &scanner{
		builder: b, scanKernels: kernels, stateBytes: int64(kernel.StateWords()) * 4, statesRole: -1, planSet: p.plan,
	}
	return p
}

// plan plans the passes over a set: all in one dispatch where there are many lines or
// short ones, else one after the other with the way up the tree after the first two.
func (p *softmaxPlanner) plan(set *scanSet) {
	first, whole := p.next, p.takesWhole(set)
	p.next += set.outers * set.columns
	output := p.loss == nil
	nodes := set.nodes(tile)
	if whole {
		nodes = 1
	}
	var t *tree
	if !whole || !output {
		t = p.newTree(p.statesRole, set.outers, nodes, set.inner, 1, p.stateBytes)
		p.statesRole = t.ref.Role
	}
	if !whole {
		for _, pass := range []passes{{findLargest: true}, {addUp: true}} {
			for i := range set.windows {
				if pass.findLargest || len(set.windows) > 1 {
					set.windows[i].bring()
				}
				p.pass(set, &set.windows[i], pass, 1, t)
			}
			for level := range len(t.nodes) - 1 {
				p.level(t, p.states("scan_fold_lane"), level)
			}
		}
	}
	for i := range set.windows {
		w := &set.windows[i]
		if whole || len(set.windows) > 1 {
			w.bring()
		}
		switch {
		case whole:
			p.pass(set, w, passes{true, true, output}, set.nodes(tile), t)
		case output:
			p.pass(set, w, passes{putOut: true}, 1, t)
		}
		if output {
			w.take()
		} else {
			p.gather(set, w, first, t)
		}
	}
}

// form is how a set's elements are shared out.
func (p *softmaxPlanner) form(set *scanSet) form {
	switch {
	case set.inner > 1:
		return columnForm
	case p.builder.plan.Strategy == Lane:
		return laneForm
	default:
		return tileForm
	}
}

// takesWhole is whether each item is a whole line, or block of columns.
func (p *softmaxPlanner) takesWhole(set *scanSet) bool {
	items, most := set.lines(), int64(16) // the tree has one level above 16 tiles
	if p.lim.SoftwareDevice {
		most = 3 // within maxLoops
	}
	if len(set.windows) > 1 || set.nodes(tile) > most {
		return false
	}
	enough := p.manyItems()
	if p.form(set) == tileForm {
		enough = manyItems // workgroups
	}
	return set.nodes(tile) == 1 || items >= enough
}

// length is how many positions of a window count: one may have been added to give
// lines an even pitch.
func (p *softmaxPlanner) length(w *scanWindow) int64 { return min(w.n, p.view.N-w.first) }

// pass plans a dispatch over a window, with some tiles for each item.
func (p *softmaxPlanner) pass(set *scanSet, w *scanWindow, do passes, perItem int64, t *tree) {
	walk := walk{form: p.form(set), leaf: tile, perItem: perItem}
	j := p.elementJob(set, w, "softmax", walk)
	source, base := p.bind(w.source)
	result, resultBase := source, int64(0) // has to be bound, is not written
	bases := []int64{base}
	if do.putOut {
		result, resultBase = p.bind(w.result)
		bases = append(bases, resultBase)
	} else {
		result = t.ref.Ref
	}
	states, root := source, int64(0) // likewise
	if t != nil {
		states, root = t.ref.Ref, t.base[len(t.base)-1]
		if perItem > 1 {
			setPush(j.push, "line_tiles", 1)
		}
	}
	j.push = append(j.push, pushValue{"source_base", base}, pushValue{"result_base", resultBase},
		pushValue{"positions", p.length(w)}, pushValue{"root", root})
	j.spec = p.vectors(j.spec, set, w, walk, bases...)
	j.spec = append(j.spec, NameValue{"find_largest", flag(do.findLargest)}, NameValue{"add_up", flag(do.addUp)}, NameValue{"put_out", flag(do.putOut)})
	j.bind = []NamedRef{{"source", source}, {"result", result}, {"states", states}}
	for _, walked := range []bool{do.findLargest, do.addUp, do.putOut, do.putOut} { // the last reads, and writes
		if walked {
			j.traffic += p.elementBytes(set, w)
		}
	}
	p.dispatch(j)
}

// gather plans the choice of the samples of a set, whose first sample is given, from a
// window.
func (p *softmaxPlanner) gather(set *scanSet, w *scanWindow, first int64, t *tree) {
	count := set.outers * set.columns
	source, sourceBase := p.bind(w.source)
	result, resultBase := p.bind(span{p.loss.gathered, first, count, p.loss.size})
	targets, targetBase := p.bind(span{p.loss.targets, first, count, p.loss.targetBytes})
	j := job{kernel: p.elements("softmax_gather"), size: p.laneSize(), shared: true}
	perWord := max(1, wordBytes/p.loss.size)
	firstWord, wordEnd := resultBase/perWord, ceilDiv(resultBase+count, perWord)
	perItem := int64(j.size)
	for p.lim.SoftwareDevice && perItem < group && 2*perItem*manyItems <= wordEnd-firstWord {
		perItem *= 2
	}
	j.items = ceilDiv(wordEnd-firstWord, perItem)
	j.spec = p.loss.labelSpec()
	low, high := p.loss.ignored()
	j.push = []pushValue{
		{"first_word", firstWord}, {"word_end", wordEnd}, {"words_per_item", perItem},
		{"samples", count}, {"columns", set.columns}, {"n", w.n}, {"inner", set.inner}, {"classes", p.view.N},
		{"first_class", w.first}, {"positions", p.length(w)},
		{"source_base", sourceBase}, {"target_base", targetBase}, {"result_base", resultBase},
		{"root", t.base[len(t.base)-1]}, {"ignore_low", low}, {"ignore_high", high},
	}
	j.bind = []NamedRef{{"source", source}, {"result", result}, {"states", t.ref.Ref}, {"targets", targets}}
	j.traffic = count * (2*p.loss.size + p.loss.targetBytes + p.stateBytes)
	p.dispatch(j)
}

// crossEntropy plans the chosen log-probabilities, and then an NLL of them.
func (b *builder) crossEntropy(op tensor.SoftmaxCrossEntropyLoss, inputs []tensor.Type) {
	n := newNLLPlanner(b, op.NLL(), inputs)
	view := tensor.View{Outer: n.view.N, N: n.view.C, Inner: n.view.D}
	switch samples := n.view.Samples(); {
	case samples == 0:
	case n.hosted != nil:
		if n.view.C > 0 {
			n.hosted.softmax = b.newSoftmax(n.dtype, view, n)
		}
	case samples > math.MaxInt64/n.size:
		b.fail("%d samples", samples)
	default:
		n.gathered, n.chosen = b.scratch(samples*n.size), true
		b.softmax(n.dtype, view, n)
	}
	n.run()
}
