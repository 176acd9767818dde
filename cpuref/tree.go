package cpuref

// The carry tree: an element's position in hexadecimal is its path. Twin:
// shaders/include/tree.glsl.
const (
	radix     = 16
	groupSize = radix * radix // elements
	tileSize  = radix * groupSize
	// levels of nodes above the groups; an axis has fewer than 16^14 groups.
	levels = 14
)
