//go:build linux && cgo

package gpu

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// systemHeader is where Debian's libvulkan-dev puts the header that our
// declarations are compared with.
const systemHeader = "/usr/include/vulkan/vulkan.h"

func requireSystemHeader(t *testing.T) {
	t.Helper()
	_, err := os.Stat(systemHeader)
	require.NoError(t, err, "Debian and Ubuntu: install libvulkan-dev")
}

// TestABI prints the size and the offset of every field of every structure, and
// every constant, once from our declarations and once from the system's header.
func TestABI(t *testing.T) {
	requireSystemHeader(t)
	types, err := os.ReadFile("vulkan_types.h")
	require.NoError(t, err)
	functions, err := os.ReadFile("vulkan_functions.h")
	require.NoError(t, err)

	var body strings.Builder
	structs, fields, constants := 0, 0, 0
	for _, match := range regexp.MustCompile(`(?s)typedef struct (Vk\w+) \{(.*?)\n\} Vk\w+;`).FindAllStringSubmatch(string(types), -1) {
		name := match[1]
		structs++
		fmt.Fprintf(&body, "printf(\"%s %%zu\\n\", sizeof(%s));\n", name, name)
		if name == "VkPhysicalDeviceProperties" {
			continue // opaque
		}
		for _, field := range regexp.MustCompile(`(\w+)(?:\[\w+\])?[,;]`).FindAllStringSubmatch(match[2], -1) {
			fields++
			fmt.Fprintf(&body, "printf(\"%s.%s %%zu %%zu\\n\", offsetof(%s, %s), sizeof(((%s*)0)->%s));\n",
				name, field[1], name, field[1], name, field[1])
		}
	}
	for _, match := range regexp.MustCompile(`(?m)^    (VK_\w+) = `).FindAllStringSubmatch(string(functions), -1) {
		constants++
		fmt.Fprintf(&body, "printf(\"%s %%lld\\n\", (long long)%s);\n", match[1], match[1])
	}
	require.Greater(t, structs, 40, "the structures are found")
	require.Greater(t, fields, 250)
	require.Greater(t, constants, 60)

	ours := runC(t, `#include "vulkan_functions.h"`, body.String())
	theirs := runC(t, "#define VK_USE_64_BIT_PTR_DEFINES 0\n#include <vulkan/vulkan.h>", body.String())
	require.Equal(t, theirs, ours)
}

// runC compiles and runs a program with the include and the statements.
func runC(t *testing.T, include, body string) string {
	t.Helper()
	here, err := os.Getwd()
	require.NoError(t, err)
	dir := t.TempDir()
	source := filepath.Join(dir, "main.c")
	program := fmt.Sprintf("#include <stddef.h>\n#include <stdio.h>\n%s\nint main(void) {\n%sreturn 0;\n}\n", include, body)
	require.NoError(t, os.WriteFile(source, []byte(program), 0o600))
	out, err := exec.Command("gcc", "-I", here, "-o", filepath.Join(dir, "main"), source).CombinedOutput()
	require.NoError(t, err, string(out))
	out, err = exec.Command(filepath.Join(dir, "main")).Output()
	require.NoError(t, err)
	return string(out)
}

// TestShimCompilesWithSystemHeader has the compiler check every field name,
// function type and constant that the shim uses.
func TestShimCompilesWithSystemHeader(t *testing.T) {
	requireSystemHeader(t)
	sources, err := filepath.Glob("shim_*.c")
	require.NoError(t, err)
	require.Len(t, sources, 6)
	object := filepath.Join(t.TempDir(), "shim.o")
	for _, source := range sources {
		out, err := exec.Command("gcc", "-DVKOPS_SYSTEM_VULKAN", "-O2", "-Wall", "-Wextra", "-Werror", "-c", "-o", object, source).CombinedOutput()
		require.NoError(t, err, string(out))
	}
}
