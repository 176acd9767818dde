package shaders

import (
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// With the compiler that made the committed files, a rebuild gives them again.
func TestRebuildGivesTheSameBytes(t *testing.T) {
	if testing.Short() {
		t.Skip("compiles every kernel")
	}
	var installed string
	for _, tool := range []string{"glslangValidator", "spirv-opt"} {
		output, err := exec.Command(tool, "--version").CombinedOutput()
		require.NoError(t, err, "%s is missing; Debian's packages are glslang-tools and spirv-tools", tool)
		line, _, _ := strings.Cut(string(output), "\n")
		installed += line + "\n"
	}
	recorded, err := os.ReadFile("spv/VERSION")
	require.NoError(t, err)
	if installed != string(recorded) {
		t.Skipf("spv/ was made by %q, installed is %q", recorded, installed)
	}
	report, err := exec.Command("bash", "build.sh", "--check").CombinedOutput()
	require.NoError(t, err, "%s", report)
}
