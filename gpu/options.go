package gpu

import "log/slog"

// Options say which device to open and how.
type Options struct {
	// Device is a selector for Choose. Empty means the environment variable
	// VKOPS_DEVICE, and if that is empty too the preferred device.
	Device string
	// Logger gets what happens beside the calls (the device opened, a cache
	// file ignored, validation messages). nil is silent.
	Logger *slog.Logger
	// CacheDir is the folder of the pipeline cache file, made if missing.
	// Empty means no file.
	CacheDir string
	// Fault is asked before each Vulkan call that can fail, with the call's
	// name; an error makes the call fail without being made: ErrDeviceLost as
	// a lost device, any other as out of memory. For tests. It must be safe
	// for many goroutines.
	Fault func(call string) error
	// Validation loads the Khronos validation layer; what it finds goes to
	// the logger and to Device.ValidationMessages.
	Validation bool
	// MemoryBudget bounds the device memory allocated, in bytes. 0 means the
	// size of the device's heaps, of which a software device may use three
	// quarters, because its heap is the whole memory of the machine.
	MemoryBudget int64
}

// Memory says what a buffer is for.
type Memory int

const (
	// DeviceMemory is local to the device, and mapped too where Caps.Unified.
	DeviceMemory Memory = iota
	// UploadMemory is written by the host and read by the device.
	UploadMemory
	// DownloadMemory is written by the device and read by the host; cached
	// where the device offers it.
	DownloadMemory
)

// String is the purpose in lower case.
func (m Memory) String() string {
	switch m {
	case DeviceMemory:
		return "device"
	case UploadMemory:
		return "upload"
	case DownloadMemory:
		return "download"
	}
	return "unknown"
}

// SpecValue sets a 32-bit specialization constant.
type SpecValue struct {
	ID, Value uint32
}

// PipelineDesc describes a compute pipeline. The entry point is "main".
type PipelineDesc struct {
	// Name is for messages only.
	Name string
	// SPIRV is a whole module, little-endian words. It is not changed.
	SPIRV []byte
	// Bindings are those of set 0.
	Bindings []BindingDesc
	// PushBytes is the size of the push constants, a multiple of 4.
	PushBytes uint32
	Spec      []SpecValue
	// RequireSubgroupSize makes the device run subgroups of this size, all of
	// them full: the workgroup's x size must be a multiple of it. 0 leaves the
	// size to the device.
	RequireSubgroupSize uint32
}

// BindingDesc is a binding of a pipeline: a storage buffer where TexelBytes is 0,
// else a uniform texel buffer whose texels have 4, 8 or 16 bytes, one, two or four
// unsigned 32-bit integers. Only the first Caps.MaxTexelElements whole texels of what is bound
// are there.
type BindingDesc struct {
	Index, TexelBytes uint32
}

// Binding is the part of a buffer that a kernel sees at a binding index.
// Offset must be a multiple of Caps.OffsetAlignment, and Size is at most
// Caps.MaxRange. A binding may reach past Buffer.Size up to the next multiple
// of 16 bytes, so that kernels can load whole words and vectors; what is read
// there is arbitrary.
type Binding struct {
	Index        uint32
	Buffer       *Buffer
	Offset, Size int64
}
