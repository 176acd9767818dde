// Package gpu runs compute kernels on a Vulkan device: it finds and chooses
// devices, allocates buffers, builds pipelines from SPIR-V, records programs of
// dispatches and copies, submits them and waits. It knows no operators.
//
// Vulkan is reached through github.com/vulkan-go/vulkan where a call takes
// single handles and plain structures, and through the package's own C shim
// where it takes arrays (the binding frees their C copies while the driver may
// still read them) or where a program is recorded, submitted and waited for.
//
// Everything may be used from many goroutines. Without cgo or on a system other
// than Linux the package builds, and Devices and Open say what is missing.
package gpu
