//go:build linux && cgo

package gpu

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
	vk "github.com/vulkan-go/vulkan"
)

// TestNoLoader runs this test again in a process where the loader's library is
// one that cannot be opened.
func TestNoLoader(t *testing.T) {
	if os.Getenv("VKOPS_TEST_LOADER") == "missing" {
		for range 2 {
			_, err := Open(Options{})
			require.ErrorIs(t, err, ErrNoLoader)
			require.ErrorIs(t, err, ErrNoDevice)
			require.ErrorContains(t, err, "libvulkan1")
			require.ErrorContains(t, err, "libvulkan.so.1")
		}
		return
	}
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "libvulkan.so.1"), []byte("no library"), 0o755))
	command := exec.Command(os.Args[0], "-test.run=^TestNoLoader$", "-test.v")
	command.Env = append(os.Environ(), "VKOPS_TEST_LOADER=missing", "LD_LIBRARY_PATH="+dir)
	out, err := command.CombinedOutput()
	require.NoError(t, err, string(out))
	require.Contains(t, string(out), "--- PASS: TestNoLoader")
}

// TestBindingWithoutFunctions has the binding refuse its functions, for which it needs the
// loader's first: nothing of the instance is left.
func TestBindingWithoutFunctions(t *testing.T) {
	openDevice(t, Options{}) // loads the library
	loader.instanceReady = false
	vk.SetGetInstanceProcAddr(nil)
	defer func() {
		vk.SetGetInstanceProcAddr(loader.getProc)
		in, err := newInstance(false, nil)
		require.NoError(t, err)
		in.destroy()
	}()
	assertNoGrowth(t, 1<<20, func() { // an instance with its layer is 2.7 MB
		for range 2 {
			_, err := newInstance(true, nil)
			require.ErrorContains(t, err, "GetInstanceProcAddr")
		}
	})
}

// TestBuildsElsewhere builds the package without cgo and for other systems, and
// runs the tests of the build without cgo.
func TestBuildsElsewhere(t *testing.T) {
	if testing.Short() {
		t.Skip("needs the standard library compiled for other systems; the full run does it")
	}
	for _, env := range [][]string{{"GOOS=windows", "CGO_ENABLED=0"}, {"GOOS=darwin", "CGO_ENABLED=0"}, {"CGO_ENABLED=0"}} {
		command := exec.Command("go", "build", "./...")
		command.Env = append(os.Environ(), env...)
		out, err := command.CombinedOutput()
		require.NoError(t, err, "%v: %s", env, out)
	}
	command := exec.Command("go", "test", "-short", "-count=1", ".")
	command.Env = append(os.Environ(), "CGO_ENABLED=0")
	out, err := command.CombinedOutput()
	require.NoError(t, err, string(out))
}
