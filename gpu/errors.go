package gpu

import (
	"errors"
	"fmt"

	"vkops/internal/hostmemory"
)

// Errors to compare with errors.Is.
var (
	// ErrNoDevice says that no Vulkan device can be used; ErrNoLoader,
	// ErrNoDriver and ErrNoSuchDevice are kinds of it.
	ErrNoDevice = errors.New("no Vulkan device")
	// ErrNoLoader says that the Vulkan loader library is missing.
	ErrNoLoader = fmt.Errorf("%w: no Vulkan loader", ErrNoDevice)
	// ErrNoDriver says that the loader found no driver.
	ErrNoDriver = fmt.Errorf("%w: no Vulkan driver", ErrNoDevice)
	// ErrNoSuchDevice says that no device matches the selector.
	ErrNoSuchDevice = fmt.Errorf("%w of that name", ErrNoDevice)
	// ErrUnsupported says that the device lacks a feature or a limit is passed.
	ErrUnsupported = errors.New("not supported by the device")
	// ErrDeviceLost says that the device stopped working; every later call on
	// it fails the same way, and only opening a device again helps.
	ErrDeviceLost = errors.New("device lost")
	// ErrOutOfMemory says that device or host memory, or the budget, is used up.
	ErrOutOfMemory = hostmemory.ErrOut
	// ErrClosed says that the device, buffer or program has been closed or freed.
	ErrClosed = errors.New("closed")
	// ErrPending says that a program cannot change while the device runs it.
	ErrPending = errors.New("program is running")
	// ErrInvalid says that an argument breaks a rule that this package documents.
	ErrInvalid = errors.New("invalid argument")
)

// Results of Vulkan calls that this package tells apart.
const (
	resultSuccess            = 0
	resultTimeout            = 2
	resultOutOfHostMemory    = -1
	resultOutOfDeviceMemory  = -2
	resultInitFailed         = -3
	resultDeviceLost         = -4
	resultMemoryMapFailed    = -5
	resultLayerNotPresent    = -6
	resultExtNotPresent      = -7
	resultFeatureNotPresent  = -8
	resultIncompatibleDriver = -9
	resultTooManyObjects     = -10
	resultFragmentedPool     = -12
	resultOutOfPoolMemory    = -1000069000
)

var resultNames = map[int32]string{
	resultOutOfHostMemory:    "VK_ERROR_OUT_OF_HOST_MEMORY",
	resultOutOfDeviceMemory:  "VK_ERROR_OUT_OF_DEVICE_MEMORY",
	resultInitFailed:         "VK_ERROR_INITIALIZATION_FAILED",
	resultDeviceLost:         "VK_ERROR_DEVICE_LOST",
	resultMemoryMapFailed:    "VK_ERROR_MEMORY_MAP_FAILED",
	resultLayerNotPresent:    "VK_ERROR_LAYER_NOT_PRESENT",
	resultExtNotPresent:      "VK_ERROR_EXTENSION_NOT_PRESENT",
	resultFeatureNotPresent:  "VK_ERROR_FEATURE_NOT_PRESENT",
	resultIncompatibleDriver: "VK_ERROR_INCOMPATIBLE_DRIVER",
	resultTooManyObjects:     "VK_ERROR_TOO_MANY_OBJECTS",
	resultFragmentedPool:     "VK_ERROR_FRAGMENTED_POOL",
	resultOutOfPoolMemory:    "VK_ERROR_OUT_OF_POOL_MEMORY",
}

// callError is a Vulkan call that failed.
type callError struct {
	call   string
	result int32
}

func (e *callError) Error() string {
	name, known := resultNames[e.result]
	if !known {
		name = fmt.Sprintf("VkResult %d", e.result)
	}
	return e.call + ": " + name
}

// Unwrap is the sentinel of the result, nil if it has none.
func (e *callError) Unwrap() error {
	switch e.result {
	case resultOutOfHostMemory, resultOutOfDeviceMemory, resultTooManyObjects, resultOutOfPoolMemory,
		resultFragmentedPool, resultMemoryMapFailed:
		return ErrOutOfMemory
	case resultDeviceLost:
		return ErrDeviceLost
	case resultLayerNotPresent, resultExtNotPresent, resultFeatureNotPresent:
		return ErrUnsupported
	case resultIncompatibleDriver:
		return ErrNoDriver
	}
	return nil
}

func invalid(format string, args ...any) error {
	return fmt.Errorf("gpu: %w: %s", ErrInvalid, fmt.Sprintf(format, args...))
}

func unsupported(format string, args ...any) error {
	return fmt.Errorf("gpu: %w: %s", ErrUnsupported, fmt.Sprintf(format, args...))
}
