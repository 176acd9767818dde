package host

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"vkops/cpuref"
	"vkops/gpu"
	"vkops/host/plan"
	"vkops/tensor"
)

// bufferGrain is what buffer sizes are rounded up to: kernels touch whole words and
// vectors of four.
const bufferGrain = 16

// vulkan is the backend on a Vulkan device.
type vulkan struct {
	rt       *Runtime
	gpu      *gpu.Device
	info     DeviceInfo
	limits   plan.Limits
	strategy Strategy
	// direct says that the host reaches the memory that kernels work on.
	direct     bool
	stageBytes int
	importFrom int64
	cacheDir   string
	partBytes  int64 // not 0: slices go through the device in parts of this size
	plans      planCache
	observe    func(event string) // for tests

	// Guarded by rt.mu:
	queue   queue
	pool    pool
	scratch scratch
	staging map[gpu.Memory]*stages
}

func openVulkan(rt *Runtime, cfg config) (*vulkan, error) {
	if cfg.cacheDir == "" {
		if dir, err := os.UserCacheDir(); err == nil {
			cfg.cacheDir = filepath.Join(dir, "vkops")
		}
	}
	dev, err := gpu.Open(gpu.Options{
		Device: cfg.device, Logger: cfg.logger, CacheDir: cfg.cacheDir, MemoryBudget: cfg.budget, Fault: cfg.fault, Validation: cfg.layer,
	})
	if err != nil {
		return nil, err
	}
	info := dev.Info()
	v := &vulkan{
		rt: rt, gpu: dev, strategy: cfg.strategy, direct: info.Caps.Unified && cfg.stage == 0,
		stageBytes: cmp.Or(cfg.stage, stageFor(cfg.budget)), observe: cfg.observe,
		importFrom: cmp.Or(cfg.importFrom, importFrom), partBytes: cfg.partBytes, cacheDir: cfg.cacheDir,
		limits: plan.Limits{
			Caps: info.Caps, SoftwareDevice: info.Type == gpu.CPU, VendorID: info.VendorID,
			MaxRange: cfg.maxRange, WorkgroupSize: uint32(cfg.groupSize),
			MaxStepBytes: cmp.Or(cfg.maxSubmission, submissionBytes(info.Type)), // and of a submission's kernels
		},
		staging: map[gpu.Memory]*stages{gpu.UploadMemory: {}, gpu.DownloadMemory: {}},
	}
	v.scratch.gpu, v.pool.gpu = dev, dev
	checks, err := litmus(dev)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("litmus: %w", err), dev.Close())
	}
	v.info = DeviceInfo{Info: info, Litmus: checks}
	v.applyTuning(cfg)
	return v, nil
}

func (v *vulkan) alloc(ctx context.Context, b *Buffer) error {
	if err := v.rt.enter(); err != nil {
		return err
	}
	defer v.rt.leave()
	size := max(bufferGrain, (b.bytes+bufferGrain-1)/bufferGrain*bufferGrain)
	var err error
	b.dev.buf, err = v.newBuffer(ctx, size, gpu.DeviceMemory)
	return err
}

func (v *vulkan) newBuffer(ctx context.Context, size int64, m gpu.Memory) (buf *gpu.Buffer, err error) {
	err = v.withRoom(ctx, func() error {
		buf, err = v.gpu.TryBuffer(size, m)
		return err
	})
	return buf, err
}

// withRoom tries to allocate; where memory is short, what is kept only for speed goes
// first, then it waits for the work in flight.
func (v *vulkan) withRoom(ctx context.Context, try func() error) error {
	err := try()
	if errors.Is(err, ErrOutOfMemory) {
		v.rt.mu.Lock()
		v.trim()
		v.rt.mu.Unlock()
		err = try()
	}
	if errors.Is(err, ErrOutOfMemory) {
		if err := v.drain(ctx); err != nil {
			return err
		}
		err = try()
	}
	return err
}

// trim gives back memory that nobody asked for by name; rt.mu is held.
func (v *vulkan) trim() {
	v.retire()
	v.scratch.free()
	v.pool.free()
	for _, s := range v.staging {
		s.free()
	}
}

func (v *vulkan) release(b *Buffer) { b.dev.buf.Free() }

func (v *vulkan) run(ctx context.Context, op tensor.Op, out *Buffer, inputs []*Buffer) error {
	c := call{op, out, inputs}
	p, err := v.prepareCall(c)
	if err != nil {
		return err
	}
	if p.twin != "" {
		return v.runOnTwin(ctx, p.twin, op, out, inputs)
	}
	sent, err := v.runOnce(ctx, p, c)
	if errors.Is(err, ErrOutOfMemory) && sent == 0 {
		if err := v.drain(ctx); err != nil {
			return err
		}
		sent, err = v.runOnce(ctx, p, c)
	}
	if err != nil && sent > 0 && c.overwrites() {
		err = fmt.Errorf("%w (%w)", err, errOverwritten)
	}
	return err
}

