package host

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"

	"vkops/tensor"
)

// Recording is the [Stream] that the function given to [Runtime.Record] fills.
type Recording struct {
	rt      *Runtime
	mu      sync.Mutex // held during Run: results of others do not come in between
	done    bool
	calls   []call
	owned   []*Buffer
	results results
}

// Run implements [Stream]: it checks and keeps the operator, and runs nothing. A
// result that it allocates lives as long as the recording. One that only operators
// recorded so far need may be freed before the recording is finished: later results
// then have its memory. Errors about arguments are those of [CumSumTensor], and
// [ErrFreed] once the recording is finished.
func (r *Recording) Run(op tensor.Op, dst *Buffer, inputs ...*Buffer) (*Buffer, error) {
	if r == nil || r.rt == nil {
		return nil, fmt.Errorf("%w: the recording is nil", ErrClosed)
	}
	op, err := known(op)
	if err != nil {
		return nil, err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.done {
		return nil, tensor.Errorf(op.Name(), ErrFreed, "the recording is finished")
	}
	r.results.begin()
	c, err := r.rt.prepare(op, dst, inputs, r.results.take)
	if err != nil {
		return nil, err
	}
	r.calls = append(r.calls, c)
	if dst == nil {
		r.owned = append(r.owned, c.out)
	}
	return c.out, nil
}

func (r *Recording) isStream() {}

// finish ends the recording and gives what it holds.
func (r *Recording) finish() *Recorded {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.done = true
	r.results.finish(r.calls)
	return &Recorded{rt: r.rt, calls: r.calls, owned: r.owned, results: &r.results, checked: slices.ContainsFunc(r.calls, readsStatus)}
}

// Recorded is a list of operators that can be replayed. It is safe for many
// goroutines.
type Recorded struct {
	rt     *Runtime
	replay replayer
	calls  []call
	owned  []*Buffer
	// results is the memory of those that it owns.
	results *results
	// checked says that an operator looks at its data, so that each run's outcome is
	// fetched before the next run overwrites it.
	checked bool

	running sync.Mutex // held by Run and Free, so that runs come one after the other

	mu     sync.Mutex // guards what follows
	runs   uint64     // that were begun
	seen   uint64     // of them, whose outcome was fetched
	freed  bool
	failed error // the first failure that no Wait has reported
}

var errNotRecorded = fmt.Errorf("%w: the recording is nil or not from Record", ErrClosed)

// replayer runs a recording's calls.
type replayer interface {
	// run gives whether it changed anything, also if it failed.
	run() (sent bool, err error)
	free()
}

// Record calls f to list operators on tensors of the runtime, and makes one
// submission of them. The tensors that it did not allocate have to live as long as it
// does; new content is given to them by Write or Mapped. On the twin, under verification, and where an
// operator needs the twin, a replay runs the operators one by one.
//
// The error is that of f, or [ErrClosed], [ErrOutOfMemory] or the device's. The caller
// frees the result.
func (rt *Runtime) Record(f func(*Recording) error) (*Recorded, error) {
	if err := rt.usable("record"); err != nil {
		return nil, err
	}
	if f == nil {
		return nil, fmt.Errorf("record: %w: no function is given", ErrAttribute)
	}
	r := &Recording{rt: rt, results: results{rt: rt}}
	var rec *Recorded
	defer func() {
		if rec == nil { // f panicked, and its caller may go on
			r.finish().Free()
		}
	}()
	err := f(r)
	rec = r.finish()
	if err == nil {
		rec.replay, err = rt.backend.record(rec.calls)
	}
	if err != nil {
		rec.Free()
		return nil, wrap("record", err)
	}
	if rec.replay == nil {
		rec.replay = &sequence{rt: rt, calls: rec.calls}
	}
	return rec, nil
}

// readsStatus reports whether a call can fail on its data.
func readsStatus(c call) bool {
	_, ok := c.op.(tensor.Loss)
	return ok
}

// Run sends the operators on their way and returns, without allocating. Where one
// of them is a loss, it first waits for the run before. It is [ErrFreed] after Free;
// what the device finds, [Recorded.Wait] and the tensors' waits report.
func (r *Recorded) Run() error {
	if r == nil {
		return wrap("replay", errNotRecorded)
	}
	r.running.Lock()
	defer r.running.Unlock()
	before, err := r.start()
	if err == nil && r.checked {
		err = r.collect(context.Background(), before)
	}
	sent := false
	if err == nil {
		sent, err = r.replay.run()
	}
	if !sent {
		r.sawAll(before)
	}
	return wrap("replay", err)
}

// start notes a run and gives how many there were before.
func (r *Recorded) start() (uint64, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	switch {
	case r.rt == nil:
		return 0, errNotRecorded
	case r.freed:
		return 0, ErrFreed
	}
	r.runs++
	return r.runs - 1, nil
}

// sawAll notes that there is nothing to see of a run if all before it were seen.
func (r *Recorded) sawAll(before uint64) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.seen == before {
		r.seen = r.runs
	}
}

// Wait returns when all runs are done, with the first error that any of them found
// since the last Wait.
func (r *Recorded) Wait(ctx context.Context) error {
	if r == nil || r.rt == nil {
		return wrap("wait", errNotRecorded)
	}
	r.mu.Lock()
	runs, freed := r.runs, r.freed
	r.mu.Unlock()
	if freed {
		return fmt.Errorf("wait: %w", ErrFreed)
	}
	if err := r.collect(orBackground(ctx), runs); err != nil {
		return wrap("wait", err)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	err := r.failed
	r.failed = nil
	return wrap("wait", err)
}

// collect waits for the results of so many runs and keeps their first failure, unless
// that was done before: results keep a failure that was reported until the next run. Its
// own error is the context's or the runtime's.
func (r *Recorded) collect(ctx context.Context, runs uint64) error {
	r.mu.Lock()
	seen := r.seen
	r.mu.Unlock()
	if seen >= runs {
		return nil
	}
	for i := range r.calls {
		err := r.rt.backend.wait(ctx, r.calls[i].out)
		switch {
		case err == nil, errors.Is(err, ErrFreed):
		case errors.Is(err, ErrClosed), ctx.Err() != nil && errors.Is(err, ctx.Err()):
			return err
		default:
			r.mu.Lock()
			if r.failed == nil {
				r.failed = err
			}
			r.mu.Unlock()
		}
	}
	r.mu.Lock()
	r.seen = max(r.seen, runs)
	r.mu.Unlock()
	return nil
}

// Free gives back what the recording holds, its own results included, once the work
// in flight is done. It may be called twice.
func (r *Recorded) Free() {
	if r == nil || r.rt == nil {
		return
	}
	r.running.Lock()
	defer r.running.Unlock()
	r.mu.Lock()
	freed := r.freed
	r.freed = true
	r.mu.Unlock()
	if freed {
		return
	}
	if r.replay != nil {
		r.replay.free()
	}
	for _, b := range r.owned {
		b.Free()
	}
	r.results.free()
}

// sequence replays calls one by one.
type sequence struct {
	rt    *Runtime
	calls []call
}

func (s *sequence) run() (sent bool, err error) {
	for _, c := range s.calls {
		for _, b := range append([]*Buffer{c.out}, c.inputs...) {
			if err := b.usable(c.op.Name()); err != nil {
				return sent, err
			}
		}
		if err := s.rt.backend.run(context.Background(), c.op, c.out, c.inputs); err != nil {
			return sent, wrap(c.op.Name(), err)
		}
		sent = true
	}
	return sent, nil
}

func (s *sequence) free() {}
