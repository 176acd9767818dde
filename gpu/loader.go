//go:build linux && cgo

package gpu

/*
#include "shim.h"
*/
import "C"

import (
	"fmt"
	"os"
	"sync"
	"unsafe"

	vk "github.com/vulkan-go/vulkan"
)

// loader is the Vulkan library of the process and the binding's global function
// pointers, set once: they are the library's own entry points, the same for
// every instance.
var loader struct {
	sync.Mutex
	getProc       unsafe.Pointer
	instanceReady bool
}

// load opens the library and initializes the binding's global functions.
func load() (unsafe.Pointer, error) {
	loader.Lock()
	defer loader.Unlock()
	if loader.getProc != nil {
		return loader.getProc, nil
	}
	var message [512]C.char
	getProc := C.vkops_load(&message[0], C.size_t(len(message)))
	if getProc == nil {
		return nil, fmt.Errorf("gpu: %w: %s (Debian and Ubuntu: install the package libvulkan1)",
			ErrNoLoader, C.GoString(&message[0]))
	}
	vk.SetGetInstanceProcAddr(getProc)
	if err := vk.Init(); err != nil {
		return nil, fmt.Errorf("gpu: %w: %w", ErrNoLoader, err)
	}
	loader.getProc = getProc
	return getProc, nil
}

// initInstanceFunctions gives the binding its instance and device functions.
func initInstanceFunctions(instance vk.Instance) error {
	loader.Lock()
	defer loader.Unlock()
	if loader.instanceReady {
		return nil
	}
	if err := vk.InitInstance(instance); err != nil {
		return fmt.Errorf("gpu: %w", err)
	}
	loader.instanceReady = true
	return nil
}

// noDriver says where the loader looked for drivers.
func noDriver(cause error) error {
	hint := "the loader reads *.json files in /etc/vulkan/icd.d and /usr/share/vulkan/icd.d"
	for _, name := range []string{"VK_DRIVER_FILES", "VK_ICD_FILENAMES"} {
		if value := os.Getenv(name); value != "" {
			hint = fmt.Sprintf("the loader reads only what %s names: %s", name, value)
			break
		}
	}
	if cause != nil {
		hint = fmt.Sprintf("%v; %s", cause, hint)
	}
	return fmt.Errorf("gpu: %w: %s (Debian and Ubuntu: mesa-vulkan-drivers brings drivers for AMD and Intel and a software device)",
		ErrNoDriver, hint)
}

// instance is a Vulkan instance. Each open device has its own, so that the
// layers of one do not slow or fail another.
type instance struct {
	getProc unsafe.Pointer
	handle  vk.Instance
	c       C.vkops_instance
	faults  faults
}

func newInstance(validation bool, inject faults) (*instance, error) {
	getProc, err := load()
	if err != nil {
		return nil, err
	}
	in := &instance{getProc: getProc, faults: inject}
	var wanted C.int
	calls := []call{C.VKOPS_CALL_vkEnumerateInstanceVersion, C.VKOPS_CALL_vkEnumerateInstanceExtensionProperties,
		C.VKOPS_CALL_vkCreateInstance}
	if validation {
		wanted = 1
		calls = append(calls, C.VKOPS_CALL_vkEnumerateInstanceLayerProperties, C.VKOPS_CALL_vkCreateDebugUtilsMessengerEXT)
	}
	status := C.vkops_create_instance(getProc, wanted, inject.mask(calls...), &in.c)
	in.handle = *(*vk.Instance)(unsafe.Pointer(&in.c.instance))
	if in.c.instance != nil {
		if err := initInstanceFunctions(in.handle); err != nil {
			in.destroy()
			return nil, err
		}
	}
	if status.result < 0 {
		in.destroy()
		switch {
		case status.result == resultIncompatibleDriver:
			return nil, noDriver(shimError(status))
		case status.result == resultLayerNotPresent:
			return nil, unsupported("the validation layer is not installed (Debian and Ubuntu: vulkan-validationlayers)")
		}
		return nil, fmt.Errorf("gpu: %w", shimError(status))
	}
	return in, nil
}

// destroy works without the binding's functions, too.
func (in *instance) destroy() { C.vkops_destroy_instance(in.getProc, &in.c) }

// messages takes the validation messages that have come since the last call.
func (in *instance) messages() []string {
	var all []string
	if in.c.messages == nil {
		return nil
	}
	var text [2048]C.char
	for C.vkops_take_message(in.c.messages, &text[0], C.size_t(len(text))) != 0 {
		all = append(all, C.GoString(&text[0]))
	}
	return all
}

func (in *instance) physicalDevices() ([]vk.PhysicalDevice, error) {
	var count uint32
	err := in.faults.check("vkEnumeratePhysicalDevices", func() int32 {
		return int32(vk.EnumeratePhysicalDevices(in.handle, &count, nil))
	})
	if err == nil && count == 0 {
		return nil, noDriver(nil)
	}
	if err != nil {
		return nil, fmt.Errorf("gpu: %w", err)
	}
	devices := make([]vk.PhysicalDevice, count)
	if result := vk.EnumeratePhysicalDevices(in.handle, &count, devices); result < 0 {
		return nil, fmt.Errorf("gpu: %w", &callError{"vkEnumeratePhysicalDevices", int32(result)})
	}
	return devices[:count], nil
}
