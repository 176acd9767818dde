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
	output, err := exec.Command("glslangValidator", "--version").Output()
	require.NoError(t, err, "glslangValidator is missing; Debian's package is glslang-tools")
	installed, _, _ := strings.Cut(string(output), "\n")
	recorded, err := os.ReadFile("spv/VERSION")
	require.NoError(t, err)
	if installed != strings.TrimSpace(string(recorded)) {
		t.Skipf("spv/ was made by %q, installed is %q", strings.TrimSpace(string(recorded)), installed)
	}
	report, err := exec.Command("bash", "build.sh", "--check").CombinedOutput()
	require.NoError(t, err, "%s", report)
}
