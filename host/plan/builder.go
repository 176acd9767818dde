package plan

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"vkops/gpu"
	"vkops/shaders"
)

// rangeAlignment is what bound ranges start at multiples of, at least: a vector of
// four doubles has to lie at a multiple of 32 bytes, and cache lines are common.
const rangeAlignment = 256

// builder collects the steps of a plan. The first error sticks in err and makes the
// rest do nothing.
type builder struct {
	plan      *Plan
	lim       Limits
	groups    [3]uint32
	alignment int64
	// fullRange is what a binding may have in bytes, from an aligned start on;
	// maxRange is what is left of that for a window that starts anywhere.
	fullRange, maxRange int64
	err                 error
	// What was read and written since the last barrier.
	reads, writes []Ref
}

func newBuilder(lim Limits) (*builder, error) {
	b := &builder{lim: lim, groups: lim.Caps.MaxGroups, alignment: max(rangeAlignment, int64(lim.Caps.OffsetAlignment))}
	if lim.MaxGroups != 0 {
		for i := range b.groups {
			b.groups[i] = min(b.groups[i], lim.MaxGroups)
		}
	}
	if s := lim.Stretch; s != 0 && s != group && s != tile {
		return nil, fmt.Errorf("a stretch of %d rows is neither %d nor %d", s, group, tile)
	}
	b.fullRange = int64(min(lim.Caps.MaxRange, math.MaxUint32))
	if lim.MaxRange != 0 {
		b.fullRange = min(b.fullRange, lim.MaxRange)
	}
	b.fullRange = b.fullRange / b.alignment * b.alignment
	b.maxRange = b.fullRange - b.alignment
	if b.maxRange < b.alignment || b.groups[0] == 0 || b.groups[1] == 0 || b.groups[2] == 0 {
		return nil, fmt.Errorf("%w: ranges of %d bytes and %v workgroups are too little to work with",
			gpu.ErrUnsupported, b.fullRange, b.groups)
	}
	return b, nil
}

// fail keeps the first reason why there is no plan.
func (b *builder) fail(format string, args ...any) {
	if b.err == nil {
		b.err = fmt.Errorf("%w: "+format, append([]any{gpu.ErrUnsupported}, args...)...)
	}
}

// scratch adds a scratch buffer of some bytes, rounded up to words, and gives its
// role. Kernels are bound to it in ranges that start at 0.
func (b *builder) scratch(bytes int64) Role {
	b.plan.Scratch = append(b.plan.Scratch, ceilDiv(max(bytes, 4), 4)*4)
	return Scratch0 + Role(len(b.plan.Scratch)-1)
}

// span is a stretch of elements in a buffer.
type span struct {
	role         Role
	first, count int64 // elements
	size         int64 // bytes of an element
}

// bind gives the aligned range around a span, and the index of the span's first
// element in it.
func (b *builder) bind(s span) (Ref, int64) {
	ref, base := b.around(s)
	if ref.Size > b.fullRange {
		b.fail("%d bytes exceed the range of %d bytes", ref.Size, b.fullRange)
	}
	return ref, base
}

// around is bind for what may exceed a range.
func (b *builder) around(s span) (Ref, int64) {
	start := s.first * s.size
	offset := start / b.alignment * b.alignment
	end := ceilDiv(start+max(1, s.count)*s.size, 4) * 4 // no binding is empty
	return Ref{s.role, offset, end - offset}, (start - offset) / s.size
}

// limit is how many elements of some size a window may have that is a part of
// `total` elements.
func (b *builder) limit(total, size int64) int64 {
	if total <= b.fullRange/size {
		return total
	}
	return b.maxRange / size
}

// job is a dispatch before its work is cut to grids.
type job struct {
	kernel string
	// items are counted from firstItem on.
	items, firstItem int64
	// shared says that a workgroup has one item, instead of each invocation.
	shared  bool
	size    uint32 // of a workgroup
	spec    []NameValue
	push    []pushValue
	bind    []NamedRef
	traffic int64
}

// pushValue is a push constant before it is known to fit.
type pushValue struct {
	name  string
	value int64
}

