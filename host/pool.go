package host

import (
	"vkops/gpu"
	"vkops/host/plan"
)

// maxIdle bounds the programs and status buffers kept for the next call.
const maxIdle = maxInFlight

// pool keeps what every submission needs and the device is slow to make.
type pool struct {
	gpu    *gpu.Device
	works  []*work
	status []*gpu.Buffer
}

// take gives work with an empty program.
func (p *pool) take() (*work, error) {
	if n := len(p.works); n > 0 {
		w := p.works[n-1]
		p.works = p.works[:n-1]
		return w, nil
	}
	program, err := p.gpu.NewProgram()
	if err != nil {
		return nil, err
	}
	return &work{program: program}, nil
}

// give takes work back that is not in flight any more.
func (p *pool) give(w *work) {
	for _, s := range w.steps {
		switch {
		case s.status == nil:
		case len(p.status) >= maxIdle:
			s.status.Free()
		default:
			p.status = append(p.status, s.status)
		}
	}
	clear(w.steps) // buffers are not kept alive by an idle program
	w.steps = w.steps[:0]
	if len(p.works) >= maxIdle || w.program.Reset() != nil {
		w.program.Free()
		return
	}
	p.works = append(p.works, w)
}

// takeStatus gives host-visible memory for a status.
func (p *pool) takeStatus() (*gpu.Buffer, error) {
	if n := len(p.status); n > 0 {
		b := p.status[n-1]
		p.status = p.status[:n-1]
		return b, nil
	}
	return p.gpu.TryBuffer(plan.StatusBytes, gpu.DownloadMemory)
}

func (p *pool) free() {
	for _, w := range p.works {
		w.program.Free()
	}
	for _, b := range p.status {
		b.Free()
	}
	p.works, p.status = nil, nil
}

// scratch is the temporary memory of operators, one buffer per scratch index of a
// plan. Programs run one after the other, so they share it.
type scratch struct {
	gpu     *gpu.Device
	buffers []*gpu.Buffer
}

// reserve makes the buffers at least as large as a plan wants. Those that are too
// small go; the device keeps them until submitted work is done with them. Where memory is
// short, it does not wait.
func (s *scratch) reserve(p *plan.Plan) error {
	for len(s.buffers) < len(p.Scratch) {
		s.buffers = append(s.buffers, nil)
	}
	for i, size := range p.Scratch {
		if i == p.Status || size == 0 {
			continue
		}
		if b := s.buffers[i]; b != nil {
			if b.Size() >= size {
				continue
			}
			b.Free()
			s.buffers[i] = nil
		}
		b, err := s.gpu.TryBuffer(roomy(size), gpu.DeviceMemory)
		if err != nil {
			return err
		}
		s.buffers[i] = b
	}
	return nil
}

// roomy rounds a size up, so that slowly growing tensors do not make a new buffer
// each: to a power of two while that is cheap.
func roomy(size int64) int64 {
	const cheap = 16 << 20
	if size >= cheap {
		return (size + cheap - 1) / cheap * cheap
	}
	rounded := int64(256)
	for rounded < size {
		rounded *= 2
	}
	return rounded
}

func (s *scratch) free() {
	for _, b := range s.buffers {
		if b != nil {
			b.Free()
		}
	}
	s.buffers = nil
}
