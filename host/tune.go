package host

import (
	"context"
	"fmt"
	"math"
	"time"

	"vkops/gpu"
	"vkops/host/plan"
	"vkops/tensor"
)

// Tuning is what was found fastest on a device. It never changes results.
type Tuning struct {
	// WorkgroupSize replaces the planner's choice; 0 leaves it.
	WorkgroupSize int `json:"workgroup_size"`
	// Stretch is how many rows of a column one lane walks where workgroups share
	// columns: 256, 4096, or 0 for the planner's choice.
	Stretch int64 `json:"stretch"`
	// BytesPerSecond is what the slowest kernel that was timed moves.
	BytesPerSecond int64 `json:"bytes_per_second"`
	// Gain is the time before tuning divided by that after it, over several operators.
	Gain float64 `json:"gain"`
}

// tuneFor bounds the time that tuning takes, compiling kernels apart.
const tuneFor = 5 * time.Second

// leastGain is how much faster a choice has to be than the planner's to replace it:
// less is noise.
const leastGain = 1.05

// Tune times kernels with different parameters on the runtime's device and keeps what
// was fastest beside the pipeline cache, for runtimes that are opened later; it gives
// the file's path, "" where the runtime has no cache folder. The context ends it
// between two runs; nothing is kept then. It is [ErrUnsupported] on the twin.
func Tune(ctx context.Context, rt *Runtime) (t Tuning, path string, err error) {
	if err := rt.usable("tune"); err != nil {
		return Tuning{}, "", err
	}
	v := vulkanOf(rt.backend)
	if v == nil {
		return Tuning{}, "", fmt.Errorf("tune: %w: the runtime is the twin", ErrUnsupported)
	}
	if err := rt.enter(); err != nil {
		return Tuning{}, "", fmt.Errorf("tune: %w", err)
	}
	defer rt.leave()
	s := &tuner{bench: bench{v: v}, started: time.Now()}
	defer s.free()
	if t, err = s.tune(orBackground(ctx)); err != nil {
		return Tuning{}, "", fmt.Errorf("tune: %w", err)
	}
	rt.log.Info("tuned", "device", rt.info.Name, "workgroup size", t.WorkgroupSize, "stretch", t.Stretch, "gain", t.Gain)
	if v.cacheDir == "" {
		return t, "", nil
	}
	path = tuningPath(v.cacheDir, v.info.Info)
	if err := writeTuning(path, v.info.Info, t); err != nil {
		return Tuning{}, "", fmt.Errorf("tune: %w", err)
	}
	return t, path, nil
}

// vulkanOf is the Vulkan backend behind a backend, nil for the twin.
func vulkanOf(b backend) *vulkan {
	switch b := b.(type) {
	case *vulkan:
		return b
	case *verifier:
		return vulkanOf(b.backend)
	}
	return nil
}

// tuner times plans of a few operators.
type tuner struct {
	bench
	started time.Time
	times   map[string]float64 // nanoseconds, by the plan's text
	slowest float64            // bytes a second
}

// tunedWork is what is timed: long lines, columns, short lines, elements.
func tunedWork() []call {
	work := func(op tensor.Op, shape ...int) call {
		return call{op: op, inputs: []*Buffer{{typ: tensor.Type{DType: tensor.F32, Shape: shape}}}}
	}
	return []call{
		work(tensor.CumSum{}, 1<<20), work(tensor.CumSum{}, 1<<10, 1<<10), work(tensor.LogCumSumExp{Axis: 1}, 1<<12, 1<<8),
		work(tensor.Log1p{}, 1<<20),
	}
}

func (s *tuner) tune(ctx context.Context) (Tuning, error) {
	s.times, s.slowest = map[string]float64{}, math.Inf(1)
	base := s.v.limits
	base.WorkgroupSize, base.Stretch, base.MaxStepBytes = 0, 0, 0
	before, err := s.time(ctx, base)
	if err != nil {
		return Tuning{}, err
	}
	t, best := Tuning{Gain: 1}, base
	try := func(lim plan.Limits) error {
		if time.Since(s.started) >= tuneFor {
			return nil
		}
		took, err := s.time(ctx, lim)
		if gain := before / took; err == nil && gain >= max(leastGain, t.Gain) {
			best = lim
			t.WorkgroupSize, t.Stretch, t.Gain = int(lim.WorkgroupSize), lim.Stretch, gain
		}
		return err
	}
	for size := uint32(4); size <= base.Caps.MaxInvocations; size *= 2 {
		if size < base.Caps.SubgroupSize || base.SoftwareDevice && size > 4*base.Caps.SubgroupSize {
			continue
		}
		lim := base
		lim.WorkgroupSize = size
		if err := try(lim); err != nil {
			return Tuning{}, err
		}
	}
	for _, stretch := range []int64{256, 4096} {
		lim := best
		lim.Stretch = stretch
		if err := try(lim); err != nil {
			return Tuning{}, err
		}
	}
	t.BytesPerSecond = int64(s.slowest)
	return t, nil
}

// time is the geometric mean of the times of all work with some limits.
func (s *tuner) time(ctx context.Context, lim plan.Limits) (float64, error) {
	sum := 0.0
	work := tunedWork()
	for _, c := range work {
		pl, err := plan.New(c.op, typesOf(c.inputs), lim, s.v.strategy)
		if err != nil {
			return 0, err
		}
		took, known := s.times[pl.String()]
		if !known {
			if took, err = s.timePlan(ctx, pl); err != nil {
				return 0, err
			}
			s.times[pl.String()] = took
		}
		s.slowest = min(s.slowest, float64(pl.Traffic)/took*1e9)
		sum += math.Log(took)
	}
	return math.Exp(sum / float64(len(work))), nil
}

// timePlan is the shortest time of a few runs of a plan, in nanoseconds.
func (s *tuner) timePlan(ctx context.Context, pl *plan.Plan) (float64, error) {
	b := bench{v: s.v}
	defer b.free()
	if err := ctx.Err(); err != nil { // compiling takes long
		return 0, err
	}
	pipelines, err := s.v.pipelines(pl)
	if err != nil {
		return 0, err
	}
	size, _ := pl.Output.Bytes()
	buffers := []int64{size, size}
	for _, n := range append(buffers, pl.Scratch...) {
		if _, err := b.buffer(n, gpu.DeviceMemory); err != nil {
			return 0, err
		}
	}
	on := step{call: call{out: &Buffer{dev: deviceMemory{buf: b.buffers[1]}}, inputs: []*Buffer{{dev: deviceMemory{buf: b.buffers[0]}}}}}
	p := &prepared{plan: pl, pipelines: pipelines}
	filled, err := b.program(func(p *gpu.Program) error {
		p.Fill(b.buffers[0], 0, size, math.Float32bits(0.5))
		return nil
	})
	if err != nil {
		return 0, err
	}
	program, err := b.program(func(program *gpu.Program) error { return p.record(program, on, b.buffers[2:], 0, len(pl.Steps)) })
	if err != nil {
		return 0, err
	}
	if _, err := submitted(s.v.gpu, filled)(ctx); err != nil {
		return 0, err
	}
	shortest := math.Inf(1)
	for range 6 { // the first warms up
		if err := ctx.Err(); err != nil {
			return 0, err
		}
		ns, err := submitted(s.v.gpu, program)(ctx)
		if err != nil {
			return 0, err
		}
		shortest = min(shortest, float64(ns))
	}
	return shortest, nil
}
