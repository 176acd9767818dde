package plan

// Indices of items and of invocations are words in kernels. With at most 2^31 items
// and fewer than 2^31 invocations in a grid their sum does not wrap.
const (
	maxItems       = 1 << 31
	maxInvocations = 1 << 31
)

// grid folds a number of workgroups into three dimensions of at most limit each,
// with few to spare. It takes only as many as fit.
func grid(groups, groupSize int64, limit [3]uint32) (dims [3]uint32, taken int64) {
	most := maxInvocations / 2 / groupSize // rounding up to a full grid at most doubles it
	x, y, z := min(int64(limit[0]), most), min(int64(limit[1]), most), min(int64(limit[2]), most)
	taken = min(groups, most)
	if ceilDiv(ceilDiv(taken, x), y) > z {
		taken = x * y * z
	}
	rows := ceilDiv(taken, x)
	planes := ceilDiv(rows, y)
	rows = ceilDiv(rows, planes)
	return [3]uint32{uint32(ceilDiv(taken, rows*planes)), uint32(rows), uint32(planes)}, taken
}

func ceilDiv(a, b int64) int64 { return (a + b - 1) / b }
