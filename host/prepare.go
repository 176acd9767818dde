package host

import (
	"encoding/binary"
	"errors"
	"sync"

	"vkops/gpu"
	"vkops/host/plan"
	"vkops/tensor"
)

// The cache of plans has so many, of so many steps at most: a step takes some 500 bytes,
// and beside thousands of them the time to plan again is nothing.
const (
	maxPlans       = 256
	maxCachedSteps = 4096
)

// prepared is an operator on given types, ready to be recorded.
type prepared struct {
	plan      *plan.Plan
	pipelines []*gpu.Pipeline // of the plan's steps; nil for what is no dispatch
	// twin says why the twin has to compute it; "" for the device.
	twin string
}

// planCache keeps what was prepared last. When it is full, the oldest entry goes.
type planCache struct {
	mu    sync.Mutex
	plans map[string]*prepared
	order []string
	next  int // where order is overwritten once it is full
}

func (c *planCache) get(key []byte) *prepared {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.plans[string(key)]
}

func (c *planCache) put(key []byte, p *prepared) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.plans == nil {
		c.plans = map[string]*prepared{}
	}
	name := string(key)
	if c.plans[name] != nil {
		return
	}
	if len(c.order) < maxPlans {
		c.order = append(c.order, name)
	} else {
		delete(c.plans, c.order[c.next])
		c.order[c.next] = name
		c.next = (c.next + 1) % maxPlans
	}
	c.plans[name] = p
}

// prepareCall prepares the operator of a call, whose output may be its input.
func (v *vulkan) prepareCall(c call) (*prepared, error) {
	return v.prepareFor(c.op, typesOf(c.inputs), c.overwrites())
}

// overwrites reports whether the output is the first input's memory.
func (c call) overwrites() bool { return c.out.dev.buf == c.inputs[0].dev.buf }

// prepareFor plans an operator and compiles its pipelines, or finds that done.
func (v *vulkan) prepareFor(op tensor.Op, inputs []tensor.Type, overwrites bool) (*prepared, error) {
	limits := v.limits
	limits.InPlace = overwrites
	return v.prepareWithin("", op, inputs, limits)
}

// prepareWindows prepares an operator in windows of the host's.
func (v *vulkan) prepareWindows(op tensor.Op, inputs []tensor.Type, window int64) (*prepared, error) {
	limits := v.limits
	limits.InPlace, limits.HostWindow = inPlace(op), window
	return v.prepareWithin("windows ", op, inputs, limits)
}

// prepareWithin prepares an operator within limits that differ from the runtime's in what
// a window may have, if way, which says so, is not "".
func (v *vulkan) prepareWithin(way string, op tensor.Op, inputs []tensor.Type, limits plan.Limits) (*prepared, error) {
	var space [256]byte
	key := append(space[:0], way...)
	if way != "" {
		key = binary.AppendVarint(binary.AppendVarint(key, limits.HostWindow), limits.MaxRange)
	}
	key = planKey(key, op, inputs, limits.InPlace)
	if p := v.plans.get(key); p != nil {
		return p, nil
	}
	p, err := v.build(op, inputs, limits)
	if err != nil {
		return nil, err
	}
	if p.plan == nil || len(p.plan.Steps) <= maxCachedSteps {
		v.plans.put(key, p)
	}
	return p, nil
}

func (v *vulkan) build(op tensor.Op, inputs []tensor.Type, limits plan.Limits) (*prepared, error) {
	types := make([]tensor.Type, len(inputs))
	for i, t := range inputs { // the plan outlives the call
		types[i] = cloneType(t)
	}
	pl, err := plan.New(op, types, limits, v.strategy)
	if errors.Is(err, ErrUnsupported) {
		return &prepared{twin: err.Error()}, nil
	}
	if err != nil {
		return nil, err
	}
	pipelines, err := v.pipelines(pl)
	if err != nil {
		return nil, err
	}
	return &prepared{plan: pl, pipelines: pipelines}, nil
}

// pipelines compiles what a plan's dispatches run, and gives one for each step, nil for
// what is no dispatch.
func (v *vulkan) pipelines(pl *plan.Plan) ([]*gpu.Pipeline, error) {
	all := make([]*gpu.Pipeline, len(pl.Steps))
	for i := range pl.Steps {
		if s := &pl.Steps[i]; s.Kind == plan.Dispatch {
			desc, err := plan.PipelineDesc(s.Kernel, s.Spec)
			if err != nil {
				return nil, err
			}
			pipeline, err := v.gpu.Pipeline(desc)
			if err != nil {
				return nil, err
			}
			all[i] = pipeline
		}
	}
	return all, nil
}

// record adds steps [from, to) of the plan to a program, on the buffers of a step.
func (p *prepared) record(program *gpu.Program, s step, scratch []*gpu.Buffer, from, to int) error {
	next := from
	pipelines := func(string, []plan.NameValue) (*gpu.Pipeline, error) {
		for p.pipelines[next] == nil {
			next++
		}
		next++
		return p.pipelines[next-1], nil
	}
	part := *p.plan
	part.Steps = p.plan.Steps[from:to]
	return part.Record(program, pipelines, func(r plan.Role) *gpu.Buffer {
		switch i := int(r - plan.Scratch0); {
		case r < plan.Output:
			return s.inputs[r].dev.buf
		case r == plan.Output:
			return s.out.dev.buf
		case i == p.plan.Status:
			return s.status
		default:
			return scratch[i]
		}
	})
}

// planKey is a text that tells operators with other attributes or types apart, and
// those in place.
func planKey(key []byte, op tensor.Op, inputs []tensor.Type, overwrites bool) []byte {
	number := func(n int64) { key = binary.AppendVarint(key, n) }
	flag := func(b bool) {
		if b {
			number(1)
		} else {
			number(0)
		}
	}
	key = append(key, op.Name()...)
	key = append(key, 0)
	flag(overwrites)
	switch op := op.(type) {
	case tensor.CumSum:
		number(int64(op.Axis))
		flag(op.Exclusive)
		flag(op.Reverse)
	case tensor.LogCumSumExp:
		number(int64(op.Axis))
	case tensor.LogSoftmax:
		number(int64(op.Axis))
	case tensor.Loss:
		reduction, ignored := op.Attributes()
		number(int64(reduction))
		flag(ignored != nil)
		if ignored != nil {
			number(*ignored)
		}
	}
	for _, t := range inputs {
		number(int64(t.DType))
		number(int64(len(t.Shape)))
		for _, d := range t.Shape {
			number(int64(d))
		}
	}
	return key
}

func (v *vulkan) explain(op tensor.Op, out tensor.Type, inputs []tensor.Type, overwrites bool) (Explanation, error) {
	e := Explanation{Op: op, Inputs: inputs, Output: out, Device: v.info.Name}
	p, err := v.prepareFor(op, inputs, overwrites)
	if err != nil {
		return Explanation{}, err
	}
	if p.twin != "" {
		e.Twin, e.Reason = true, p.twin
		return e, nil
	}
	e.Strategy, e.Traffic, e.Plan = p.plan.Strategy, p.plan.Traffic, p.plan.String()
	seen := map[string]bool{}
	for _, s := range p.plan.Steps {
		if s.Kernel != "" && !seen[s.Kernel] {
			seen[s.Kernel] = true
			e.Kernels = append(e.Kernels, s.Kernel)
		}
	}
	return e, nil
}
