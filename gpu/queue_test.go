//go:build linux && cgo

package gpu

import (
	"context"
	"runtime"
	"runtime/pprof"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// slowProgram records work of a good part of a second on a software device, in
// many dispatches.
func slowProgram(t testing.TB, d *Device) *Program {
	t.Helper()
	add := newPipeline(t, d, addDesc(t, 0))
	const bytes = 8 << 20
	a, b := newBuffer(t, d, bytes, DeviceMemory), newBuffer(t, d, bytes, DeviceMemory)
	p := newProgram(t, d)
	for range 40 {
		addTo(p, add, b, a, 1)
		p.Barrier()
	}
	require.NoError(t, p.End())
	return p
}

func TestReplayAllocatesNothing(t *testing.T) {
	d := openDevice(t, Options{})
	add := newPipeline(t, d, addDesc(t, 0))
	src, dst := newBuffer(t, d, 4096, DeviceMemory), newBuffer(t, d, 4096, DeviceMemory)
	p := newProgram(t, d)
	addTo(p, add, dst, src, 1)
	require.NoError(t, p.End())
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	replay := func() {
		s, err := d.Submit(p)
		if err == nil {
			err = s.Wait(ctx)
		}
		if err != nil {
			t.Error(err)
		}
	}
	replay()
	require.Zero(t, testing.AllocsPerRun(2000, replay))

	// What AllocsPerRun rounds away is at most the slab of submissions.
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	for range 2000 {
		replay()
	}
	runtime.ReadMemStats(&after)
	require.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(2000*32))
}

func TestSubmissionsFinishInOrder(t *testing.T) {
	d := openDevice(t, Options{})
	p := newProgram(t, d)
	require.NoError(t, p.End())
	var all []*Submission
	for i := range 200 {
		s, err := d.Submit(p)
		require.NoError(t, err)
		require.Equal(t, uint64(i+1), s.Seq())
		all = append(all, s)
	}
	require.NoError(t, all[150].Wait(context.Background()))
	for _, s := range all[:151] {
		done, err := s.Done()
		require.NoError(t, err)
		require.True(t, done)
	}
	require.NoError(t, all[199].Wait(context.Background()))
	require.Empty(t, d.queue.pending)
	require.LessOrEqual(t, len(d.queue.idle), 200)
}

// TestFenceIsNotReusedWhileWaitedOn holds a fence as a slow waiter does, past the
// end of its submission.
func TestFenceIsNotReusedWhileWaitedOn(t *testing.T) {
	d := openDevice(t, Options{})
	p := slowProgram(t, d)
	s, err := d.Submit(p)
	require.NoError(t, err)
	held := d.queue.hold(s.Seq())
	require.NotNil(t, held)
	require.NoError(t, s.Wait(context.Background()))
	require.Nil(t, d.queue.hold(s.Seq()), "a finished submission has no fence")
	empty := newProgram(t, d)
	require.NoError(t, empty.End())
	for range 3 {
		run(t, d, empty)
		require.NotContains(t, d.queue.idle, held)
	}
	d.queue.letGo(held)
	require.Contains(t, d.queue.idle, held)
}

func TestPendingSubmissionsAreBounded(t *testing.T) {
	d := openDevice(t, Options{})
	p := newProgram(t, d)
	require.NoError(t, p.End())
	var last *Submission
	for range 3 * maxPending {
		var err error
		last, err = d.Submit(p)
		require.NoError(t, err)
		require.LessOrEqual(t, len(d.queue.pending), maxPending)
	}
	require.NoError(t, last.Wait(context.Background()))
	require.LessOrEqual(t, len(d.queue.idle), maxPending)
}

func TestWaitEndsWithItsContext(t *testing.T) {
	d := openDevice(t, Options{})
	for times := 2; ; times *= 2 {
		require.LessOrEqual(t, times, 64, "the wait ends when the device is done, not with its context")
		p := slowProgram(t, d)
		var last *Submission
		for range times {
			var err error
			last, err = d.Submit(p)
			require.NoError(t, err)
		}
		ended, cancel := context.WithCancel(context.Background())
		cancel()
		canceled := last.Wait(ended)
		ending, cancel := context.WithTimeout(context.Background(), 5*time.Millisecond)
		exceeded, reset := last.Wait(ending), p.Reset()
		cancel()
		late, err := last.Done()
		require.NoError(t, err)
		if late { // the device was done before this goroutine ran again: nothing is known
			continue
		}
		require.ErrorIs(t, canceled, context.Canceled)
		require.ErrorIs(t, exceeded, context.DeadlineExceeded)
		require.ErrorIs(t, reset, ErrPending)
		require.NoError(t, last.Wait(context.Background()))
		require.NoError(t, p.Reset())
		require.NoError(t, last.Wait(ended), "a finished submission needs no waiting")
		return
	}
}

