package shaders

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// sharedBytes adds up the shared memory that a module declares, with its default
// specialization constants, which are the largest that plans use.
func sharedBytes(t *testing.T, spirv []byte) uint32 {
	all, err := instructions(spirv)
	require.NoError(t, err)
	size, value, pointee := map[uint32]uint32{}, map[uint32]uint32{}, map[uint32]uint32{}
	total := uint32(0)
	for _, in := range all {
		a := in.args
		switch in.op {
		case 20: // OpTypeBool
			size[a[0]] = 4
		case 21, 22: // OpTypeInt, OpTypeFloat
			size[a[0]] = a[1] / 8
		case 23: // OpTypeVector
			size[a[0]] = size[a[1]] * a[2]
		case 28: // OpTypeArray
			size[a[0]] = size[a[1]] * value[a[2]]
		case opTypeStruct:
			for _, m := range a[1:] {
				size[a[0]] += size[m]
			}
		case 43, opSpecConstant: // OpConstant
			value[a[1]] = a[2]
		case opTypePointer:
			pointee[a[0]] = a[2]
		case opVariable:
			if a[2] == 4 { // Workgroup
				require.NotZero(t, size[pointee[a[0]]])
				total += size[pointee[a[0]]]
			}
		}
	}
	return total
}

// Vulkan promises 16 KiB.
func TestSharedMemory(t *testing.T) {
	largest := uint32(0)
	for _, name := range Names() {
		k, err := Lookup(name)
		require.NoError(t, err)
		bytes := sharedBytes(t, k.SPIRV)
		assert.LessOrEqual(t, bytes, uint32(16<<10), name)
		largest = max(largest, bytes)
	}
	assert.Greater(t, largest, uint32(12<<10), "the sizes are not read")
}
