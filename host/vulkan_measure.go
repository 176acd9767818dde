package host

import (
	"context"

	"vkops/gpu"
	"vkops/host/plan"
)

// measure times what only the device's own clock or plain copies can show. Its
// programs go to the device beside the runtime's queue: the call's tensors and the
// copies' buffers are in no other use.
func (v *vulkan) measure(m *Measurement, c call) ([]timed, func(), error) {
	b := &bench{v: v}
	if err := b.prepare(m, c); err != nil {
		b.free()
		return nil, nil, err
	}
	return b.kinds, b.free, nil
}

// bench holds what a measurement needs.
type bench struct {
	v        *vulkan
	kinds    []timed
	programs []*gpu.Program
	buffers  []*gpu.Buffer
}

func (b *bench) free() {
	for _, p := range b.programs {
		p.Free()
	}
	for _, buf := range b.buffers {
		buf.Free()
	}
}

func (b *bench) prepare(m *Measurement, c call) error {
	empty, err := b.program(func(*gpu.Program) error { return nil })
	if err != nil {
		return err
	}
	b.kinds = append(b.kinds, timed{timing: TimeEmpty, run: submitted(b.v.gpu, empty), report: into(&m.EmptyNs)})
	if err := b.kernel(m, c); err != nil {
		return err
	}
	return b.copies(m)
}

// program records a program that lives as long as the measurement.
func (b *bench) program(record func(*gpu.Program) error) (*gpu.Program, error) {
	p, err := b.v.gpu.NewProgram()
	if err != nil {
		return nil, err
	}
	b.programs = append(b.programs, p)
	if err := record(p); err != nil {
		return nil, err
	}
	return p, p.End()
}

func (b *bench) buffer(size int64, m gpu.Memory) (*gpu.Buffer, error) {
	buf, err := b.v.newBuffer(context.Background(), size, m)
	if err == nil {
		b.buffers = append(b.buffers, buf)
	}
	return buf, err
}

// kernel times the operator's own commands between two timestamps.
func (b *bench) kernel(m *Measurement, c call) error {
	p, err := b.v.prepareCall(c)
	if err != nil || p.twin != "" || b.v.info.Caps.TimestampBits == 0 {
		return err
	}
	s := step{call: c}
	scratch := make([]*gpu.Buffer, len(p.plan.Scratch))
	for i, size := range p.plan.Scratch {
		memory := gpu.DeviceMemory
		if i == p.plan.Status {
			memory = gpu.DownloadMemory
		}
		if scratch[i], err = b.buffer(size, memory); err != nil {
			return err
		}
		if i == p.plan.Status {
			s.status = scratch[i]
		}
	}
	program, err := b.program(func(program *gpu.Program) error {
		program.Timestamp()
		if err := p.record(program, s, scratch, 0, len(p.plan.Steps)); err != nil {
			return err
		}
		program.Barrier()
		program.Timestamp()
		return nil
	})
	if err != nil {
		return err
	}
	b.kinds = append(b.kinds, timed{timing: TimeKernel, run: func(ctx context.Context) (int64, error) {
		if _, err := submitted(b.v.gpu, program)(ctx); err != nil {
			return 0, err
		}
		times, err := program.Timestamps()
		if err != nil {
			return 0, err
		}
		return times[1] - times[0], nil
	}, report: into(&m.KernelNs)})
	return nil
}

// copies times plain copies of half the operator's bytes: as many are read and as
// many are written.
func (b *bench) copies(m *Measurement) error {
	size := max(bufferGrain, m.Bytes/2/bufferGrain*bufferGrain)
	from, err := b.buffer(size, gpu.DeviceMemory)
	if err != nil {
		return err
	}
	to, err := b.buffer(size, gpu.DeviceMemory)
	if err != nil {
		return err
	}
	// Pages that were never written cost nothing to read.
	filled, err := b.program(func(p *gpu.Program) error {
		p.Fill(from, 0, size, 1)
		return nil
	})
	if err != nil {
		return err
	}
	if _, err := submitted(b.v.gpu, filled)(context.Background()); err != nil {
		return err
	}
	memcpy, err := b.program(func(p *gpu.Program) error {
		p.Copy(to, 0, from, 0, size)
		return nil
	})
	if err != nil {
		return err
	}
	b.kinds = append(b.kinds, timed{timing: TimeMemcpy, run: submitted(b.v.gpu, memcpy), report: into(&m.MemcpyNs)})
	return b.copyKernels(m, size, from, to)
}

// copyKernels times the forms of the copy kernel and takes the fastest for CopyNs.
func (b *bench) copyKernels(m *Measurement, size int64, from, to *gpu.Buffer) error {
	plans, err := plan.Copies(size, b.v.limits)
	if err != nil {
		return err
	}
	for _, pl := range plans {
		pipelines, err := b.v.pipelines(pl)
		if err != nil {
			return err
		}
		p := &prepared{plan: pl, pipelines: pipelines}
		s := step{call: call{out: &Buffer{dev: deviceMemory{buf: to}}, inputs: []*Buffer{{dev: deviceMemory{buf: from}}}}}
		program, err := b.program(func(program *gpu.Program) error { return p.record(program, s, nil, 0, len(p.plan.Steps)) })
		if err != nil {
			return err
		}
		fastest := func(ns int64) {
			if m.CopyNs == 0 || ns < m.CopyNs {
				m.CopyNs, m.CopyKernel = ns, pl.Op.Name()
			}
		}
		b.kinds = append(b.kinds, timed{timing: TimeCopy, run: submitted(b.v.gpu, program), report: fastest})
	}
	return nil
}

// submitted measures from the submission of a program to its fence, which no context
// cuts short: callers ask theirs between two runs.
func submitted(dev *gpu.Device, p *gpu.Program) func(context.Context) (int64, error) {
	return clocked(func(context.Context) error {
		s, err := dev.Submit(p)
		if err != nil {
			return err
		}
		return s.Wait(context.Background()) // its memory is freed after it
	})
}
