package gpu

import (
	"fmt"
	"strconv"
	"strings"
)

// preference ranks kinds of devices: an unknown kind goes before a software
// device, which is used only when it is the only one or asked for.
var preference = map[DeviceType]int{Discrete: 0, Integrated: 1, Virtual: 2, Other: 3, CPU: 4}

// Choose picks the device that selector names. An empty selector means the
// best kind (discrete, integrated, virtual, other, software) and the first in
// Vulkan's order among equals; digits alone are an index; anything else is part
// of the name in any case, and among devices so named the best kind wins. The
// error is ErrNoSuchDevice, or ErrNoDriver for an empty list, and lists what
// was found.
func Choose(infos []Info, selector string) (Info, error) {
	if len(infos) == 0 {
		return Info{}, fmt.Errorf("gpu: %w: the list of devices is empty", ErrNoDriver)
	}
	selector = strings.TrimSpace(selector)
	matches := func(Info) bool { return true }
	if selector != "" && strings.Trim(selector, "0123456789") == "" {
		index, err := strconv.Atoi(selector)
		matches = func(i Info) bool { return err == nil && i.Index == index }
	} else if selector != "" {
		part := strings.ToLower(selector)
		matches = func(i Info) bool { return strings.Contains(strings.ToLower(i.Name), part) }
	}
	best := -1
	for i := range infos {
		if matches(infos[i]) && (best < 0 || preference[infos[i].Type] < preference[infos[best].Type]) {
			best = i
		}
	}
	if best < 0 {
		return Info{}, fmt.Errorf("gpu: %w: %q; found %s", ErrNoSuchDevice, selector, listNames(infos))
	}
	return infos[best], nil
}

func listNames(infos []Info) string {
	names := make([]string, len(infos))
	for i, info := range infos {
		names[i] = fmt.Sprintf("%d: %s (%s)", info.Index, info.Name, info.Type)
	}
	return strings.Join(names, ", ")
}
