package host

import (
	"context"
	"errors"

	"vkops/cpuref"
	"vkops/gpu"
	"vkops/tensor"
)

// The parts in which tensors go through a device that has no room for them.
const (
	leastPart = 64 << 10
	mostPart  = 256 << 20
)

// applyInParts runs an operator from host memory to host memory, where the device has
// no room for all of it; failed says so. A loss is left to the twin: it reads one
// element a sample, where a device would be sent them all.
func (v *vulkan) applyInParts(ctx context.Context, op tensor.Op, dst tensor.Dense, inputs []tensor.Dense, failed error) error {
	var view tensor.View
	var err error
	switch o := op.(type) {
	case tensor.CumSum:
		view, err = o.View(inputs[0].Shape)
		o.Axis = 1
		op = o
	case tensor.LogCumSumExp:
		view, err = o.View(inputs[0].Shape)
		o.Axis = 1
		op = o
	case tensor.LogSoftmax:
		view, err = o.View(inputs[0].Shape)
		o.Axis = 1
		op = o
	case tensor.Log1p:
		view = tensor.View{Outer: int64(len(dst.Data) / dst.DType.Size()), N: 1, Inner: 1}
	default:
		v.rt.log.Info("runs on the twin", "op", op.Name(), "input", inputs[0].Type.String(), "reason", failed)
		return cpuref.RunInto(dst, op, inputs...)
	}
	if err != nil {
		return err
	}
	part := v.partBytes
	if part == 0 {
		part = v.largestPart(int64(len(dst.Data)))
	}
	if part == 0 {
		return failed
	}
	v.rt.log.Info("goes through the device in parts", "op", op.Name(), "input", inputs[0].Type.String(), "bytes", part, "reason", failed)
	if slab := view.N * view.Inner * int64(dst.DType.Size()); slab <= part {
		return v.slabsInParts(ctx, op, view, dst, inputs[0], part)
	}
	if _, ok := op.(tensor.LogSoftmax); ok { // its outputs need the whole line
		v.rt.log.Info("runs on the twin", "op", op.Name(), "input", inputs[0].Type.String(), "reason", failed)
		return cpuref.RunInto(dst, op, inputs...)
	}
	return v.slabsInWindows(ctx, op, view, dst, inputs[0], part)
}

// slabsInWindows scans a tensor [outer, n, inner] along n, each outer index in windows.
func (v *vulkan) slabsInWindows(ctx context.Context, op tensor.Op, view tensor.View, dst, src tensor.Dense, part int64) error {
	slab := view.N * view.Inner * int64(src.DType.Size())
	view.Outer = 1
	for at := int64(0); at < int64(len(dst.Data)); at += slab {
		if err := v.scanInWindows(ctx, op, view, cut(dst, view, at), cut(src, view, at), part); err != nil {
			return err
		}
	}
	return nil
}

// slabsInParts runs an operator on as many outer indices at a time as a part has.
func (v *vulkan) slabsInParts(ctx context.Context, op tensor.Op, view tensor.View, dst, src tensor.Dense, part int64) error {
	slab := view.N * view.Inner * int64(src.DType.Size())
	step := max(1, part/slab/64*64) // starts of parts are aligned
	if step == 1 {
		step = max(1, part/slab)
	}
	for first := int64(0); first < view.Outer; first += step {
		some := view
		some.Outer = min(step, view.Outer-first)
		if err := v.applyWhole(ctx, op, cut(dst, some, first*slab), []tensor.Dense{cut(src, some, first*slab)}); err != nil {
			return err
		}
	}
	return nil
}

// cut is the part of a tensor at some bytes that has the shape of a view.
func cut(d tensor.Dense, view tensor.View, at int64) tensor.Dense {
	n := view.Elements() * int64(d.DType.Size())
	shape := tensor.Shape{int(view.Outer), int(view.N), int(view.Inner)}
	return tensor.Dense{Type: tensor.Type{DType: d.DType, Shape: shape}, Data: d.Data[at : at+n : at+n]}
}

// largestPart is how many bytes of a tensor the device has room for, with what an
// operator needs beside them; 0 if it has none.
func (v *vulkan) largestPart(whole int64) int64 {
	part := int64(mostPart)
	for part > whole/2 {
		part /= 2
	}
	for ; part >= leastPart; part /= 2 {
		room, err := v.newBuffer(4*part, gpu.DeviceMemory)
		if err == nil {
			room.Free()
			v.gpu.Trim()
			return part
		}
		if !errors.Is(err, ErrOutOfMemory) {
			break
		}
	}
	return 0
}
