package plan

import (
	"vkops/shaders"
	"vkops/tensor"
)

// The carry tree has radix 16; a tile is three levels of it.
const (
	radix = 16
	group = radix * radix
	tile  = radix * group
)

// maxLoops bounds the iterations of an invocation. Lavapipe ends all loops of one
// together after 65,535, silently.
const maxLoops = 60000

// maxTilesPerItem bounds the tiles that one lane walks; a tile takes up to
// 16 + 256 + 4096 iterations.
const maxTilesPerItem = maxLoops / (tile + tile/radix + radix + 1)

// scanKernels names the kernels of a scan operator.
type scanKernels struct {
	op    string
	dtype tensor.DType
}

// elements names a kernel that reads elements.
func (k scanKernels) elements(kernel string) string {
	return kernel + "_" + k.op + "_" + variant(k.dtype)
}

// states names a kernel that reads states only. 16-bit types have float32's states.
func (k scanKernels) states(kernel string) string {
	dtype := k.dtype
	if dtype.Size() == 2 {
		dtype = tensor.F32
	}
	return kernel + "_" + k.op + "_" + variant(dtype)
}

// variant is the element type in names of kernels.
func variant(d tensor.DType) string {
	switch d {
	case tensor.F16:
		return "f16"
	case tensor.BF16:
		return "bf16"
	case tensor.F32:
		return "f32"
	case tensor.F64:
		return "f64"
	case tensor.I32, tensor.U32:
		return "i32"
	default:
		return "i64"
	}
}

// scanner plans the passes of a scan.
type scanner struct {
	*builder
	scanKernels
	exclusive, reverse bool
	stateBytes         int64
	statesRole         Role    // -1 until it is needed
	stagedRoles        [2]Role // 0 until they are needed
	stagedWindows      int
	planSet            func(*scanSet) // plans the passes over a set; nil for those of scans
}

// scanSet is a number of lines that are scanned together, as a dense view [outers,
// n, inner]. Windows cut it along the axis.
type scanSet struct {
	outers, n, inner int64
	columns          int64 // of inner; one may have been added to give rows an even pitch
	windows          []scanWindow
}

// nodes is how many nodes of some positions a line has.
func (s *scanSet) nodes(positions int64) int64 { return ceilDiv(s.n, positions) }

func (s *scanSet) lines() int64 { return s.outers * s.inner }

// scanWindow is a part of a set that kernels are bound to at once: n positions
// from `first` on, which starts a tile.
type scanWindow struct {
	n, first       int64
	source, result span
	// fetch and deliver bring the elements to where kernels work on them and back;
	// nil where that is the tensors themselves.
	fetch, deliver func()
}

func (w *scanWindow) nodes(positions int64) int64 { return ceilDiv(w.n, positions) }

func (w *scanWindow) bring() {
	if w.fetch != nil {
		w.fetch()
	}
}

func (w *scanWindow) take() {
	if w.deliver != nil {
		w.deliver()
	}
}

// scan plans a scan operator.
func (b *builder) scan(kernels scanKernels, view tensor.View, exclusive, reverse bool) {
	if view.Elements() == 0 {
		return
	}
	kernel, err := shaders.Lookup(kernels.states("scan_fold_lane"))
	if err != nil {
		b.fail("%v", err)
		return
	}
	s := &scanner{
		builder: b, scanKernels: kernels, exclusive: exclusive, reverse: reverse,
		stateBytes: int64(kernel.StateWords()) * 4, statesRole: -1,
	}
	s.cut(view)
}

// scanSet plans the passes over a set.
func (s *scanner) scanSet(set scanSet) {
	if s.err != nil {
		return
	}
	if s.planSet != nil {
		s.planSet(&set)
		return
	}
	walk := s.pickWalk(&set)
	switch {
	case walk.onePass:
		w := &set.windows[0]
		w.bring()
		s.outputs(&set, w, walk, nil)
		w.take()
	case walk.form == lookBackForm:
		s.lookBack(&set, walk)
	default:
		s.threePasses(&set, walk)
	}
}

// threePasses plans the aggregates of all leaves, the way up and down the tree, and the
// outputs.
func (s *scanner) threePasses(set *scanSet, walk walk) {
	t := s.newTree(s.statesRole, set.outers, set.nodes(walk.leaf), set.inner, radix, s.stateBytes)
	s.statesRole = t.ref.Role
	for i := range set.windows {
		w := &set.windows[i]
		w.bring()
		s.leaves(set, w, walk, t)
	}
	s.carries(t)
	for i := range set.windows {
		w := &set.windows[i]
		if len(set.windows) > 1 {
			w.bring()
		}
		s.outputs(set, w, walk, t)
		w.take()
	}
}
