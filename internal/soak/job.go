package soak

import (
	"context"
	"fmt"
	"math/rand/v2"
	"time"

	"vkops/host"
	"vkops/internal/verify"
	"vkops/tensor"
)

// job is one operator on random data, run in a random way.
type job struct {
	verify.Case
	way      way
	setting  int           // of settings
	own      bool          // in a runtime opened for it alone
	patience time.Duration // 0 for a context that does not end
}

// settings are the ways in which the runtimes are opened. The bits are the same.
var settings = []setting{
	{name: "default"},
	{name: "lane, windows", options: []host.Option{host.WithStrategy(host.Lane), host.WithMaxRange(1 << 16)}},
	{name: "workgroup of 64", options: []host.Option{host.WithStrategy(host.Workgroup), host.WithWorkgroupSize(64)}},
	{name: "budget of 96 MiB", options: []host.Option{host.WithMemoryBudget(96 << 20)}, scarce: true},
}

type setting struct {
	name    string
	options []host.Option
	scarce  bool // jobs beside each other may pass the budget
}

// distinct is how many cases a run meets; then they come again with other data, in
// other ways. A device keeps what it compiled for each, so that memory is flat only
// when all have been met.
const distinct = 256

// newJob makes the job of a number; the same seed and number give the same job.
func newJob(seed, number uint64) job {
	kind := rand.New(rand.NewPCG(seed, number%distinct))
	j := job{Case: verify.Random(kind), setting: kind.IntN(len(settings))}
	r := rand.New(rand.NewPCG(seed, number))
	j.Reseed(r)
	j.way, j.own = ways[r.IntN(len(ways))], r.IntN(64) == 0
	if r.IntN(16) == 0 {
		j.patience = time.Duration(1 + r.IntN(int(5*time.Millisecond)))
	}
	return j
}

// String says what a job does and how.
func (j job) String() string {
	text := fmt.Sprintf("%s, %s, %s", j.Case, j.way.name, settings[j.setting].name)
	if j.own {
		text += ", in a runtime of its own"
	}
	if j.patience > 0 {
		text += fmt.Sprintf(", cancelled after %v", j.patience)
	}
	return text
}

// way is one of the ways to run an operator from host memory to host memory.
type way struct {
	name string
	run  func(ctx context.Context, rt *host.Runtime, op tensor.Op, inputs []tensor.Dense) (tensor.Dense, error)
}

var ways = []way{
	{"slices", func(ctx context.Context, rt *host.Runtime, op tensor.Op, inputs []tensor.Dense) (tensor.Dense, error) {
		return rt.RunDense(ctx, op, inputs...)
	}},
	{"tensors", func(ctx context.Context, rt *host.Runtime, op tensor.Op, inputs []tensor.Dense) (tensor.Dense, error) {
		return withBuffers(rt, inputs, func(buffers []*host.Buffer) (tensor.Dense, error) {
			out, err := rt.Run(op, nil, buffers...)
			if err != nil {
				return tensor.Dense{}, err
			}
			defer out.Free()
			return out.Download(ctx)
		})
	}},
	{"tensors freed early", func(ctx context.Context, rt *host.Runtime, op tensor.Op, inputs []tensor.Dense) (tensor.Dense, error) {
		var out *host.Buffer
		_, err := withBuffers(rt, inputs, func(buffers []*host.Buffer) (_ tensor.Dense, err error) {
			out, err = rt.Run(op, nil, buffers...)
			return tensor.Dense{}, err
		})
		if err != nil {
			return tensor.Dense{}, err
		}
		defer out.Free()
		return out.Download(ctx)
	}},
	{"recorded", func(ctx context.Context, rt *host.Runtime, op tensor.Op, inputs []tensor.Dense) (tensor.Dense, error) {
		return withBuffers(rt, inputs, func(buffers []*host.Buffer) (tensor.Dense, error) {
			var out *host.Buffer
			recorded, err := rt.Record(func(r *host.Recording) (err error) {
				out, err = r.Run(op, nil, buffers...)
				return err
			})
			if err != nil {
				return tensor.Dense{}, err
			}
			defer recorded.Free()
			for range 3 {
				if err := recorded.Run(); err != nil {
					return tensor.Dense{}, err
				}
			}
			if err := recorded.Wait(ctx); err != nil {
				return tensor.Dense{}, err
			}
			return out.Download(ctx)
		})
	}},
}

// withBuffers calls f with the inputs on the device, and frees them.
func withBuffers(rt *host.Runtime, inputs []tensor.Dense, f func([]*host.Buffer) (tensor.Dense, error)) (tensor.Dense, error) {
	buffers := make([]*host.Buffer, len(inputs))
	for i, d := range inputs {
		b, err := rt.Upload(d)
		if err != nil {
			return tensor.Dense{}, err
		}
		defer b.Free()
		buffers[i] = b
	}
	return f(buffers)
}
