//go:build linux && cgo

package gpu

import (
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// sharedCache names the folder of the cache to a process that TestCacheOfTwoProcesses
// started.
const sharedCache = "VKOPS_TEST_SHARED_CACHE"

// TestCacheOfTwoProcesses has processes write the same cache file again and again,
// while others read it: none of them ever sees a damaged one.
func TestCacheOfTwoProcesses(t *testing.T) {
	dir := os.Getenv(sharedCache)
	if dir != "" {
		for i := range 8 {
			openAndBuild(t, dir, uint32(os.Getpid()%1000*100+i))
		}
		return
	}
	openDevice(t, Options{})
	dir = t.TempDir()
	var processes sync.WaitGroup
	for range 3 {
		processes.Add(1)
		go func() {
			defer processes.Done()
			cmd := exec.Command(os.Args[0], "-test.run", "^TestCacheOfTwoProcesses$")
			cmd.Env = append(os.Environ(), sharedCache+"="+dir)
			out, err := cmd.CombinedOutput()
			assert.NoError(t, err, string(out))
		}()
	}
	processes.Wait()
	files, err := filepath.Glob(filepath.Join(dir, "*"))
	require.NoError(t, err)
	require.Len(t, files, 1, "one file and no temporary ones")
	openAndBuild(t, dir, 1)
}

// openAndBuild opens a device with a cache folder and builds a pipeline of its own;
// nothing is to be said about the cache.
func openAndBuild(t *testing.T, dir string, extra uint32) {
	var log logBuffer
	d, err := Open(Options{CacheDir: dir, Logger: log.logger()})
	require.NoError(t, err)
	_, err = d.Pipeline(addDesc(t, extra))
	require.NoError(t, err)
	require.NoError(t, d.Close())
	require.NotContains(t, log.String(), "cache")
}

// TestUnwritableCache has the cache folder in a place where nobody can make one.
func TestUnwritableCache(t *testing.T) {
	for _, dir := range []string{"/proc/self/vkops", "/dev/null/vkops", string([]byte{'a', 0})} {
		var log logBuffer
		d := openDevice(t, Options{CacheDir: dir, Logger: log.logger()})
		newPipeline(t, d, addDesc(t, 0))
		require.NoError(t, d.Close())
		require.Contains(t, log.String(), "pipeline cache not written", "%q", dir)
	}
}
