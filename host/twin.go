package host

import (
	"context"
	"errors"
	"fmt"
	"math"
	"sync/atomic"

	"vkops/cpuref"
	"vkops/tensor"
)

// twinAtOnce is enough bytes for all cores, and takes them a fraction of a second.
const twinAtOnce = 8 << 20

// twin is the backend in pure Go. Its operators are done when run returns, and use
// all cores each, so one at a time is enough: that gives the order of a queue.
type twin struct {
	rt     *Runtime
	budget int64
	used   atomic.Int64
	turn   chan struct{} // holds one token; who has it may touch elements
	// atOnce is how many bytes of slices it works on before it asks the context.
	atOnce int64
}

func newTwin(rt *Runtime, budget int64) *twin {
	t := &twin{rt: rt, budget: budget, turn: make(chan struct{}, 1), atOnce: twinAtOnce}
	if budget == 0 {
		t.budget = math.MaxInt64
	}
	t.turn <- struct{}{}
	return t
}

func (t *twin) alloc(_ context.Context, b *Buffer) error {
	if used := t.used.Add(b.bytes); used > t.budget || used < 0 {
		t.used.Add(-b.bytes)
		return fmt.Errorf("%w: %d bytes beside %d in use pass the budget of %d", ErrOutOfMemory, b.bytes, used-b.bytes, t.budget)
	}
	var err error
	if b.host, err = tensor.NewDense(b.typ); err != nil {
		t.used.Add(-b.bytes)
	}
	return err
}

func (t *twin) release(b *Buffer) {
	b.host = tensor.Dense{} // the collector takes it when no call uses it any more
	t.used.Add(-b.bytes)
}

// take waits for the turn; the caller puts it back with give.
func (t *twin) take(ctx context.Context) error {
	select { // a turn at hand comes before a context that has ended
	case <-t.turn:
		return nil
	default:
	}
	select {
	case <-t.turn:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (t *twin) give() { t.turn <- struct{}{} }

// memory is the elements of a live buffer and their poison; the turn is held.
func (t *twin) memory(b *Buffer) (tensor.Dense, error, error) {
	t.rt.mu.Lock()
	defer t.rt.mu.Unlock()
	return b.host, b.poison, b.liveLocked()
}

func (t *twin) run(ctx context.Context, op tensor.Op, out *Buffer, inputs []*Buffer) error {
	if err := t.take(ctx); err != nil {
		return err
	}
	defer t.give()
	dst, _, err := t.memory(out)
	if err != nil {
		return err
	}
	args := make([]tensor.Dense, len(inputs))
	var poison error
	for i, b := range inputs {
		d, failed, err := t.memory(b)
		if err != nil {
			return err
		}
		args[i] = d
		if poison == nil {
			poison = failed
		}
	}
	if poison == nil {
		poison = cpuref.RunInto(dst, op, args...)
	}
	if poison != nil && !errors.Is(poison, ErrTarget) {
		return poison
	}
	t.setPoison(out, poison)
	return nil
}

// apply implements [backend].
func (t *twin) apply(ctx context.Context, op tensor.Op, dst tensor.Dense, inputs []tensor.Dense) error {
	return applyOnTwin(ctx, op, dst, inputs, t.atOnce)
}

// applyOnTwin runs an operator from host memory to host memory. The twin does not stop
// within a line, so what takes long is cut between lines, where the context can end it.
func applyOnTwin(ctx context.Context, op tensor.Op, dst tensor.Dense, inputs []tensor.Dense, atOnce int64) error {
	var view tensor.View
	var onView tensor.Op
	switch o := op.(type) {
	case tensor.AxisOp:
		var err error
		if view, err = o.View(inputs[0].Shape); err != nil {
			return err
		}
		onView = o.OnAxis(1)
	case tensor.Log1p:
		view, onView = tensor.View{Outer: int64(len(dst.Data) / dst.DType.Size()), N: 1, Inner: 1}, o
	}
	line := view.N * view.Inner * int64(dst.DType.Size())
	if ctx.Done() == nil || line == 0 {
		return cpuref.RunInto(dst, op, inputs...)
	}
	step := max(1, atOnce/line)
	for first := int64(0); first < view.Outer; first += step {
		if err := ctx.Err(); err != nil {
			return err
		}
		some := view
		some.Outer = min(step, view.Outer-first)
		if err := cpuref.RunInto(cut(dst, some, first*line), onView, cut(inputs[0], some, first*line)); err != nil {
			return err
		}
	}
	return nil
}

func (t *twin) setPoison(b *Buffer, err error) {
	t.rt.mu.Lock()
	b.poison = err
	t.rt.mu.Unlock()
}

func (t *twin) wait(ctx context.Context, b *Buffer) error {
	_, err := t.view(ctx, b)
	return err
}

func (t *twin) read(ctx context.Context, b *Buffer, dst []byte) error {
	return t.touch(ctx, b, func(data []byte, poison error) error {
		if poison == nil {
			copy(dst, data)
		}
		return poison
	})
}

func (t *twin) write(ctx context.Context, b *Buffer, src []byte) error {
	return t.touch(ctx, b, func(data []byte, _ error) error {
		copy(data, src)
		t.setPoison(b, nil)
		return nil
	})
}

func (t *twin) view(ctx context.Context, b *Buffer) (view []byte, err error) {
	err = t.touch(ctx, b, func(data []byte, poison error) error {
		view = data
		return poison
	})
	return view, err
}

// touch calls f with the buffer's memory while no operator runs.
func (t *twin) touch(ctx context.Context, b *Buffer, f func(data []byte, poison error) error) error {
	if err := t.take(ctx); err != nil {
		return err
	}
	defer t.give()
	d, poison, err := t.memory(b)
	if err != nil {
		return err
	}
	return f(d.Data, poison)
}

func (t *twin) record([]call) (replayer, error) { return nil, nil }

func (t *twin) explain(op tensor.Op, out tensor.Type, inputs []tensor.Type, _ bool) (Explanation, error) {
	return Explanation{Op: op, Inputs: inputs, Output: out, Device: twinName, Twin: true, Reason: "the device is the twin"}, nil
}

func (t *twin) close() error { return nil }

func (t *twin) measure(m *Measurement, _ call) ([]timed, func(), error) {
	from, to := make([]byte, m.Bytes/2), make([]byte, m.Bytes/2)
	copied := clocked(func(context.Context) error { copy(to, from); return nil })
	report := func(ns int64) { m.CopyNs, m.CopyKernel = ns, "Go's copy" }
	return []timed{{timing: TimeCopy, run: copied, report: report}}, func() {}, nil
}
