package tests

import (
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"vkops/cpuref"
	"vkops/gpu"
	"vkops/host/plan"
	"vkops/shaders"
	"vkops/tensor"
)

// limitsOf are three kinds of devices: those of lavapipe, of SwiftShader and of a GPU.
var limitsOf = map[string]plan.Limits{
	"lavapipe": {SoftwareDevice: true, Caps: gpu.Caps{
		SubgroupSize: 8, MaxGroups: [3]uint32{65535, 65535, 65535}, MaxGroupSize: [3]uint32{1024, 1024, 1024},
		MaxInvocations: 1024, SharedMemory: 32 << 10, MaxRange: 128 << 20, OffsetAlignment: 16, MaxTexelElements: 1 << 27, MaxPush: 256,
		MaxStorageBuffers: 32, Float64: true,
	}},
	"SwiftShader": {SoftwareDevice: true, Caps: gpu.Caps{
		SubgroupSize: 4, MaxGroups: [3]uint32{65535, 65535, 65535}, MaxGroupSize: [3]uint32{256, 256, 64},
		MaxInvocations: 256, SharedMemory: 16 << 10, MaxRange: 1 << 30, OffsetAlignment: 256, MaxTexelElements: 1 << 25, MaxPush: 128,
		MaxStorageBuffers: 16,
	}},
	"GPU": {Caps: gpu.Caps{
		SubgroupSize: 32, MaxGroups: [3]uint32{1<<31 - 1, 65535, 65535}, MaxGroupSize: [3]uint32{1024, 1024, 64},
		MaxInvocations: 1024, SharedMemory: 48 << 10, MaxRange: 1<<32 - 1, OffsetAlignment: 16, MaxTexelElements: 1 << 27, MaxPush: 256,
		MaxStorageBuffers: 1 << 20, Float64: true,
	}},
}

// Tensors beyond 2^31 and 2^32 elements do not fit the machines that run tests, so that
// their plans are checked instead: limits kept, nothing outside a buffer, everything
// read and written, barriers where a step needs what another did.
func TestPlansOfHugeTensors(t *testing.T) {
	type huge struct {
		op     tensor.Op
		inputs []tensor.Type
	}
	one := func(op tensor.Op, d tensor.DType, shape ...int) huge {
		return huge{op, []tensor.Type{{DType: d, Shape: shape}}}
	}
	nll := func(op tensor.NLL, d tensor.DType, shape tensor.Shape) huge {
		return huge{op, []tensor.Type{{DType: d, Shape: shape}, {DType: tensor.I64, Shape: slices.Delete(slices.Clone(shape), 1, 2)}, {DType: d, Shape: shape[1:2]}}}
	}
	cases := []huge{
		one(tensor.CumSum{Axis: 1}, tensor.F32, 309504, 1, 16384), // 20 GB, lines of one element
		one(tensor.CumSum{Axis: 0}, tensor.F32, 309504, 1, 16384),
		one(tensor.CumSum{Axis: 2, Reverse: true}, tensor.F32, 309504, 1, 16384),
		one(tensor.CumSum{}, tensor.I64, 1<<32+1),
		one(tensor.CumSum{Reverse: true, Exclusive: true}, tensor.F16, 1<<32+1),
		one(tensor.LogCumSumExp{}, tensor.BF16, 1<<32+1),
		one(tensor.CumSum{Axis: 1}, tensor.F64, 29, 150039552),
		one(tensor.CumSum{Axis: 1}, tensor.U32, 2, 70001, 65537),
		one(tensor.LogCumSumExp{Axis: 1}, tensor.F32, 3, 5000, 300001),
		one(tensor.Log1p{}, tensor.F32, 1<<32+3),
		one(tensor.Log1p{}, tensor.BF16, 1<<33+1),
		nll(tensor.NLL{}, tensor.F16, tensor.Shape{65537, 32768, 1, 1}),
		nll(tensor.NLL{Reduction: tensor.None}, tensor.F32, tensor.Shape{65536, 50257}),
		nll(tensor.NLL{Reduction: tensor.Sum}, tensor.F32, tensor.Shape{3, 5, 1<<31 + 7}),
	}
	for name, limits := range limitsOf {
		if testing.Short() && name != "lavapipe" {
			continue
		}
		for _, strategy := range []plan.Strategy{plan.Lane, plan.Workgroup, plan.LookBack} {
			for _, c := range cases {
				if c.inputs[0].DType == tensor.F64 && !limits.Caps.Float64 {
					continue
				}
				p, err := plan.New(c.op, c.inputs, limits, strategy)
				require.NoError(t, err, "%s %s %v", name, strategy, c)
				if err := checkPlan(p, limits.Caps); err != nil {
					t.Errorf("%s, %s, %+v %v: %v", name, strategy, c.op, c.inputs, err)
				}
			}
		}
	}
}

// use is a part of a buffer that a step reads or writes.
type use struct {
	plan.Ref
	write bool
}

