// Package fakedriver makes devices for tests: a Vulkan driver that forwards to the
// real one and lies about what it is, so that devices are met which no machine at
// hand has. It is built with gcc and the Vulkan headers when a test asks for it.
package fakedriver

import (
	_ "embed"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

//go:embed testdata/driver.c
var source []byte

// Install makes the lying driver the only one of the process until the end of the
// test, and gives the path of its description. says holds the lies, "name=value"
// separated by commas:
//
//	name, type, api                         of VkPhysicalDeviceProperties
//	range, alignment, atom, shared, push,   of its limits
//	invocations, buffers, allocations,
//	groups, size
//	subgroup, allocation                    the subgroup size, the largest allocation
//	maxbuffer, import                       the largest buffer, the alignment of lent host memory
//	float64, int64, int16, storage16        features
//	queue, timestamps                       flags and timestamp bits of every queue family
//	types, flags, heap                      number and flags of memory types, size of heaps
//	extensions=none                         hides the device's extensions
//	create                                  what vkCreateDevice returns
//
// A feature or an extension that is enabled but was not offered fails vkCreateDevice.
func Install(t testing.TB, says string) string {
	t.Helper()
	require.Empty(t, os.Getenv("FAKE_REAL"), "one lying driver a test")
	real := realLibrary(t)
	dir := t.TempDir()
	code, library := filepath.Join(dir, "driver.c"), filepath.Join(dir, "driver.so")
	require.NoError(t, os.WriteFile(code, source, 0o600))
	out, err := exec.Command("gcc", "-shared", "-fPIC", "-Wall", "-Wextra", "-Werror", "-o", library, code, "-ldl").CombinedOutput()
	require.NoError(t, err, string(out))
	description := filepath.Join(dir, "driver.json")
	text, err := json.Marshal(map[string]any{"file_format_version": "1.0.0", "ICD": map[string]string{"library_path": library, "api_version": "1.3.0"}})
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(description, text, 0o600))
	t.Setenv("FAKE_REAL", real)
	t.Setenv("FAKE_SAYS", says)
	t.Setenv("VKOPS_DEVICE", "")
	Only(t, description)
	return description
}

// Only makes drivers, by their descriptions, the only ones until the end of the test.
func Only(t testing.TB, descriptions ...string) {
	list := strings.Join(descriptions, ":")
	t.Setenv("VK_DRIVER_FILES", list)
	t.Setenv("VK_ICD_FILENAMES", list)
}

// Real is the description of the driver that the test would use: a software one.
func Real(t testing.TB) string {
	t.Helper()
	for _, name := range []string{"VK_DRIVER_FILES", "VK_ICD_FILENAMES"} {
		if list := os.Getenv(name); list != "" {
			return strings.Split(list, ":")[0]
		}
	}
	all, err := filepath.Glob("/usr/share/vulkan/icd.d/lvp_icd*.json")
	require.NoError(t, err)
	require.NotEmpty(t, all, "Debian and Ubuntu: install mesa-vulkan-drivers")
	return all[0]
}

// realLibrary is the library that the real driver's description names.
func realLibrary(t testing.TB) string {
	t.Helper()
	path := Real(t)
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	var description struct {
		ICD struct {
			Library string `json:"library_path"`
		}
	}
	require.NoError(t, json.Unmarshal(text, &description))
	library := description.ICD.Library
	if strings.HasPrefix(library, ".") {
		library = filepath.Join(filepath.Dir(path), library)
	}
	return library
}
