package plan

import (
	"encoding/binary"
	"fmt"
	"slices"

	"vkops/gpu"
	"vkops/shaders"
)

// PipelineDesc describes the pipeline of a kernel with some specialization
// constants; those not named keep their defaults. A kernel or a constant that there is
// not is an error.
func PipelineDesc(kernel string, spec []NameValue) (gpu.PipelineDesc, error) {
	k, err := shaders.Lookup(kernel)
	if err != nil {
		return gpu.PipelineDesc{}, err
	}
	d := gpu.PipelineDesc{Name: kernel, SPIRV: k.SPIRV, PushBytes: k.PushBytes}
	for _, b := range k.Bindings {
		d.Bindings = append(d.Bindings, gpu.BindingDesc{Index: b.Index, TexelBytes: b.TexelBytes})
	}
	for _, v := range spec {
		c, ok := k.SpecConstant(v.Name)
		if !ok {
			return gpu.PipelineDesc{}, fmt.Errorf("%s has no specialization constant %q", kernel, v.Name)
		}
		d.Spec = append(d.Spec, gpu.SpecValue{ID: c.ID, Value: v.Value})
	}
	return d, nil
}

// Record adds the plan's steps to a program. pipelines gives the pipeline of a
// kernel, as PipelineDesc describes it, and buffers the buffer of each role. The
// caller puts a barrier before it if earlier commands of the program touch the same
// buffers. Errors of the program itself surface at its End. Steps of the host's are not
// for a program: plans with a HostWindow are recorded in pieces between them.
func (p *Plan) Record(prog *gpu.Program, pipelines func(kernel string, spec []NameValue) (*gpu.Pipeline, error), buffers func(Role) *gpu.Buffer) error {
	for i := range p.Steps {
		s := &p.Steps[i]
		switch s.Kind {
		case Barrier:
			prog.Barrier()
		case CopyRect:
			prog.CopyRect(buffers(s.Dst.Role), s.Dst.Offset, s.DstPitch, buffers(s.Src.Role), s.Src.Offset, s.SrcPitch, s.RowBytes, s.Rows)
		case Fill:
			prog.Fill(buffers(s.Dst.Role), s.Dst.Offset, s.Dst.Size, s.Word)
		case Choose:
			return fmt.Errorf("%s: %s: a step of the host's", p.Op.Name(), s)
		case Dispatch:
			if i > 0 && s.continues(&p.Steps[i-1]) && s.overwrites(buffers) {
				prog.Barrier()
			}
			if err := s.record(prog, pipelines, buffers); err != nil {
				return fmt.Errorf("%s: %w", p.Op.Name(), err)
			}
		}
	}
	return nil
}

// continues says whether a dispatch is for the next items of the job of another one.
func (s *Step) continues(before *Step) bool {
	return before.Kind == Dispatch && before.Kernel == s.Kernel && slices.Equal(before.Bind, s.Bind) && slices.Equal(before.Spec, s.Spec)
}

// overwrites says whether a dispatch writes to a buffer that it also reads by another
// binding. The next dispatch of the job is for other elements, but validation layers see
// ranges, and a column's prefetch reads elements of others.
func (s *Step) overwrites(buffers func(Role) *gpu.Buffer) bool {
	kernel, err := shaders.Lookup(s.Kernel)
	if err != nil {
		return false // record says so
	}
	for _, known := range kernel.Bindings {
		for _, w := range s.Bind {
			if known.ReadOnly || w.Name != known.Name {
				continue
			}
			for _, r := range s.Bind {
				if r.Name != w.Name && buffers(r.Role) == buffers(w.Role) {
					return true
				}
			}
		}
	}
	return false
}

// record adds a dispatch.
func (s *Step) record(prog *gpu.Program, pipelines func(kernel string, spec []NameValue) (*gpu.Pipeline, error), buffers func(Role) *gpu.Buffer) error {
	kernel, err := shaders.Lookup(s.Kernel)
	if err != nil {
		return err
	}
	pipeline, err := pipelines(s.Kernel, s.Spec)
	if err != nil {
		return err
	}
	push := make([]byte, kernel.PushBytes)
	for _, v := range s.Push {
		offset, ok := kernel.Field(v.Name)
		if !ok {
			return fmt.Errorf("%s has no push constant %q", s.Kernel, v.Name)
		}
		binary.LittleEndian.PutUint32(push[offset:], v.Value)
	}
	bind := make([]gpu.Binding, len(s.Bind))
	for i, r := range s.Bind {
		index, ok := kernel.Binding(r.Name)
		if !ok {
			return fmt.Errorf("%s has no buffer %q", s.Kernel, r.Name)
		}
		bind[i] = gpu.Binding{Index: index, Buffer: buffers(r.Role), Offset: r.Offset, Size: r.Size}
	}
	prog.Dispatch(pipeline, s.Groups, push, bind...)
	return nil
}