// checkPlan looks for a step that breaks a limit, leaves a buffer, or comes too early,
// and for elements that no step touches.
func checkPlan(p *plan.Plan, caps gpu.Caps) error {
	sizes := map[plan.Role]int64{}
	for i, in := range append(slices.Clone(p.Inputs), p.Output) {
		role := plan.Input0 + plan.Role(i)
		if i == len(p.Inputs) {
			role = plan.Output
		}
		bytes, err := in.Bytes()
		if err != nil {
			return err
		}
		sizes[role] = (bytes + 15) / 16 * 16
	}
	for i, bytes := range p.Scratch {
		sizes[plan.Scratch0+plan.Role(i)] = bytes
	}
	var sinceBarrier, all []use
	for number, s := range p.Steps {
		uses, err := usesOf(s, caps)
		if err != nil {
			return fmt.Errorf("step %d: %w", number, err)
		}
		if s.Kind == plan.Barrier {
			sinceBarrier = nil
			continue
		}
		if number > 0 && continues(p.Steps[number-1], s) {
			continue
		}
		for _, u := range uses {
			if u.Offset < 0 || u.Size <= 0 || u.Offset+u.Size > sizes[u.Role] {
				return fmt.Errorf("step %d: %s[%d:%d] of %d bytes", number, u.Role, u.Offset, u.Offset+u.Size, sizes[u.Role])
			}
			for _, before := range sinceBarrier {
				if before.Role == u.Role && (u.write || before.write) && before.Offset < u.Offset+u.Size && u.Offset < before.Offset+before.Size {
					return fmt.Errorf("step %d uses %s[%d:%d] without a barrier after an earlier use", number, u.Role, u.Offset, u.Offset+u.Size)
				}
			}
		}
		sinceBarrier, all = append(sinceBarrier, uses...), append(all, uses...)
	}
	if err := covered(p.Output, plan.Output, true, all); err != nil {
		return err
	}
	for i, in := range p.Inputs {
		if err := covered(in, plan.Input0+plan.Role(i), false, all); err != nil {
			return err
		}
	}
	return nil
}

// continues reports whether a step is the next grid of the same work.
func continues(before, s plan.Step) bool {
	return s.Kind == plan.Dispatch && before.Kernel == s.Kernel && slices.Equal(before.Bind, s.Bind) &&
		pushed(before, "item_end") == pushed(s, "first_item") && pushed(s, "first_item") != 0
}

func pushed(s plan.Step, name string) uint32 {
	for _, v := range s.Push {
		if v.Name == name {
			return v.Value
		}
	}
	return 0
}

func usesOf(s plan.Step, caps gpu.Caps) ([]use, error) {
	switch s.Kind {
	case plan.CopyRect:
		return []use{{s.Src, false}, {s.Dst, true}}, nil
	case plan.Fill:
		return []use{{s.Dst, true}}, nil
	case plan.Barrier:
		return nil, nil
	}
	kernel, err := shaders.Lookup(s.Kernel)
	if err != nil {
		return nil, err
	}
	for i, n := range s.Groups {
		if n == 0 || n > caps.MaxGroups[i] {
			return nil, fmt.Errorf("%d groups in dimension %d", n, i)
		}
	}
	var uses []use
	for _, r := range s.Bind {
		index, _ := kernel.Binding(r.Name)
		limit := caps.MaxRange
		if texel := uint64(kernel.TexelBytes(index)); texel != 0 { // these have a limit of their own
			limit = max(limit, texel*caps.MaxTexelElements)
		}
		if uint64(r.Size) > limit || uint64(r.Offset)%caps.OffsetAlignment != 0 {
			return nil, fmt.Errorf("%s is bound at %d with %d bytes", r.Name, r.Offset, r.Size)
		}
		for _, b := range kernel.Bindings {
			if b.Name == r.Name {
				uses = append(uses, use{r.Ref, !b.ReadOnly})
			}
		}
	}
	return uses, nil
}

// covered looks for bytes of a tensor that no step reads, or writes.
func covered(t tensor.Type, role plan.Role, write bool, all []use) error {
	bytes, err := t.Bytes()
	if err != nil {
		return err
	}
	var parts []plan.Ref
	for _, u := range all {
		if u.Role == role && u.write == write {
			parts = append(parts, u.Ref)
		}
	}
	slices.SortFunc(parts, func(a, b plan.Ref) int { return int(min(max(a.Offset-b.Offset, -1), 1)) })
	end := int64(0)
	for _, r := range parts {
		if r.Offset > end {
			break
		}
		end = max(end, r.Offset+r.Size)
	}
	if end < bytes {
		return fmt.Errorf("%s: nothing touches byte %d of %d (written: %t)", role, end, bytes, write)
	}
	return nil
}

// The twin computes an offset beyond 2^31 as such. The input is 4 GB of zeros, of which
// the system only maps what is touched.
func TestHugeNLLOnTwin(t *testing.T) {
	if testing.Short() {
		t.Skip("4 GB of address space")
	}
	x, err := tensor.NewDense(tensor.Type{DType: tensor.F16, Shape: tensor.Shape{65537, 32768, 1, 1}})
	require.NoError(t, err)
	put(x, 65537*32768-1, bitsOf(tensor.F16, -3))
	target := filled(tensor.I32, constant(32767), 65537, 1, 1)
	got, err := cpuref.Run(tensor.NLL{Reduction: tensor.Sum}, x, target)
	require.NoError(t, err)
	require.Equal(t, 3.0, number(got, 0))
}
