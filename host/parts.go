package host

import (
	"context"
	"errors"

	"vkops/gpu"
	"vkops/tensor"
)

// The parts in which tensors go through a device that has no room for them.
const (
	leastPart = 64 << 10
	mostPart  = 256 << 20
	// partUnderWay is enough for the device to work on while the host copies.
	partUnderWay = 32 << 20
)

// applyInParts runs an operator from host memory to host memory, where the device has
// no room for all of it; failed says so.
func (v *vulkan) applyInParts(ctx context.Context, op tensor.Op, dst tensor.Dense, inputs []tensor.Dense, failed error) error {
	part := v.partBytes
	if part == 0 {
		part = v.largestPart(ctx, int64(len(inputs[0].Data)))
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	if part == 0 {
		return failed
	}
	v.rt.log.Info("goes through the device in parts", "op", op.Name(), "input", inputs[0].Type.String(), "bytes", part, "reason", failed)
	switch o := op.(type) {
	case tensor.Loss:
		return v.applyInWindows(ctx, op, dst, inputs, v.windowBytes(part))
	case tensor.Log1p:
		view := tensor.View{Outer: int64(len(dst.Data) / dst.DType.Size()), N: 1, Inner: 1}
		return v.slabsInParts(ctx, op, view, dst, inputs[0], part)
	case tensor.AxisOp:
		view, err := o.View(inputs[0].Shape)
		if err != nil {
			return err
		}
		if view.N*view.Inner*int64(dst.DType.Size()) > part {
			return v.applyInWindows(ctx, op, dst, inputs, v.windowBytes(part))
		}
		return v.slabsInParts(ctx, o.OnAxis(1), view, dst, inputs[0], part) // axis 1 of that view
	}
	return failed
}

// windowBytes is the size of windows, some of which are under way, where there is room for
// four times a part.
func (v *vulkan) windowBytes(part int64) int64 {
	if v.direct {
		return min(part/2, mostWindow)
	}
	return min(part/2, int64(v.stageBytes))
}

// slabsInParts runs an operator on as many outer indices at a time as a part has.
func (v *vulkan) slabsInParts(ctx context.Context, op tensor.Op, view tensor.View, dst, src tensor.Dense, part int64) error {
	slab := view.N * view.Inner * int64(src.DType.Size())
	part = max(slab, min(part/2, partUnderWay)) // two are under way
	step := part / slab / 128 * 128             // then starts of parts are aligned
	if step == 0 {
		step = max(1, part/slab)
	}
	var parts []partOf
	for first := int64(0); first < view.Outer; first += step {
		some := view
		some.Outer = min(step, view.Outer-first)
		parts = append(parts, partOf{cut(dst, some, first*slab), cut(src, some, first*slab)})
	}
	if v.direct {
		return v.partsInTurn(ctx, op, parts)
	}
	s := v.newStreamed(ctx)
	var err error
	for i := 0; i < len(parts) && err == nil; i++ {
		err = s.run(op, parts[i].dst, parts[i].src)
	}
	return s.end(err)
}

// partOf is a part of an operator's tensors.
type partOf struct{ dst, src tensor.Dense }

// partsInTurn has the device work on a part while the host brings the next one and
// takes the one before.
func (v *vulkan) partsInTurn(ctx context.Context, op tensor.Op, parts []partOf) error {
	var before *application
	finish := func(err error) error {
		if before == nil {
			return err
		}
		v.observe("land")
		finished := before.finish(ctx)
		before = nil
		if err == nil {
			err = finished
		}
		return err
	}
	for _, p := range parts {
		next, err := v.start(ctx, op, p.dst, []tensor.Dense{p.src})
		if errors.Is(err, ErrOutOfMemory) && !errors.Is(err, errOverwritten) && before != nil {
			if err = finish(nil); err == nil { // then there may be room
				next, err = v.start(ctx, op, p.dst, []tensor.Dense{p.src})
			}
		}
		if err != nil {
			return finish(err)
		}
		v.observe("upload")
		err = finish(nil)
		before = next
		if err != nil {
			return finish(err)
		}
	}
	return finish(nil)
}

// cut is the part of a tensor at some bytes that has the shape of a view.
func cut(d tensor.Dense, view tensor.View, at int64) tensor.Dense {
	n := view.Elements() * int64(d.DType.Size())
	shape := tensor.Shape{int(view.Outer), int(view.N), int(view.Inner)}
	return tensor.Dense{Type: tensor.Type{DType: d.DType, Shape: shape}, Data: d.Data[at : at+n : at+n]}
}

// largestPart is how many bytes of a tensor the device has room for, with what an
// operator needs beside them; 0 if it has none.
func (v *vulkan) largestPart(ctx context.Context, whole int64) int64 {
	part := int64(mostPart)
	for part > whole/2 {
		part /= 2
	}
	for ; part >= leastPart; part /= 2 {
		room, err := v.newBuffer(ctx, 4*part, gpu.DeviceMemory)
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
