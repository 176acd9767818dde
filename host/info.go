package host

import (
	"runtime"

	"vkops/gpu"
)

// DeviceInfo describes an open device. On the twin, Name is "cpu", Twin is true and
// the Vulkan fields are zero.
type DeviceInfo struct {
	gpu.Info
	Twin bool // it is the CPU, by package cpuref
	// Litmus is what was found at open about the arithmetic that equal bits rest on.
	Litmus []Check
}

// Check is one outcome of the litmus.
type Check struct {
	Name     string // "round to nearest even"
	Found    string // what the device does: "yes", "flushed to zero", the bits that were wrong
	Pass     bool
	Required bool // without it, results may differ from the twin's
}

// Trusted reports whether the device passed every required check.
func (d DeviceInfo) Trusted() bool {
	for _, c := range d.Litmus {
		if c.Required && !c.Pass {
			return false
		}
	}
	return true
}

// Devices lists the Vulkan devices in Vulkan's order, unopened: without a litmus.
// It is [ErrNoDevice] where there is no loader or no driver.
func Devices() ([]DeviceInfo, error) {
	infos, err := gpu.Devices()
	if err != nil {
		return nil, err
	}
	out := make([]DeviceInfo, len(infos))
	for i, info := range infos {
		out[i] = DeviceInfo{Info: info}
	}
	return out, nil
}

func twinInfo() DeviceInfo {
	return DeviceInfo{
		Info: gpu.Info{Index: -1, Name: twinName, Type: gpu.CPU, Driver: "Go " + runtime.Version()},
		Twin: true,
	}
}
