//go:build linux && cgo

package gpu

import (
	"context"
	"encoding/binary"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"vkops/internal/resident"
)

func isClosed(err error) bool { return errors.Is(err, ErrClosed) }

func TestDevices(t *testing.T) {
	infos, err := Devices()
	require.NoError(t, err)
	require.NotEmpty(t, infos)
	for i, info := range infos {
		t.Logf("%+v", info)
		require.Equal(t, i, info.Index)
		require.NotEmpty(t, info.Name)
		require.NotEmpty(t, info.Driver)
		require.Regexp(t, `^1\.\d+\.\d+$`, info.API)
		require.NotZero(t, info.UUID)
		c := info.Caps
		require.GreaterOrEqual(t, c.MaxPush, uint32(128))
		require.GreaterOrEqual(t, c.MaxInvocations, uint32(128))
		require.GreaterOrEqual(t, c.SharedMemory, uint32(16384))
		require.GreaterOrEqual(t, c.MaxRange, uint64(1<<27))
		require.GreaterOrEqual(t, c.MaxStorageBuffers, uint32(4))
		require.NotZero(t, c.MaxAllocation)
		require.NotZero(t, c.MaxBuffer)
		require.NotZero(t, c.SubgroupSize)
		require.LessOrEqual(t, c.MinSubgroupSize, c.SubgroupSize)
		require.GreaterOrEqual(t, c.MaxSubgroupSize, c.SubgroupSize)
		require.LessOrEqual(t, c.NonCoherentAtom, uint64(granule))
		require.NotZero(t, c.OffsetAlignment)
		require.Positive(t, c.TimestampPeriod)
		for i := range 3 {
			require.GreaterOrEqual(t, c.MaxGroups[i], uint32(65535))
			require.NotZero(t, c.MaxGroupSize[i])
		}
	}
}

func TestSelectorFromEnvironment(t *testing.T) {
	d := openDevice(t, Options{})
	name := d.Info().Name
	t.Setenv("VKOPS_DEVICE", "no such device")
	_, err := Open(Options{})
	require.ErrorIs(t, err, ErrNoSuchDevice)
	require.ErrorContains(t, err, name, "the error lists what was found")
	require.Equal(t, name, openDevice(t, Options{Device: strings.ToUpper(name[:4])}).Info().Name, "an option beats the environment")
	t.Setenv("VKOPS_DEVICE", "0")
	require.Equal(t, 0, openDevice(t, Options{}).Info().Index)
}

func TestNoDriver(t *testing.T) {
	t.Setenv("VK_DRIVER_FILES", "/nonexistent/icd.json")
	t.Setenv("VK_ICD_FILENAMES", "/nonexistent/icd.json")
	for _, open := range []func() error{
		func() error { _, err := Devices(); return err },
		func() error { _, err := Open(Options{}); return err },
	} {
		err := open()
		require.ErrorIs(t, err, ErrNoDriver)
		require.ErrorIs(t, err, ErrNoDevice)
		require.ErrorContains(t, err, "VK_DRIVER_FILES")
		require.ErrorContains(t, err, "/nonexistent/icd.json")
		require.ErrorContains(t, err, "mesa-vulkan-drivers")
	}
}

func TestOpenLogs(t *testing.T) {
	var log logBuffer
	d := openDevice(t, Options{Logger: log.logger()})
	require.Contains(t, log.String(), d.Info().Driver)
}

func TestManyGoroutines(t *testing.T) {
	d := openDevice(t, Options{})
	add := newPipeline(t, d, addDesc(t, 0))
	shared := newProgram(t, d)
	require.NoError(t, shared.End())
	var group sync.WaitGroup
	for worker := range 16 {
		group.Add(1)
		go func() {
			defer group.Done()
			for round := range 12 {
				if err := workerRound(d, add, shared, uint32(worker), uint32(round), 0); err != nil {
					t.Error(err)
					return
				}
			}
		}()
	}
	group.Wait()
	require.Zero(t, d.MemoryInUse().Buffers)
}

// workerRound runs a chain in buffers of its own, beside other goroutines, and
// checks every element. extra is what the pipeline adds by its constant.
func workerRound(d *Device, add *Pipeline, shared *Program, worker, round, extra uint32) error {
	n := 1000 + 37*int(worker) + int(round)
	a, err := d.NewBuffer(int64(4*n), UploadMemory)
	if err != nil {
		return err
	}
	defer a.Free()
	b, err := d.NewBuffer(int64(4*n), DownloadMemory)
	if err != nil {
		return err
	}
	defer b.Free()
	for i := range n {
		binary.LittleEndian.PutUint32(a.Mapped()[4*i:], uint32(i)+worker)
	}
	if err := a.Flush(0, a.Size()); err != nil {
		return err
	}
	p, err := d.NewProgram()
	if err != nil {
		return err
	}
	defer p.Free()
	addTo(p, add, b, a, round)
	p.Barrier()
	addTo(p, add, a, b, 1)
	if err := p.End(); err != nil {
		return err
	}
	if _, err := d.Submit(shared); err != nil {
		return err
	}
	s, err := d.Submit(p)
	if err != nil {
		return err
	}
	if err := s.Wait(context.Background()); err != nil {
		return err
	}
	if err := a.Invalidate(0, a.Size()); err != nil {
		return err
	}
	for i := range n {
		if got := binary.LittleEndian.Uint32(a.Mapped()[4*i:]); got != uint32(i)+worker+round+1+2*extra {
			return errors.New("wrong value")
		}
	}
	return nil
}

