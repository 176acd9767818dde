package host

import (
	"context"
	"slices"
	"time"

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

// Measure times an operator on inputs in host memory: medians of at least 5 rounds.
// The context ends it between two runs. Errors are those of [Runtime.RunDense].
func Measure(ctx context.Context, rt *Runtime, op tensor.Op, inputs ...tensor.Dense) (Measurement, error) {
	m, err := NewMeter(rt, op, inputs...)
	if err != nil {
		return Measurement{}, err
	}
	defer m.Close()
	return m.Take(ctx, 0)
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
