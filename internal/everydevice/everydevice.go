// Package everydevice opens what the tests of the examples run on.
package everydevice

import (
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"vkops/host"
)

// Open gives the twin and the default Vulkan device, until the test ends. Without a
// Vulkan device the test fails, unless VKOPS_TEST_NO_DEVICE=1 says that none is meant.
func Open(t *testing.T) []*host.Runtime {
	t.Helper()
	selectors := []string{"cpu", ""}
	if os.Getenv("VKOPS_TEST_NO_DEVICE") == "1" {
		t.Log("NOT TESTED on a Vulkan device: VKOPS_TEST_NO_DEVICE=1")
		selectors = selectors[:1]
	}
	var runtimes []*host.Runtime
	for _, selector := range selectors {
		rt, err := host.Open(host.WithDevice(selector))
		require.NoError(t, err)
		t.Cleanup(func() { require.NoError(t, rt.Close()) })
		runtimes = append(runtimes, rt)
	}
	return runtimes
}
