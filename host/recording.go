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
	rt    *Runtime
	mu    sync.Mutex
	done  bool
	calls []call
	owned []*Buffer
}

// Run implements [Stream]: it checks and keeps the operator, and runs nothing. A
// result that it allocates lives as long as the recording. Errors about arguments are
// those of [CumSumTensor], and [ErrFreed] once the recording is finished.
func (r *Recording) Run(op tensor.Op, dst *Buffer, inputs ...*Buffer) (*Buffer, error) {
	if r == nil {
		return nil, fmt.Errorf("%w: the recording is nil", ErrClosed)
	}
	c, owned, err := r.prepare(op, dst, inputs)
	if err != nil {
		return nil, err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.done {
		if owned {
			c.out.Free()
		}
		return nil, tensor.Errorf(c.op.Name(), ErrFreed, "the recording is finished")
	}
	r.calls = append(r.calls, c)
	if owned {
		r.owned = append(r.owned, c.out)
	}
	return c.out, nil
}

func (r *Recording) prepare(op tensor.Op, dst *Buffer, inputs []*Buffer) (call, bool, error) {
	return r.rt.prepare(op, dst, inputs)
}

// Recorded is a list of operators that can be replayed. It is safe for many
// goroutines.
type Recorded struct {
	rt     *Runtime
	replay replayer
	calls  []call
	owned  []*Buffer
	// checked says that an operator looks at its data, so that each run's outcome is
	// fetched before the next run overwrites it.
	checked bool

	running sync.Mutex // held by Run and Free, so that runs come one after the other

	mu     sync.Mutex // guards what follows
	ran    bool
	freed  bool
	failed error // the first failure that no Wait has reported
}

// replayer runs a recording's calls.
type replayer interface {
	run() error
	free()
}

// Record calls f to list operators on tensors of the runtime, and makes one
// submission of them. The tensors have to live as long as it does; new content is
// given to them by Write or Mapped. On the twin, under verification, and where an
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
	r := &Recording{rt: rt}
	err := f(r)
	r.mu.Lock()
	r.done = true
	r.mu.Unlock()
	rec := &Recorded{rt: rt, calls: r.calls, owned: r.owned, checked: slices.ContainsFunc(r.calls, readsStatus)}
	if err == nil {
		rec.replay, err = rt.backend.record(r.calls)
	}
	if err != nil {
		rec.Free()
		return nil, wrap("record", err)
	}
	if rec.replay == nil {
		rec.replay = &sequence{rt: rt, calls: r.calls}
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
	r.running.Lock()
	defer r.running.Unlock()
	ran, err := r.start()
	if err == nil && ran && r.checked {
		err = r.collect(context.Background())
	}
	if err == nil {
		err = r.replay.run()
	}
	return wrap("replay", err)
}

// start notes a run and gives whether it is not the first.
func (r *Recorded) start() (ran bool, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.freed {
		return false, ErrFreed
	}
	ran, r.ran = r.ran, true
	return ran, nil
}

// Wait returns when all runs are done, with the first error that any of them found
// since the last Wait.
func (r *Recorded) Wait(ctx context.Context) error {
	r.mu.Lock()
	ran, freed := r.ran, r.freed
	r.mu.Unlock()
	if freed {
		return fmt.Errorf("wait: %w", ErrFreed)
	}
	if ran {
		if err := r.collect(orBackground(ctx)); err != nil {
			return wrap("wait", err)
		}
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	err := r.failed
	r.failed = nil
	return wrap("wait", err)
}

// collect waits for the results and keeps their first failure. Its own error is the
// context's or the runtime's.
func (r *Recorded) collect(ctx context.Context) error {
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
	return nil
}

// Free gives back what the recording holds, its own results included, once the work
// in flight is done. It may be called twice.
func (r *Recorded) Free() {
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
}

// sequence replays calls one by one.
type sequence struct {
	rt    *Runtime
	calls []call
}

func (s *sequence) run() error {
	for _, c := range s.calls {
		for _, b := range append([]*Buffer{c.out}, c.inputs...) {
			if err := b.usable(c.op.Name()); err != nil {
				return err
			}
		}
		if err := s.rt.backend.run(c.op, c.out, c.inputs); err != nil {
			return wrap(c.op.Name(), err)
		}
	}
	return nil
}

func (s *sequence) free() {}