// TestGarbageCollection runs the driver beside a goroutine that only allocates,
// with a collection at every chance: anything that C reads after Go let go of it
// would be overwritten.
func TestGarbageCollection(t *testing.T) {
	defer debug.SetGCPercent(debug.SetGCPercent(1))
	stop := make(chan struct{})
	var group sync.WaitGroup
	for range 2 {
		group.Add(1)
		go func() {
			defer group.Done()
			var keep [64][]byte
			for i := 0; ; i++ {
				select {
				case <-stop:
					return
				default:
				}
				keep[i%64] = make([]byte, 16+i%4096)
				for j := range keep[i%64] {
					keep[i%64][j] = 0xff
				}
				runtime.Gosched()
			}
		}()
	}
	rounds := 5
	if testing.Short() {
		rounds = 2
	}
	for round := range rounds {
		d, err := Open(Options{CacheDir: t.TempDir()})
		require.NoError(t, err)
		for i := range 10 {
			add, err := d.Pipeline(addDesc(t, uint32(1000*round+i)))
			require.NoError(t, err)
			shared := newProgram(t, d)
			require.NoError(t, shared.End())
			require.NoError(t, workerRound(d, add, shared, 1, 2, uint32(1000*round+i)))
		}
		require.NoError(t, d.Close())
	}
	close(stop)
	group.Wait()
}

func TestOpenCloseLeaksNothing(t *testing.T) {
	openClose := func() {
		d := openDevice(t, Options{CacheDir: t.TempDir()})
		add := newPipeline(t, d, addDesc(t, 0))
		// Some objects are left for Close.
		src, err := d.NewBuffer(1<<20, UploadMemory)
		require.NoError(t, err)
		dst, err := d.NewBuffer(1<<20, DownloadMemory)
		require.NoError(t, err)
		clear(src.Mapped())
		p, err := d.NewProgram()
		require.NoError(t, err)
		addTo(p, add, dst, src, 1)
		p.Timestamp()
		require.NoError(t, p.End())
		run(t, d, p)
		require.NoError(t, d.Close())
	}
	rounds := 6
	if testing.Short() {
		rounds = 2
	}
	// The driver keeps a little for each compiled shader; a buffer that stayed
	// would be 1 MiB a round.
	assertNoGrowth(t, int64(rounds)<<19, func() {
		for range rounds {
			openClose()
		}
	})
}

// assertNoGrowth holds do to less than limit bytes more of the process's memory each
// time that it runs.
func assertNoGrowth(t *testing.T, limit int64, do func()) {
	t.Helper()
	growth, each, err := resident.Growth(limit, do)
	require.NoError(t, err)
	t.Logf("bytes more each time: %d", each)
	require.Less(t, growth, limit, "bytes more each time: %d", each)
}

func TestCallsLeakNothing(t *testing.T) {
	d := openDevice(t, Options{})
	add := newPipeline(t, d, addDesc(t, 0))
	rounds := 2000
	if testing.Short() {
		rounds = 500
	}
	// 200 bytes a call
	assertNoGrowth(t, int64(rounds)*200, func() {
		for range rounds {
			require.NoError(t, oneCall(d, add))
		}
	})
	require.Zero(t, d.MemoryInUse().Buffers)
}

func TestPipelineCacheFile(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "new", "folder")
	open := func() string {
		var log logBuffer
		d := openDevice(t, Options{CacheDir: dir, Logger: log.logger()})
		newPipeline(t, d, addDesc(t, 0))
		require.NoError(t, d.Close())
		return log.String()
	}
	require.NotContains(t, open(), "cache")
	files, err := filepath.Glob(filepath.Join(dir, "*"))
	require.NoError(t, err)
	require.Len(t, files, 1, "one file and no temporary ones")
	require.NotContains(t, open(), "cache", "a good file is read")
	good, err := os.ReadFile(files[0])
	require.NoError(t, err)

	for name, bad := range map[string][]byte{
		"empty": {}, "truncated": good[:len(good)-1], "foreign": []byte("something else"),
		"damaged": append(append([]byte{}, good[:len(good)-1]...), good[len(good)-1]^1),
	} {
		require.NoError(t, os.WriteFile(files[0], bad, 0o644))
		require.Contains(t, open(), "pipeline cache ignored", name)
		require.NotContains(t, open(), "cache", "%s: the file is replaced", name)
	}

	require.NoError(t, os.RemoveAll(dir))
	require.NoError(t, os.WriteFile(dir, nil, 0o644))
	require.Contains(t, open(), "pipeline cache not written", "a file where the folder should be")
}