// Waits ask before they sleep, until that was in vain; of several that wait, one asks.
func TestWaitsAskBeforeTheySleep(t *testing.T) {
	d := openDevice(t, Options{})
	p := newProgram(t, d)
	b := newBuffer(t, d, 64<<20, DeviceMemory)
	for range 8 { // more than a tenth of a millisecond's work
		p.Fill(b, 0, b.Size(), 1)
		p.Barrier()
	}
	require.NoError(t, p.End())
	s, err := d.Submit(p)
	require.NoError(t, err)
	slots := d.queue.waits.slots
	slots <- struct{}{}
	slots <- struct{}{}
	require.Zero(t, s.polling(), "somebody else waits")
	<-slots
	require.Equal(t, pollFor, s.polling())
	<-slots
	require.NoError(t, s.Wait(context.Background()))
	require.Positive(t, p.backoff.Load(), "the work took long")
	p.backoff.Store(0)
	p.unpolled.Store(0)
	for _, want := range []int{1, 4, 16, 64, 256, 256} {
		require.Equal(t, pollFor, s.polling())
		p.polled(false)
		for range want {
			require.Zero(t, s.polling())
		}
	}
	for _, want := range []int{128, 64, 32, 16, 8, 4, 2, 1, 0, 0} {
		require.Equal(t, pollFor, s.polling())
		p.polled(true)
		for range want {
			require.Zero(t, s.polling())
		}
	}
}

func TestManyWaiters(t *testing.T) {
	d := openDevice(t, Options{})
	p := slowProgram(t, d)
	s, err := d.Submit(p)
	require.NoError(t, err)
	threads := pprof.Lookup("threadcreate")
	before := threads.Count()
	var group sync.WaitGroup
	errs := make(chan error, 1000)
	for i := range 1000 {
		group.Add(1)
		go func() {
			defer group.Done()
			ctx := context.Background()
			if i%2 == 0 {
				var cancel context.CancelFunc
				ctx, cancel = context.WithTimeout(ctx, time.Minute)
				defer cancel()
			}
			errs <- s.Wait(ctx)
		}()
	}
	group.Wait()
	for range 1000 {
		require.NoError(t, <-errs)
	}
	require.Less(t, threads.Count()-before, 4*maxBlocked, "threads of the operating system")
}

func TestFreeWaitsForTheDevice(t *testing.T) {
	d := openDevice(t, Options{})
	add := newPipeline(t, d, addDesc(t, 0))
	const n = 2 << 20
	src, err := d.NewBuffer(4*n, UploadMemory)
	require.NoError(t, err)
	write(t, src, func(i int) uint32 { return uint32(i) })
	dst := newBuffer(t, d, 4*n, DownloadMemory)
	p, err := d.NewProgram()
	require.NoError(t, err)
	addTo(p, add, dst, src, 1)
	require.NoError(t, p.End())
	s, err := d.Submit(p)
	require.NoError(t, err)
	src.Free()
	p.Free()
	// If the memory were given back early, these would get and overwrite it.
	for range 8 {
		b := newBuffer(t, d, 4*n, UploadMemory)
		clear(b.Mapped())
	}
	require.NoError(t, s.Wait(context.Background()))
	for i, got := range read(t, dst) {
		if got != uint32(i+1) {
			t.Fatalf("element %d is %d", i, got)
		}
	}
	require.Empty(t, d.programs.live, "the program is gone")
	require.Len(t, d.buffers.live, 9, "the source is gone")
}

func TestFreedBufferOfARecordedProgram(t *testing.T) {
	d := openDevice(t, Options{})
	b, err := d.NewBuffer(4096, DeviceMemory)
	require.NoError(t, err)
	p := newProgram(t, d)
	p.Fill(b, 0, 4096, 1)
	require.NoError(t, p.End())
	b.Free()
	require.Nil(t, b.Mapped())
	require.Equal(t, 1, d.MemoryInUse().Buffers)
	run(t, d, p)
	require.NoError(t, p.Reset())
	require.Zero(t, d.MemoryInUse().Buffers)
	require.Zero(t, d.MemoryInUse().Used)
}

