package gpu

import "fmt"

// DeviceType is the kind of a device, as Vulkan reports it.
type DeviceType int

// Kinds of devices, with Vulkan's numbers.
const (
	Other DeviceType = iota
	Integrated
	Discrete
	Virtual
	CPU // a driver that runs shaders in software
)

// String is the kind in lower case.
func (t DeviceType) String() string {
	names := [...]string{"other", "integrated", "discrete", "virtual", "cpu"}
	if t < 0 || int(t) >= len(names) {
		return fmt.Sprintf("device type %d", int(t))
	}
	return names[t]
}

// Info describes a device.
type Info struct {
	// Index is the device's place in Vulkan's order, from 0.
	Index    int
	Name     string
	Type     DeviceType
	VendorID uint32
	DeviceID uint32
	// UUID stays the same between runs and processes, unlike Index.
	UUID [16]byte
	// API is the Vulkan version of the device, as "1.3.230".
	API string
	// Driver names the driver and its version.
	Driver string
	Caps   Caps
}

// Caps are the limits and features that kernels and plans depend on. Sizes are
// in bytes.
type Caps struct {
	// SubgroupSize is the default; MinSubgroupSize and MaxSubgroupSize equal
	// it where SubgroupSizeControl is not offered.
	SubgroupSize, MinSubgroupSize, MaxSubgroupSize uint32
	// SubgroupSizeControl says that PipelineDesc.RequireSubgroupSize works.
	SubgroupSizeControl bool
	// MaxGroups is the number of workgroups of a dispatch, MaxGroupSize and
	// MaxInvocations the size of one.
	MaxGroups, MaxGroupSize [3]uint32
	MaxInvocations          uint32
	// SharedMemory is what one workgroup may declare.
	SharedMemory uint32
	// MaxRange is the largest Binding.Size, OffsetAlignment what
	// Binding.Offset must be a multiple of.
	MaxRange, OffsetAlignment uint64
	// MaxTexelElements is how many texels of a binding a kernel sees,
	// TexelAlignment what Binding.Offset of texels must be a multiple of.
	MaxTexelElements, TexelAlignment uint64
	// NonCoherentAtom is the granularity of Flush and Invalidate, which round
	// to it by themselves.
	NonCoherentAtom uint64
	// MaxAllocation and MaxBuffer bound one buffer.
	MaxAllocation, MaxBuffer uint64
	// MaxPush bounds PipelineDesc.PushBytes, MaxStorageBuffers the number of
	// bindings that are no texels.
	MaxPush, MaxStorageBuffers uint32
	// TimestampPeriod is nanoseconds per tick. TimestampBits is 0 where the
	// device has no timestamps.
	TimestampPeriod float64
	TimestampBits   uint32
	// Features a module may declare as SPIR-V capabilities.
	Float64, Int64, Int16, Storage16 bool
	// What execution modes are offered for each width; Pipeline declares them.
	Float16Controls, Float32Controls, Float64Controls FloatControls
	// Unified says that device-local memory is cached host memory too, so
	// that buffers of DeviceMemory are mapped and cheap to read.
	Unified bool
	// ImportAlignment is what ImportBuffer rounds host memory to, 0 where the
	// device cannot use the host's memory as its own.
	ImportAlignment uint64
}

// FloatControls are the execution modes offered for one width of floats.
type FloatControls struct {
	RoundTiesToEven, PreserveSpecials, PreserveDenormals bool
}

// MemoryStats says what a device's buffers hold.
type MemoryStats struct {
	// Buffers is the number of live buffers, Used the bytes in them.
	Buffers int
	Used    int64
	// Allocations is the number of allocations taken from Vulkan and Allocated
	// their bytes, kept empty ones included.
	Allocations int
	Allocated   int64
}

func versionString(version uint32) string {
	return fmt.Sprintf("%d.%d.%d", version>>22&0x7f, version>>12&0x3ff, version&0xfff)
}
