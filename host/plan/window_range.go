package plan

import "vkops/tensor"

// WindowRange is the [Limits.MaxRange] with which a plan in place has windows of about
// chunk bytes, so that the first ones can be worked on before the rest of the input is
// there: elements, whole outer indices, or tiles along the axis. It is 0 where windows
// would have to be larger than half the tensor.
func WindowRange(op tensor.Op, in tensor.Type, chunk int64, lim Limits) int64 {
	size := int64(in.DType.Size())
	whole, err := in.Bytes()
	if err != nil {
		return 0
	}
	unit := size
	switch op := op.(type) {
	case tensor.Log1p:
	case tensor.AxisOp:
		v, err := op.View(in.Shape)
		if err != nil {
			return 0
		}
		width := v.Inner
		if size == 2 {
			width += width % 2
		}
		unit = min(v.N, tile) * width * size
	default:
		return 0
	}
	window := max(chunk, unit)
	if window > whole/2 {
		return 0
	}
	window += max(rangeAlignment, int64(lim.Caps.OffsetAlignment)) // a window may begin between aligned places
	if lim.MaxRange != 0 {
		window = min(window, lim.MaxRange)
	}
	return window
}
