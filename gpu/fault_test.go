//go:build linux && cgo

package gpu

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"vkops/tensor"
)

// faultPlan fails one call, by its number in the order in which they are made.
type faultPlan struct {
	mu     sync.Mutex
	failAt int // from 1, 0 for never
	as     error
	count  int
	failed string
	order  []string
	names  map[string]bool
}

func (f *faultPlan) fault(call string) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.count++
	if f.names == nil {
		f.names = map[string]bool{}
	}
	f.names[call] = true
	f.order = append(f.order, call)
	if f.count == f.failAt && (f.as != ErrDeviceLost || maybeLost[call]) {
		f.failed = call
		return f.as
	}
	return nil
}

// maybeLost are the calls that may report a lost device, by the specification.
var maybeLost = map[string]bool{"vkCreateDevice": true, "vkQueueSubmit": true, "vkWaitForFences": true, "vkGetFenceStatus": true,
	"vkGetQueryPoolResults": true}

// everything uses the whole package once, with what a fault can leave behind at
// each step, and stops at the first error.
func everything(t *testing.T, options Options) error {
	d, err := Open(options)
	if err != nil {
		return err
	}
	defer func() { require.NoError(t, d.Close()) }()
	add, err := d.Pipeline(addDesc(t, 0))
	if err != nil {
		return err
	}
	texels, err := d.Pipeline(texelsDesc(t))
	if err != nil {
		return err
	}
	src, err := d.NewBuffer(4096, UploadMemory)
	if err != nil {
		return err
	}
	defer src.Free()
	dst, err := d.NewBuffer(64<<20, DownloadMemory)
	if err != nil {
		return err
	}
	if d.Info().Caps.ImportAlignment != 0 {
		lent, err := d.ImportBuffer(tensor.BytesOf(words(1000)))
		if err != nil {
			return err
		}
		defer lent.Free()
	}
	p, err := d.NewProgram()
	if err != nil {
		return err
	}
	defer p.Free()
	// No software device has memory that needs flushing.
	src.coherent, dst.coherent = false, false
	if err := src.Flush(0, 4096); err != nil {
		return err
	}
	for range 2 {
		p.Timestamp()
		addTo(p, add, dst, src, 1)
		p.Barrier()
		addTexels(p, texels, Binding{2, dst, 0, 2048}, whole(0, src), whole(1, src), whole(3, src))
		if err := p.End(); err != nil {
			return err
		}
		for range 2 {
			s, err := d.Submit(p)
			if err != nil {
				return err
			}
			if _, err := s.Done(); err != nil {
				return err
			}
			if err := s.Wait(context.Background()); err != nil {
				return err
			}
		}
		if _, err := p.Timestamps(); err != nil {
			return err
		}
		if err := dst.Invalidate(0, 4096); err != nil {
			return err
		}
		if err := p.Reset(); err != nil {
			return err
		}
	}
	return nil
}

// TestEveryCallCanFail fails each call in turn: the error must name it and be of
// the right kind, and everything must still close.
func TestEveryCallCanFail(t *testing.T) {
	dry := &faultPlan{}
	options := Options{Fault: dry.fault, CacheDir: t.TempDir(), Validation: true}
	require.NoError(t, everything(t, options))
	names := slices.Sorted(maps.Keys(dry.names))
	t.Logf("%d calls of %v", dry.count, names)
	for _, call := range callNames() {
		require.Contains(t, names, call, "every call of the shim is covered")
	}
	for _, call := range []string{"vkAllocateMemory", "vkMapMemory", "vkCreateBuffer", "vkBindBufferMemory", "vkCreateCommandPool",
		"vkCreateBufferView", "vkCreateQueryPool", "vkCreateFence", "vkCreatePipelineCache", "vkEnumeratePhysicalDevices"} {
		require.Contains(t, names, call)
	}

	skip := 1
	if testing.Short() {
		skip = 3
	}
	for failAt := 1; failAt <= dry.count; failAt += skip {
		if failOne(t, failAt, ErrOutOfMemory); maybeLost[dry.order[failAt-1]] {
			failOne(t, failAt, ErrDeviceLost)
		}
	}
}

// failOne fails one call of everything, out of memory or as a lost device.
func failOne(t *testing.T, failAt int, as error) {
	plan := &faultPlan{failAt: failAt, as: as}
	var log logBuffer
	err := everything(t, Options{Fault: plan.fault, CacheDir: t.TempDir(), Validation: true, Logger: log.logger()})
	what := fmt.Sprintf("call %d, %s: %v", failAt, plan.failed, as)
	switch plan.failed {
	case "vkGetPipelineCacheData":
		require.NoError(t, err, what)
		require.Contains(t, log.String(), "vkGetPipelineCacheData", "a cache that cannot be written is logged")
	case "":
		// Whether fences are asked again depends on time.
		require.NoError(t, err, what)
	case "vkAllocateMemory", "vkMapMemory":
		// Where no whole block is left, a small one may be.
		require.True(t, err == nil || errors.Is(err, ErrOutOfMemory) && strings.Contains(err.Error(), plan.failed), "%s: %v", what, err)
	default:
		require.Error(t, err, what)
		require.ErrorContains(t, err, plan.failed)
		require.ErrorIs(t, err, as, what)
		require.Equal(t, as == ErrDeviceLost, errors.Is(err, ErrDeviceLost), what)
	}
	require.NotContains(t, log.String(), "vulkan validation", what)
}