// dispatch adds a job, as several dispatches where its items exceed one grid.
func (b *builder) dispatch(j job) {
	if b.err != nil || j.items == 0 {
		return
	}
	kernel, err := shaders.Lookup(j.kernel)
	if err != nil {
		b.fail("%v", err)
		return
	}
	if !b.runs(kernel) {
		return
	}
	if j.firstItem+j.items > maxItems {
		b.fail("%d work items at once", j.items)
		return
	}
	values := make([]NameValue, 0, len(j.push)+2)
	for _, v := range j.push {
		if v.value < 0 || v.value > math.MaxUint32 {
			b.fail("%s of %s is %d", v.name, j.kernel, v.value)
			return
		}
		values = append(values, NameValue{v.name, uint32(v.value)})
	}
	bind := bindAll(kernel, j.bind)
	if len(bind) != len(kernel.Bindings) {
		b.fail("%d buffers for the %d of %s", len(bind), len(kernel.Bindings), j.kernel)
		return
	}
	b.order(kernel, bind)
	perGroup := int64(j.size)
	if j.shared {
		perGroup = 1
	}
	spec := b.access(append([]NameValue{{"workgroup_size", j.size}}, j.spec...), kernel, bind)
	most := b.stepGroups(j, ceilDiv(j.items, perGroup))
	for first := int64(0); first < j.items; {
		dims, groups := grid(min(most, ceilDiv(j.items-first, perGroup)), int64(j.size), b.groups)
		end := min(j.items, first+groups*perGroup)
		push := append([]NameValue{{"first_item", uint32(j.firstItem + first)}, {"item_end", uint32(j.firstItem + end)}}, values...)
		traffic := j.traffic*end/j.items - j.traffic*first/j.items
		b.add(Step{Kind: Dispatch, Kernel: j.kernel, Spec: spec, Push: push, Bind: bind, Groups: dims, Traffic: traffic})
		first = end
	}
}

// stepGroups is how many of a job's workgroups one dispatch may have.
func (b *builder) stepGroups(j job, groups int64) int64 {
	if b.lim.MaxStepBytes == 0 {
		return groups
	}
	return max(1, b.lim.MaxStepBytes/max(1, ceilDiv(j.traffic, groups)))
}

// runs reports whether the device can run a kernel, and otherwise says why not.
func (b *builder) runs(k *shaders.Kernel) bool {
	for _, c := range k.Capabilities {
		if c == "Float64" && !b.lim.Caps.Float64 {
			b.fail("the device has no float64")
		}
	}
	storage := uint32(0)
	for _, known := range k.Bindings {
		if known.TexelBytes == 0 {
			storage++
		}
	}
	if storage > b.lim.Caps.MaxStorageBuffers {
		b.fail("%s binds %d storage buffers, the device takes %d", k.Name, storage, b.lim.Caps.MaxStorageBuffers)
	}
	if k.PushBytes > b.lim.Caps.MaxPush {
		b.fail("%s takes %d bytes of push constants, the device %d", k.Name, k.PushBytes, b.lim.Caps.MaxPush)
	}
	return b.err == nil
}

// bindAll completes the bindings of a kernel: the view of a buffer as vectors,
// named x_vectors or x_word_pairs, or as words, x_words, has the range of x
// unless another is given.
func bindAll(k *shaders.Kernel, refs []NamedRef) []NamedRef {
	all := refs[:len(refs):len(refs)]
	for _, r := range refs {
		for suffix := range shaders.TexelSuffixes {
			if _, ok := k.Binding(r.Name + suffix); ok && !named(refs, r.Name+suffix) {
				all = append(all, NamedRef{r.Name + suffix, r.Ref})
			}
		}
	}
	return all
}

func named(refs []NamedRef, name string) bool {
	return slices.ContainsFunc(refs, func(r NamedRef) bool { return r.Name == name })
}

// isElement reports whether texels are single elements of 64 bits: whether the kernel
// loads vectors of the same buffer as larger ones.
func isElement(k *shaders.Kernel, texels string) bool {
	buffer, pairs := strings.CutSuffix(texels, "_word_pairs")
	_, vectors := k.Binding(buffer + "_vectors")
	return pairs && vectors
}

