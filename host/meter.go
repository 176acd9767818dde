package host

import (
	"context"
	"slices"
	"time"

	"vkops/cpuref"
	"vkops/tensor"
)

// Meter measures one operator a round at a time, so that others can be measured in
// between. One goroutine uses it.
type Meter struct {
	op     string
	result Measurement
	kinds  []timed
	rounds int
	free   func()
}

// NewMeter prepares to measure an operator on inputs in host memory. The caller
// closes it. Errors are those of [Runtime.RunDense].
func NewMeter(rt *Runtime, op tensor.Op, inputs ...tensor.Dense) (*Meter, error) {
	op, out, err := rt.checkDense(op, inputs)
	if err != nil {
		return nil, err
	}
	dst, err := tensor.NewDense(out)
	if err != nil {
		return nil, wrap(op.Name(), err)
	}
	m := &Meter{op: op.Name(), result: Measurement{Bytes: necessaryBytes(op, out, inputs)}}
	more, free, err := rt.onDevice(&m.result, op, inputs)
	if err != nil {
		return nil, wrap(op.Name(), err)
	}
	m.free = free
	m.kinds = append([]timed{
		{timing: TimeEndToEnd, run: clocked(func(ctx context.Context) error { return rt.runInto(ctx, op, dst, inputs) }), report: into(&m.result.EndToEndNs)},
		{timing: TimeCpuref, run: clocked(func(context.Context) error { return cpuref.RunInto(dst, op, inputs...) }), report: into(&m.result.CpurefNs)},
	}, more...)
	return m, nil
}

// Only leaves all other times out.
func (m *Meter) Only(timings ...Timing) {
	m.kinds = slices.DeleteFunc(m.kinds, func(k timed) bool { return !slices.Contains(timings, k.timing) })
}

// Also adds a time of the caller's own, to be taken in turn with the others.
func (m *Meter) Also(timing Timing, run func()) {
	m.kinds = append(m.kinds, timed{
		timing: timing,
		run:    clocked(func(context.Context) error { run(); return nil }),
		report: func(ns int64) {
			if m.result.Others == nil {
				m.result.Others = map[Timing]int64{}
			}
			m.result.Others[timing] = ns
		},
	})
}

// Take gives the result of so many rounds after a warm-up; 0 is at least 5, and more
// until two seconds have passed. The error is the first of a round.
func (m *Meter) Take(ctx context.Context, rounds int) (Measurement, error) {
	var start time.Time
	more := func(round int) bool {
		if rounds > 0 {
			return round < rounds
		}
		return round < minRounds || (round < maxRounds && time.Since(start) < measureFor)
	}
	for round := -warmUp; round < 0 || more(round); round++ {
		if round == 0 {
			m.Reset()
			start = time.Now()
		}
		if err := m.Round(ctx); err != nil {
			return Measurement{}, err
		}
	}
	return m.Result(), nil
}

// Round takes each time once. The context ends it between two of them. The error is
// the context's or the device's.
func (m *Meter) Round(ctx context.Context) error {
	ctx = orBackground(ctx)
	for i, k := range m.kinds {
		if err := ctx.Err(); err != nil {
			return wrap(m.op, err)
		}
		ns, err := k.run(ctx)
		if err != nil {
			return wrap(m.op, err)
		}
		m.kinds[i].samples = append(k.samples, ns)
	}
	m.rounds++
	return nil
}

// Reset forgets the rounds so far, which were a warm-up.
func (m *Meter) Reset() {
	for i := range m.kinds {
		m.kinds[i].samples = m.kinds[i].samples[:0]
	}
	m.rounds = 0
}

// Result gives the medians of the rounds since the last Reset.
func (m *Meter) Result() Measurement {
	m.result = Measurement{Bytes: m.result.Bytes, Rounds: m.rounds}
	for _, k := range m.kinds {
		if len(k.samples) > 0 {
			k.report(median(k.samples))
		}
	}
	return m.result
}

// Close frees what was measured with.
func (m *Meter) Close() {
	if m != nil && m.free != nil {
		m.free()
	}
}

// timed is a kind of run: run gives its nanoseconds, report takes their median.
type timed struct {
	timing  Timing
	run     func(ctx context.Context) (int64, error)
	report  func(ns int64)
	samples []int64
}

func into(result *int64) func(int64) { return func(ns int64) { *result = ns } }

// clocked measures f by the wall clock.
func clocked(f func(context.Context) error) func(context.Context) (int64, error) {
	return func(ctx context.Context) (int64, error) {
		start := time.Now()
		err := f(ctx)
		return time.Since(start).Nanoseconds(), err
	}
}

func median(samples []int64) int64 {
	sorted := slices.Sorted(slices.Values(samples))
	return sorted[len(sorted)/2]
}