func TestClosedDevice(t *testing.T) {
	d := openDevice(t, Options{})
	b := newBuffer(t, d, 64, DeviceMemory)
	p := newProgram(t, d)
	require.NoError(t, p.End())
	done, err := d.Submit(p)
	require.NoError(t, err)
	require.NoError(t, done.Wait(context.Background()))
	pending, err := d.Submit(slowProgram(t, d))
	require.NoError(t, err)
	add := newPipeline(t, d, addDesc(t, 0))
	require.NoError(t, d.Close())
	require.NoError(t, d.Close())

	require.NoError(t, done.Wait(context.Background()))
	require.ErrorIs(t, pending.Wait(context.Background()), ErrClosed)
	_, err = pending.Done()
	require.ErrorIs(t, err, ErrClosed)
	_, err = d.NewBuffer(1, DeviceMemory)
	require.ErrorIs(t, err, ErrClosed)
	_, err = d.NewProgram()
	require.ErrorIs(t, err, ErrClosed)
	_, err = d.Pipeline(addDesc(t, 0))
	require.ErrorIs(t, err, ErrClosed)
	_, err = d.Submit(p)
	require.ErrorIs(t, err, ErrClosed)
	require.ErrorIs(t, p.Reset(), ErrClosed)
	require.ErrorIs(t, p.End(), ErrClosed)
	_, err = p.Timestamps()
	require.ErrorIs(t, err, ErrClosed)
	require.ErrorIs(t, b.Flush(0, 4), ErrClosed)
	require.ErrorIs(t, b.Invalidate(0, 4), ErrClosed)
	require.Nil(t, b.Mapped())
	p.Dispatch(add, [3]uint32{1, 1, 1}, make([]byte, 8))
	b.Free()
	p.Free()
	d.Trim()
	require.Zero(t, d.MemoryInUse())
	require.Nil(t, d.ValidationMessages())
}

func TestCloseBesideCalls(t *testing.T) {
	for range 5 {
		d := openDevice(t, Options{})
		add := newPipeline(t, d, addDesc(t, 0))
		var group sync.WaitGroup
		for range 8 {
			group.Add(1)
			go func() {
				defer group.Done()
				for {
					if err := oneCall(d, add); err != nil {
						if !isClosed(err) {
							t.Error(err)
						}
						return
					}
				}
			}()
		}
		time.Sleep(20 * time.Millisecond)
		require.NoError(t, d.Close())
		group.Wait()
	}
}

// oneCall makes objects, runs them and frees some.
func oneCall(d *Device, add *Pipeline) error {
	src, err := d.NewBuffer(4096, DeviceMemory)
	if err != nil {
		return err
	}
	defer src.Free()
	dst, err := d.NewBuffer(4096, DownloadMemory)
	if err != nil {
		return err
	}
	p, err := d.NewProgram()
	if err != nil {
		return err
	}
	defer p.Free()
	addTo(p, add, dst, src, 1)
	if err := p.End(); err != nil {
		return err
	}
	s, err := d.Submit(p)
	if err != nil {
		return err
	}
	dst.Free()
	return s.Wait(context.Background())
}

// TestSharedProgramBesideClose has goroutines in every call of one program while
// the device closes: none may wait for a lock that another holds.
func TestSharedProgramBesideClose(t *testing.T) {
	for range 20 {
		d := openDevice(t, Options{})
		add := newPipeline(t, d, addDesc(t, 0))
		src, dst := newBuffer(t, d, 4096, DeviceMemory), newBuffer(t, d, 4096, DeviceMemory)
		p := newProgram(t, d)
		var group sync.WaitGroup
		stop := make(chan struct{})
		for _, use := range []func(){
			func() { addTo(p, add, dst, src, 1) },
			func() { _ = p.Reset() },
			func() { _ = p.End() },
			func() { _, _ = d.Submit(p) },
			func() { _, _ = p.Timestamps() },
			func() { _ = src.Flush(0, 4) },
			func() { _ = src.Mapped() },
		} {
			group.Add(1)
			go func() {
				defer group.Done()
				for {
					select {
					case <-stop:
						return
					default:
						use()
					}
				}
			}()
		}
		time.Sleep(2 * time.Millisecond)
		require.NoError(t, d.Close())
		close(stop)
		group.Wait()
	}
}