// access clears vector_access where the texels of vectors that a kernel is bound to
// exceed the device's limit, and sets word_access where no texels do.
func (b *builder) access(spec []NameValue, k *shaders.Kernel, bind []NamedRef) []NameValue {
	vectorsSeen, allSeen := true, true
	for _, r := range bind {
		index, _ := k.Binding(r.Name)
		texel := int64(k.TexelBytes(index))
		if texel == 0 {
			continue
		}
		seen := uint64(r.Size/texel) <= b.lim.Caps.MaxTexelElements
		allSeen = allSeen && seen
		vectorsSeen = vectorsSeen && (seen || texel == wordBytes || isElement(k, r.Name))
	}
	for i := range spec {
		if spec[i].Name == "vector_access" && !vectorsSeen {
			spec[i].Value = 0
		}
	}
	if _, ok := k.SpecConstant("word_access"); ok {
		spec = append(spec, NameValue{"word_access", flag(allSeen)})
	}
	return spec
}

// order adds a barrier where a kernel needs what was written since the last one, or
// writes what was used since.
func (b *builder) order(k *shaders.Kernel, bind []NamedRef) {
	var reads, writes []Ref
	for _, known := range k.Bindings {
		for _, r := range bind {
			if r.Name != known.Name {
				continue
			}
			if known.ReadOnly {
				reads = append(reads, r.Ref)
			} else {
				writes = append(writes, r.Ref)
			}
		}
	}
	b.depend(reads, writes)
}

func (b *builder) depend(reads, writes []Ref) {
	if overlap(reads, b.writes) || overlap(writes, b.writes) || overlap(writes, b.reads) {
		b.add(Step{Kind: Barrier})
		b.reads, b.writes = b.reads[:0], b.writes[:0]
	}
	b.reads = append(b.reads, reads...)
	b.writes = append(b.writes, writes...)
}

func overlap(a, b []Ref) bool {
	for _, x := range a {
		for _, y := range b {
			if x.overlaps(y) {
				return true
			}
		}
	}
	return false
}

// copyRect adds a copy of rows, given in elements.
func (b *builder) copyRect(dst, src span, dstPitch, srcPitch, width, rows int64) {
	if b.err != nil || width == 0 || rows == 0 {
		return
	}
	size := dst.size
	to := Ref{dst.role, dst.first * size, ((rows-1)*dstPitch + width) * size}
	from := Ref{src.role, src.first * size, ((rows-1)*srcPitch + width) * size}
	b.depend([]Ref{from}, []Ref{to})
	b.add(Step{
		Kind: CopyRect, Dst: to, Src: from, DstPitch: dstPitch * size, SrcPitch: srcPitch * size,
		RowBytes: width * size, Rows: rows, Traffic: 2 * width * rows * size,
	})
}

// fill sets words of a buffer.
func (b *builder) fill(dst Ref, word uint32) {
	b.depend(nil, []Ref{dst})
	b.add(Step{Kind: Fill, Dst: dst, Word: word, Traffic: dst.Size})
}

func (b *builder) add(s Step) {
	if b.err == nil {
		b.plan.Steps = append(b.plan.Steps, s)
		b.plan.Traffic += s.Traffic
	}
}

// laneSize is the workgroup size of kernels whose invocations do not cooperate: one
// subgroup on a software device, where a workgroup is what a thread works on.
func (b *builder) laneSize() uint32 {
	size := b.lim.WorkgroupSize
	if size == 0 {
		size = max(1, b.lim.Caps.SubgroupSize)
		if !b.lim.SoftwareDevice {
			size = max(size, 64)
		}
	}
	return b.atMostInvocations(size)
}

// sharedSize is the workgroup size of kernels whose invocations share a tile: up to
// one invocation for each of its 256 runs.
func (b *builder) sharedSize() uint32 {
	size := b.lim.WorkgroupSize
	if size == 0 {
		size = 256
	}
	return b.atMostInvocations(min(size, 256))
}

func (b *builder) atMostInvocations(size uint32) uint32 {
	for size > 1 && (size > b.lim.Caps.MaxInvocations || size > b.lim.Caps.MaxGroupSize[0]) {
		size /= 2
	}
	return size
}
