package plan

import (
	"fmt"

	"vkops/gpu"
	"vkops/tensor"
)

// elementwise plans a kernel that turns each element of the first input into one of
// the output.
func (b *builder) elementwise(kernel string, t tensor.Type) {
	count, err := t.Shape.Elements()
	if err != nil {
		b.fail("%v", err)
		return
	}
	size := int64(t.DType.Size())
	step := b.fullRange / size // starts of windows are aligned
	for first := int64(0); first < count; first += step {
		n := min(step, count-first)
		source, _ := b.bind(span{Input0, first, n, size})
		result, _ := b.bind(span{Output, first, n, size})
		b.stretches(stretch{
			kernel: kernel, spec: []NameValue{{"vector_access", 1}}, bind: []NamedRef{{"source", source}, {"result", result}},
			quads: n / 4, left: n % 4, perItem: b.quadsPerItem(n / 4), quadBytes: 4 * size,
		})
	}
}

// stretch is elementwise work on some quads and up to three elements after them.
type stretch struct {
	kernel               string
	spec                 []NameValue
	bind                 []NamedRef
	quads, left, perItem int64
	quadBytes            int64 // read, and as many written
}

// stretches plans a stretch: as much as comes in equal shares, then the rest.
func (b *builder) stretches(s stretch) {
	share := s.perItem
	items := s.quads / s.perItem
	if !b.lim.SoftwareDevice {
		size := int64(b.laneSize()) // whole workgroups share quads
		share *= size
		items = s.quads / share * size
	}
	done := items * s.perItem
	b.share(s, 0, items, s.perItem, 0)
	b.share(s, done, s.quads-done, 1, s.left)
}

// share plans items of so many quads each. Elements that are left need an item, if
// only one without quads.
func (b *builder) share(s stretch, firstQuad, items, perItem, left int64) {
	if items == 0 && left != 0 {
		items, perItem = 1, 0
	}
	b.dispatch(job{
		kernel: s.kernel, size: b.laneSize(), items: items, bind: s.bind,
		spec:    append([]NameValue{{"interleaved", flag(!b.lim.SoftwareDevice && perItem > 1)}}, s.spec...),
		push:    []pushValue{{"first_quad", firstQuad}, {"quads_per_item", perItem}, {"left", left}, {"last_item", max(0, items-1)}},
		traffic: 2 * (items*perItem*s.quadBytes + left*s.quadBytes/4),
	})
}

// quadsPerItem is a share that keeps the threads of a CPU busy with few, long
// stretches: lavapipe copies 2^24 floats in 25 ms with 16 quads an item, in 12 with
// 256 to 1,024. On others a few quads hide the latency of memory.
func (b *builder) quadsPerItem(quads int64) int64 {
	if b.lim.SoftwareDevice {
		return min(1024, max(1, quads/manyItems))
	}
	return 4
}

// copyOp copies bytes, for measuring.
type copyOp struct{ perItem int64 }

func (c copyOp) Name() string { return fmt.Sprintf("copy of %d quads a lane", c.perItem) }

func (c copyOp) Infer(inputs ...tensor.Type) (tensor.Type, error) { return inputs[0], nil }

// Copies plans copies of some bytes, rounded down to a multiple of 16, from Input0
// to Output, in different forms of the copy kernel. The fastest of them is what the
// speed of operators is measured against. Plan.Op.Name() tells them apart. The error
// is [gpu.ErrUnsupported] for limits that no copy fits.
func Copies(bytes int64, lim Limits) ([]*Plan, error) {
	shares := []int64{1, 2, 4, 8}
	if lim.SoftwareDevice {
		shares = []int64{64, 256, 1024, 4096}
	}
	t := tensor.Type{DType: tensor.U32, Shape: tensor.Shape{int(bytes / 16 * 4)}}
	var all []*Plan
	for _, perItem := range shares {
		b, err := newBuilder(lim)
		if err != nil {
			return nil, fmt.Errorf("copy: %w", err)
		}
		op := copyOp{perItem}
		b.plan = &Plan{Op: op, Inputs: []tensor.Type{t}, Output: t, Strategy: Lane, Status: -1}
		// No more than the device sees as texels, from aligned starts on.
		step := min(b.fullRange, int64(lim.Caps.MaxTexelElements)*16/b.alignment*b.alignment) / 16
		if step == 0 {
			return nil, fmt.Errorf("copy: %w: %d texels are too few", gpu.ErrUnsupported, lim.Caps.MaxTexelElements)
		}
		for first := int64(0); first < bytes/16; first += step {
			n := min(step, bytes/16-first)
			source, _ := b.bind(span{Input0, first, n, 16})
			result, _ := b.bind(span{Output, first, n, 16})
			b.stretches(stretch{
				kernel: "copy", bind: []NamedRef{{"source_vectors", source}, {"result", result}}, quads: n, perItem: perItem, quadBytes: 16,
			})
		}
		if b.err != nil {
			return nil, fmt.Errorf("copy: %w", b.err)
		}
		all = append(all, b.plan)
	}
	return all, nil
}
