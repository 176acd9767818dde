package host

import (
	"context"
	"slices"
	"time"

	"vkops/cpuref"
	"vkops/tensor"
)

// Measurement holds times of one operator in nanoseconds, each the median of runs
// after a warm-up; all kinds take turns, so that a change of the machine's speed
// meets every one of them. 0 means that it was not measured.
type Measurement struct {
	KernelNs   int64 // on the device, between timestamps; 0 on the twin
	ResidentNs int64 // from submission to the fence, tensors on the device
	EndToEndNs int64 // slices in, slice out
	CopyNs     int64 // the fastest of our copy kernels on the same bytes, submission to fence; Go's copy on the twin
	CopyKernel string
	MemcpyNs   int64 // vkCmdCopyBuffer on the same bytes, submission to fence; 0 on the twin
	CpurefNs   int64 // the twin
	EmptyNs    int64 // an empty submission and its wait; 0 on the twin
	// Bytes are what the operator has to read and write at least; a copy of the same
	// bytes reads half of it and writes half of it.
	Bytes int64
	// Rounds is the number of runs that each median is taken over.
	Rounds int
	// Others are the times that [Meter.Also] added; nil if there are none.
	Others map[Timing]int64
}

// A Timing is one of the times of a [Measurement].
type Timing string

// The times of a [Measurement], in its order.
const (
	TimeKernel   Timing = "kernel"
	TimeResident Timing = "resident"
	TimeEndToEnd Timing = "end_to_end"
	TimeCopy     Timing = "copy"
	TimeMemcpy   Timing = "memcpy"
	TimeCpuref   Timing = "cpuref"
	TimeEmpty    Timing = "empty"
)

// Timings lists all of them.
func Timings() []Timing {
	return []Timing{TimeKernel, TimeResident, TimeEndToEnd, TimeCopy, TimeMemcpy, TimeCpuref, TimeEmpty}
}

// Measuring takes at least minRounds runs of each kind, and more until measureFor
// has passed.
const (
	warmUp     = 1
	minRounds  = 5
	maxRounds  = 200
	measureFor = 2 * time.Second
)

// Measure times an operator on inputs in host memory.
func Measure(ctx context.Context, rt *Runtime, op tensor.Op, inputs ...tensor.Dense) (Measurement, error) {
	m, err := NewMeter(rt, op, inputs...)
	if err != nil {
		return Measurement{}, err
	}
	defer m.Close()
	return m.Take(ctx, 0)
}

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
// closes it.
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
// until two seconds have passed.
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

// Round takes each time once. The context ends it between two of them.
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
func (m *Meter) Close() { m.free() }

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

// necessaryBytes is what any implementation reads and writes: each input and output
// once; of NLL's input the elements that the targets name.
func necessaryBytes(op tensor.Op, out tensor.Type, inputs []tensor.Dense) int64 {
	size := func(t tensor.Type) int64 {
		n, _ := t.Bytes() // Infer has checked the product
		return n
	}
	total := size(out)
	for _, in := range inputs {
		total += size(in.Type)
	}
	if op, ok := op.(tensor.NLL); ok {
		input := inputs[0]
		total -= size(input.Type) - op.View(input.Shape).Samples()*int64(input.DType.Size())
	}
	return total
}

// onDevice uploads the inputs and gives the kinds of runs that use them there. done
// frees everything.
func (rt *Runtime) onDevice(m *Measurement, op tensor.Op, inputs []tensor.Dense) (kinds []timed, done func(), err error) {
	var frees []func()
	freeAll := func() {
		for _, free := range slices.Backward(frees) {
			free()
		}
	}
	defer func() {
		if err != nil {
			freeAll()
		}
	}()
	c := call{op: op, inputs: make([]*Buffer, len(inputs))}
	for i, in := range inputs {
		if c.inputs[i], err = rt.Upload(in); err != nil {
			return nil, nil, err
		}
		frees = append(frees, c.inputs[i].Free)
	}
	rec, err := rt.Record(func(r *Recording) (err error) {
		c.out, err = r.Run(op, nil, c.inputs...)
		return err
	})
	if err != nil {
		return nil, nil, err
	}
	frees = append(frees, rec.Free)
	kinds, free, err := rt.backend.measure(m, c)
	if err != nil {
		return nil, nil, err
	}
	frees = append(frees, free)
	resident := timed{timing: TimeResident, run: clocked(func(ctx context.Context) error {
		if err := rec.Run(); err != nil {
			return err
		}
		return rec.Wait(ctx)
	}), report: into(&m.ResidentNs)}
	return append(kinds, resident), freeAll, nil
}
