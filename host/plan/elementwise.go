package plan

import (
	"fmt"

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
		j := b.quads(n/4, b.quadsPerItem(n/4))
		j.kernel = kernel
		j.spec = append(j.spec, NameValue{"vector_access", 1})
		j.push = append(j.push, pushValue{"left", n % 4})
		j.bind = []NamedRef{{"source", source}, {"result", result}}
		j.traffic = 2 * n * size
		b.dispatch(j)
	}
}

// quads is the work on some quads, so many of them for each lane.
func (b *builder) quads(quads, perItem int64) job {
	j := job{
		size: b.laneSize(), items: max(1, ceilDiv(quads, perItem)),
		spec: []NameValue{{"interleaved", flag(!b.lim.SoftwareDevice)}},
		push: []pushValue{{"quads", quads}, {"quads_per_item", perItem}},
	}
	if !b.lim.SoftwareDevice {
		j.items = ceilDiv(j.items, int64(j.size)) * int64(j.size) // whole workgroups
	}
	return j
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
// speed of operators is measured against. Plan.Op.Name() tells them apart.
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
		for first := int64(0); first < bytes/16; first += b.fullRange / 16 {
			n := min(b.fullRange/16, bytes/16-first)
			source, _ := b.bind(span{Input0, first, n, 16})
			result, _ := b.bind(span{Output, first, n, 16})
			j := b.quads(n, perItem)
			j.kernel = "copy"
			j.push = append(j.push, pushValue{"left", 0})
			j.bind = []NamedRef{{"source", source}, {"result", result}}
			j.traffic = 32 * n
			b.dispatch(j)
		}
		if b.err != nil {
			return nil, fmt.Errorf("copy: %w", b.err)
		}
		all = append(all, b.plan)
	}
	return all, nil
}
