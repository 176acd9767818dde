package host

import (
	"errors"
	"fmt"

	"vkops/gpu"
	"vkops/tensor"
)

// Sentinels for errors.Is, of the packages below this one.
var (
	// ErrNoDevice: no Vulkan loader, driver or device, or none of that name.
	ErrNoDevice = gpu.ErrNoDevice
	// ErrUnsupported: the device or this system cannot do it.
	ErrUnsupported = gpu.ErrUnsupported
	// ErrDeviceLost: the device stopped working; only a new runtime helps.
	ErrDeviceLost = gpu.ErrDeviceLost
	// ErrOutOfMemory: device or host memory, or the budget, is used up.
	ErrOutOfMemory = gpu.ErrOutOfMemory
	// ErrClosed: the runtime was closed.
	ErrClosed = gpu.ErrClosed

	// ErrShape: a rank, a dimension or a count of elements does not fit.
	ErrShape = tensor.ErrShape
	// ErrAxis: an axis outside [-rank, rank-1].
	ErrAxis = tensor.ErrAxis
	// ErrType: an element type that the operator does not take.
	ErrType = tensor.ErrType
	// ErrAttribute: an attribute or option with a value that it cannot take.
	ErrAttribute = tensor.ErrAttribute
	// ErrTarget: a class label outside [0, C) that is not ignored.
	ErrTarget = tensor.ErrTarget
	// ErrArity: an input is missing, or there are too many.
	ErrArity = tensor.ErrArity
)

// Sentinels for errors.Is, of this package.
var (
	// ErrFreed: a tensor or a recording was used after its Free.
	ErrFreed = errors.New("used after Free")
	// ErrForeign: a tensor belongs to another runtime.
	ErrForeign = errors.New("tensor of another runtime")
	// ErrOverlap: the output shares memory with an input in a way that the
	// operator cannot work with.
	ErrOverlap = errors.New("output overlaps an input")
	// ErrMismatch: the device and the twin disagree; see [MismatchError].
	ErrMismatch = errors.New("device differs from the twin")
)

// MismatchError is what a runtime opened with [WithVerification] returns when the
// device and the twin give different bits.
type MismatchError struct {
	Op     string // "cumsum"
	Kernel string // the kernels that computed it, in order; "" where it went through the device in parts
	Index  int64  // flat index of the first differing element
	Got    string // the device's value and bits there: "1.5 (0x3fc00000)"
	Want   string // the twin's
	Dir    string // folder with the inputs and both outputs as .npy; "" if it could not be written
}

func (e *MismatchError) Error() string {
	s := fmt.Sprintf("%s: element %d is %s on the device, %s on the twin", e.Op, e.Index, e.Got, e.Want)
	if e.Kernel != "" {
		s += "; kernels: " + e.Kernel
	}
	if e.Dir != "" {
		s += "; inputs and outputs are in " + e.Dir
	}
	return s
}

// Unwrap makes errors.Is match [ErrMismatch].
func (e *MismatchError) Unwrap() error { return ErrMismatch }