// TestUsableAfterFault checks that a failed call leaves nothing behind: the same
// call works the next time.
func TestUsableAfterFault(t *testing.T) {
	var failing string
	var mu sync.Mutex
	fault := func(call string) error {
		mu.Lock()
		defer mu.Unlock()
		return failsAt(call, failing)
	}
	set := func(call string) {
		mu.Lock()
		defer mu.Unlock()
		failing = call
	}
	d := openDevice(t, Options{Fault: fault})
	try := func(step func() error, calls ...string) {
		for _, call := range calls {
			before := d.MemoryInUse().Used
			set(call)
			err := step()
			require.ErrorIs(t, err, ErrOutOfMemory, call)
			require.ErrorContains(t, err, call)
			require.Equal(t, before, d.MemoryInUse().Used, call)
			set("")
		}
		require.NoError(t, step())
	}
	var add *Pipeline
	try(func() (err error) { add, err = d.Pipeline(addDesc(t, 3)); return },
		"vkCreateDescriptorSetLayout", "vkCreatePipelineLayout", "vkCreateShaderModule", "vkCreateComputePipelines")
	var src, dst *Buffer
	try(func() (err error) { src, err = d.NewBuffer(1024, UploadMemory); return },
		"vkCreateBuffer", "vkAllocateMemory", "vkMapMemory", "vkBindBufferMemory")
	try(func() (err error) { dst, err = d.NewBuffer(1024, DownloadMemory); return }, "vkCreateBuffer", "vkBindBufferMemory")
	var p *Program
	try(func() (err error) { p, err = d.NewProgram(); return }, "vkCreateCommandPool", "vkAllocateCommandBuffers")
	write(t, src, func(i int) uint32 { return uint32(i) })
	record := func() error {
		chosen := failing
		set("")
		require.NoError(t, p.Reset())
		set(chosen)
		p.Timestamp()
		addTo(p, add, dst, src, 1)
		return p.End()
	}
	try(record, "vkCreateDescriptorPool", "vkCreateQueryPool", "vkBeginCommandBuffer", "vkAllocateDescriptorSets", "vkEndCommandBuffer")
	submit := func() error {
		s, err := d.Submit(p)
		if err != nil {
			return err
		}
		return s.Wait(context.Background())
	}
	try(submit, "vkCreateFence", "vkQueueSubmit")
	try(submit, "vkResetFences", "vkQueueSubmit")
	try(func() error { _, err := p.Timestamps(); return err }, "vkGetQueryPoolResults")
	for i, got := range read(t, dst) {
		require.Equal(t, uint32(i+4), got)
	}
	try(p.Reset, "vkResetCommandPool", "vkResetDescriptorPool")
}

func TestDeviceLostIsSticky(t *testing.T) {
	var lose sync.Map
	var log logBuffer
	d := openDevice(t, Options{Logger: log.logger(), Fault: func(call string) error {
		if _, found := lose.Load(call); found {
			return ErrDeviceLost
		}
		return nil
	}})
	b := newBuffer(t, d, 64, DeviceMemory)
	p := newProgram(t, d)
	require.NoError(t, p.End())
	run(t, d, p)
	slow := slowProgram(t, d)
	s, err := d.Submit(slow)
	require.NoError(t, err)
	others := make(chan error, 4)
	for range 4 {
		go func() { others <- s.Wait(context.Background()) }()
	}
	lose.Store("vkWaitForFences", true)
	require.ErrorIs(t, s.Wait(context.Background()), ErrDeviceLost)
	lose.Delete("vkWaitForFences")
	for range 4 {
		require.ErrorIs(t, <-others, ErrDeviceLost)
	}
	require.Contains(t, log.String(), "device lost")

	_, err = d.NewBuffer(64, DeviceMemory)
	require.ErrorIs(t, err, ErrDeviceLost)
	_, err = d.NewProgram()
	require.ErrorIs(t, err, ErrDeviceLost)
	_, err = d.Pipeline(addDesc(t, 0))
	require.ErrorIs(t, err, ErrDeviceLost)
	_, err = d.Submit(p)
	require.ErrorIs(t, err, ErrDeviceLost)
	require.ErrorIs(t, p.Reset(), ErrDeviceLost)
	require.ErrorIs(t, s.Wait(context.Background()), ErrDeviceLost)
	_, err = s.Done()
	require.ErrorIs(t, err, ErrDeviceLost)
	require.ErrorIs(t, b.Flush(0, 4), ErrDeviceLost)
	slow.Free()
	b.Free()
	require.NoError(t, d.Close())
	_, err = d.NewBuffer(64, DeviceMemory)
	require.ErrorIs(t, err, ErrClosed)
	openDevice(t, Options{}) // a new one works
}

// failsAt fails a call of one name, out of memory.
func failsAt(call, failing string) error {
	if call == failing {
		return ErrOutOfMemory
	}
	return nil
}
