package host

import (
	"vkops/host/plan"
	"vkops/tensor"
)

// scanInWindows scans a tensor [1, n, inner] along n in windows of some bytes. The
// tensors stay in host memory: kernels see windows in scratch memory.
func (c *conveyor) scanInWindows(op tensor.Op, dst, src tensor.Dense, window int64) error {
	limits := c.v.limits
	limits.InPlace, limits.HostWindow = true, window
	pl, err := plan.New(op, []tensor.Type{src.Type}, limits, c.v.strategy)
	if err != nil {
		return err
	}
	pipelines, err := c.v.pipelines(pl)
	if err != nil {
		return err
	}
	room := scratch{gpu: c.v.gpu}
	defer room.free() // once the device is done with it
	if err := room.reserve(pl); err != nil {
		return err
	}
	return c.runWindows(&prepared{plan: pl, pipelines: pipelines}, room.buffers, dst.Data, src.Data)
}
