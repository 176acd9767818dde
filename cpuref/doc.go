// Package cpuref computes the operators of vkops in pure Go, with the same bits as
// the Vulkan kernels: every result follows one fixed order of correctly rounded
// operations, which depends on the shape alone. It needs no device, runs on all
// cores, and the number of cores never changes a bit.
//
// A scan axis is cut by radix 16 into runs of 16 elements, groups of 16 runs,
// tiles of 16 groups and so on; see operator for what is folded in which order.
package cpuref
