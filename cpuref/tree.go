package cpuref

// The carry tree: an element's position in hexadecimal is its path. Twin:
// shaders/include/tree.glsl.
const (
	radix     = 16
	groupSize = radix * radix // elements
	tileSize  = radix * groupSize
)