// runOnce runs one operator with what memory there is without waiting for some.
func (v *vulkan) runOnce(ctx context.Context, p *prepared, c call) (sent int, err error) {
	if err := v.lockWithRoom(ctx); err != nil {
		return 0, err
	}
	defer v.rt.mu.Unlock()
	sent, err = v.runLocked(p, c)
	if errors.Is(err, ErrOutOfMemory) && sent == 0 {
		v.trim()
		sent, err = v.runLocked(p, c)
	}
	return sent, err
}

// runLocked records and submits one operator, and gives how many submissions were
// made; rt.mu is held.
func (v *vulkan) runLocked(p *prepared, c call) (sent int, err error) {
	b := batch{v: v}
	if err = b.add(p, c, &v.scratch); err == nil {
		err = b.end()
	}
	if err == nil {
		sent, err = b.submit()
	}
	b.give(sent)
	return sent, err
}

// submitNew ends the recording of a program and submits it; rt.mu is held.
func (v *vulkan) submitNew(w *work) error {
	if err := w.program.End(); err != nil {
		return err
	}
	if err := w.ready(); err != nil {
		return err
	}
	return v.submit(w)
}

// submit sends recorded work that is ready; rt.mu is held. It does not allocate.
func (v *vulkan) submit(w *work) error {
	sub, err := v.gpu.Submit(w.program)
	if err != nil {
		return err
	}
	seq := v.queue.push(flight{sub, w})
	for i := range w.steps {
		s := &w.steps[i]
		s.out.dev.last = seq
		for _, b := range s.inputs {
			b.dev.last = seq
		}
	}
	return nil
}

// live refuses a step on buffers that were freed meanwhile; rt.mu is held.
func (s *step) live() error {
	if err := s.out.liveLocked(); err != nil {
		return err
	}
	for _, b := range s.inputs {
		if err := b.liveLocked(); err != nil {
			return err
		}
	}
	return nil
}

// flushViews hands the device what the host may have written through views; writes
// to the output, too, so that they cannot come later than the device's.
func (s *step) flushViews() error {
	flush := func(b *Buffer) error {
		if !b.dev.viewed {
			return nil
		}
		return b.dev.buf.Flush(0, b.dev.buf.Size())
	}
	for _, b := range s.inputs {
		if err := flush(b); err != nil {
			return err
		}
	}
	return flush(s.out)
}

// runOnTwin computes in pure Go what the device cannot; unlike the device, it is
// done when it returns.
func (v *vulkan) runOnTwin(ctx context.Context, reason string, op tensor.Op, out *Buffer, inputs []*Buffer) error {
	v.rt.log.Info("runs on the twin", "op", op.Name(), "input", inputs[0].typ.String(), "reason", reason)
	args := make([]tensor.Dense, len(inputs))
	for i, b := range inputs {
		d, err := tensor.NewDense(b.typ)
		if err != nil {
			return err
		}
		if err := v.read(ctx, b, d.Data); errors.Is(err, ErrTarget) {
			return v.poison(ctx, out, err)
		} else if err != nil {
			return err
		}
		args[i] = d
	}
	result, err := cpuref.Run(op, args...)
	if errors.Is(err, ErrTarget) {
		return v.poison(ctx, out, err)
	}
	if err != nil {
		return err
	}
	return v.write(ctx, out, result.Data)
}

// poison marks a buffer's elements as meaningless once earlier work on it is done.
func (v *vulkan) poison(ctx context.Context, b *Buffer, reason error) error {
	if err := v.settle(ctx, b); err != nil {
		return err
	}
	v.rt.mu.Lock()
	defer v.rt.mu.Unlock()
	b.poison = reason
	return nil
}

// settle returns when the last work on b is done, however it ended.
func (v *vulkan) settle(ctx context.Context, b *Buffer) error {
	v.rt.mu.Lock()
	err, last := b.liveLocked(), b.dev.last
	v.rt.mu.Unlock()
	if err != nil {
		return err
	}
	return v.waitFor(ctx, last)
}

func (v *vulkan) wait(ctx context.Context, b *Buffer) error {
	if err := v.settle(ctx, b); err != nil {
		return err
	}
	v.rt.mu.Lock()
	defer v.rt.mu.Unlock()
	if err := b.liveLocked(); err != nil {
		return err
	}
	return b.poison
}

func (v *vulkan) close() error { return v.gpu.Close() }

func typesOf(buffers []*Buffer) []tensor.Type {
	types := make([]tensor.Type, len(buffers))
	for i, b := range buffers {
		types[i] = b.typ
	}
	return types
}
