package plan

import (
	"math"

	"vkops/tensor"
)

// nllSums is where the sums lie, two states a node: a tree, and behind it the nodes of a
// window that the first pass writes. Where these are all, and few, they are the tree.
type nllSums struct {
	*tree
	firstNode int64 // states
	direct    bool
}

// nodeSamples is how many samples a node of the first pass has.
func (n *nllPlanner) nodeSamples() int64 {
	if n.plan.Strategy == Lane {
		return radix
	}
	return group
}

// lastNodes is how many nodes the last pass folds with a single invocation: on a CPU as
// many as take less time than another pass.
func (n *nllPlanner) lastNodes() int64 {
	if n.lim.SoftwareDevice {
		return 1024
	}
	return radix
}

func (n *nllPlanner) newSums(samples, step, stateBytes int64) *nllSums {
	if nodes := ceilDiv(samples, n.nodeSamples()); step == samples && nodes <= n.lastNodes() {
		t := layOut(1, nodes, 2, nodes, stateBytes)
		n.room(t, -1, t.states*stateBytes)
		return &nllSums{t, 0, true}
	}
	t := layOut(1, ceilDiv(samples, tile), 2, n.lastNodes(), stateBytes)
	n.room(t, -1, (t.states+2*ceilDiv(step, n.nodeSamples()))*stateBytes)
	return &nllSums{t, t.states, false}
}

// nodes plans the first pass: the sums of runs, or of groups of samples.
func (n *nllPlanner) nodes(p piece, sums *nllSums) {
	var j job
	if n.plan.Strategy == Lane {
		j = n.sampleJob("nll_runs_lane", p)
		j.spec = append(j.spec, NameValue{"vector_access", 1})
	} else {
		j = n.sampleJob("nll_groups_workgroup", p)
		j.size = n.sharedSize()
	}
	setPush(j.push, "first_state", sums.firstNode)
	j.spec = append(j.spec, n.meanSpec())
	j.bind = append(j.bind, sums.ref)
	j.traffic += 2 * ceilDiv(p.end-p.at, n.nodeSamples()) * sums.stateBytes
	n.dispatch(j)
}

func (n *nllPlanner) meanSpec() NameValue {
	return NameValue{"mean", flag(n.op.Reduction == tensor.Mean)}
}

// stateType is the type of a kernel that touches only states.
func (n *nllPlanner) stateType() string {
	if n.dtype == tensor.F64 {
		return "f64"
	}
	return "f32"
}

// fold is the kernel that folds nodes of the tree; the states are CumSum's.
func (n *nllPlanner) fold() string { return "scan_fold_lane_cumsum_" + n.stateType() }

// foldWindow plans the step from a window's nodes to its tiles.
func (n *nllPlanner) foldWindow(first, count int64, sums *nllSums) {
	if sums.direct {
		return
	}
	nodes, parents := ceilDiv(count, n.nodeSamples()), ceilDiv(count, tile)
	j := job{
		kernel: n.fold(), size: n.laneSize(), items: 2 * parents,
		push: []pushValue{
			{"inner", 2}, {"nodes", nodes}, {"parents", parents},
			{"node_base", sums.firstNode}, {"parent_base", 2 * (first / tile)},
		},
		bind:    []NamedRef{sums.ref},
		traffic: 2 * (nodes + parents) * sums.stateBytes,
	}
	if n.plan.Strategy == Lane { // two levels at once
		j.kernel, j.items = "nll_fold_"+n.stateType(), parents
		j.spec = []NameValue{n.meanSpec(), {"vector_access", 1}}
		j.push = []pushValue{{"nodes", nodes}, {"node_base", sums.firstNode}, {"parent_base", 2 * (first / tile)}}
	}
	n.dispatch(j)
}

// finish plans the way up the tree, the result and the report of the last window.
func (n *nllPlanner) finish(sums *nllSums, first, samples int64) {
	top := len(sums.tree.nodes) - 1
	for level := range top {
		n.level(sums.tree, n.fold(), level)
	}
	result, _ := n.bind(span{n.result, 0, 1, n.size})
	targets, targetBase := n.bind(span{n.targets, first - n.firstHeld, samples - first, n.targetBytes})
	low, high := n.ignored()
	n.dispatch(job{
		kernel: n.kernel("nll_finish"), size: 1, items: 1,
		spec: append(n.labelSpec(), n.meanSpec(), NameValue{"vector_access", 1}),
		push: []pushValue{
			{"nodes", sums.tree.nodes[top]}, {"node_base", sums.base[top]}, {"classes", n.view.C}, {"target_base", targetBase},
			{"ignore_low", low}, {"ignore_high", high}, {"window_low", first & math.MaxUint32}, {"window_high", first >> 32},
		},
		bind:    []NamedRef{sums.ref, {"result", result}, {"targets", targets}, n.statusRef()},
		traffic: 2*sums.tree.nodes[top]*sums.stateBytes + n.size + n.targetBytes + StatusBytes,
	})
	if n.hosted != nil {
		n.take(0, 1)
	}
}
