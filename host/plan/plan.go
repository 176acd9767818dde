// Package plan turns an operator on tensors of given types into the steps that
// compute it on a device: dispatches of kernels with all their parameters, copies
// and barriers. It is pure: it looks at shapes and limits only and touches no
// device. Record hands a finished plan to a gpu.Program.
package plan

import (
	"fmt"
	"slices"
	"strings"

	"vkops/gpu"
	"vkops/tensor"
)

// Strategy is a way to walk the carry tree. All give the same bits.
type Strategy string

// The strategies.
const (
	// Auto is the best guess for the device and the operator: Lane on software
	// devices; LookBack on others for scans of long lines, where waiting is known to
	// end and the output is not the input; else Workgroup.
	Auto Strategy = "auto"
	// Lane has each invocation walk tiles on its own, without shared memory.
	Lane Strategy = "lane"
	// Workgroup has workgroups share tiles through shared memory.
	Workgroup Strategy = "workgroup"
	// LookBack is Workgroup, but passes over long lines once: each workgroup finds
	// what lies before its tile in what others have published. It does not apply in
	// place, and on software devices only to lines of up to some hundred tiles.
	LookBack Strategy = "lookback"
)

// Limits are what a plan has to keep to.
type Limits struct {
	Caps gpu.Caps
	// SoftwareDevice says that the device is a CPU.
	SoftwareDevice bool
	// MaxRange, in bytes, lowers Caps.MaxRange where it is not 0.
	MaxRange int64
	// MaxGroups lowers Caps.MaxGroups in each dimension where it is not 0.
	MaxGroups uint32
	// VendorID is the device's, as PCI numbers vendors.
	VendorID uint32
	// InPlace says that the output is the first input's memory.
	InPlace bool
	// WorkgroupSize, a power of two, replaces the planner's choice where it is not
	// 0.
	WorkgroupSize uint32
	// MaxStepBytes, where it is not 0, cuts dispatches that move more bytes, between
	// workgroups.
	MaxStepBytes int64
	// HostWindow, where it is not 0, has all operators but Log1p touch inputs and output
	// by CopyRect and Choose only, through windows of at most so many bytes: inputs and
	// output may stay with the host. Where there are several windows, two scratch buffers
	// take turns. Weights of classes are brought whole.
	HostWindow int64
	// Stretch replaces the planner's choice of how many rows of a column one lane
	// walks where workgroups share columns: 256 or 4096; 0 leaves it.
	Stretch int64
}

// Role is what a buffer is to the operator. Scratch buffers are counted from
// Scratch0 on.
type Role int

// The roles. Output may be the same buffer as Input0 for all operators but the losses.
const (
	Input0 Role = iota
	Input1
	Input2
	Output
	Scratch0
)

// String is "input 0", "output", "scratch 0" and so on.
func (r Role) String() string {
	switch {
	case r < Output:
		return fmt.Sprintf("input %d", int(r))
	case r == Output:
		return "output"
	default:
		return fmt.Sprintf("scratch %d", int(r-Scratch0))
	}
}

// Ref is a part of a buffer, in bytes. Where a kernel is bound to it the offset is
// aligned as the device wants it, and the size is a multiple of 4: buffers have to
// be large enough for their elements rounded up to whole words.
type Ref struct {
	Role         Role
	Offset, Size int64
}

func (r Ref) overlaps(o Ref) bool {
	return r.Role.memory() == o.Role.memory() && r.Offset < o.Offset+o.Size && o.Offset < r.Offset+r.Size
}

// memory tells buffers apart. The output may be the first input's.
func (r Role) memory() Role {
	if r == Output {
		return Input0
	}
	return r
}

// Kind is the kind of a step.
type Kind int

// The kinds of steps.
const (
	// Dispatch runs Kernel with Spec, Push and Bind on Groups workgroups.
	Dispatch Kind = iota
	// Barrier makes what earlier steps did visible to later ones.
	Barrier
	// CopyRect copies Rows rows of RowBytes bytes from Src to Dst.
	CopyRect
	// Fill sets Dst to copies of Word.
	Fill
	// Choose is a step of the host's: it puts the elements of the first input that
	// Samples targets choose, from sample First on, into Dst, and 0 for targets out of
	// range.
	Choose
)

// NameValue sets a push constant or a specialization constant by its name.
type NameValue struct {
	Name  string
	Value uint32
}

// NamedRef binds a part of a buffer to a kernel's buffer of that name.
type NamedRef struct {
	Name string
	Ref
}

// Step is one command of a plan.
type Step struct {
	Kind   Kind
	Kernel string
	Spec   []NameValue
	Push   []NameValue
	Bind   []NamedRef
	Groups [3]uint32
	// Dst and Src of a copy begin at the first byte of the first row.
	Dst, Src                           Ref
	DstPitch, SrcPitch, RowBytes, Rows int64
	Word                               uint32
	First, Samples                     int64
	// Traffic is the number of bytes that the step reads and writes.
	Traffic int64
}

// Plan computes one operator on inputs of given types.
type Plan struct {
	Op       tensor.Op
	Inputs   []tensor.Type
	Output   tensor.Type
	Strategy Strategy // never Auto
	Steps    []Step
	// Scratch lists the sizes in bytes of the scratch buffers.
	Scratch []int64
	// Status is the index of the scratch buffer in which a device reports a target
	// out of range, or -1. The host has to be able to read it. Its words: 1 where
	// there is one, else 0; its position, low word first; its value, low word first.
	Status int
	// Traffic is the number of bytes that all steps read and write.
	Traffic int64
}

// New plans op on inputs of the given types, which are checked as op.Infer does.
// What cannot be computed within the limits is an error that wraps
// gpu.ErrUnsupported.
func New(op tensor.Op, inputs []tensor.Type, lim Limits, strategy Strategy) (*Plan, error) {
	output, err := op.Infer(inputs...)
	if err != nil {
		return nil, err
	}
	auto := strategy == Auto || strategy == ""
	switch {
	case auto:
		strategy = lim.bestStrategy()
	case strategy != Lane && strategy != Workgroup && strategy != LookBack:
		return nil, fmt.Errorf("%s: unknown strategy %q", op.Name(), strategy)
	}
	b, err := newBuilder(lim)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", op.Name(), err)
	}
	b.plan = &Plan{Op: op, Inputs: inputs, Output: output, Strategy: strategy, Status: -1}
	var view tensor.View
	if op, ok := op.(tensor.AxisOp); ok {
		if view, err = op.View(output.Shape); err != nil {
			return nil, err
		}
	}
	switch op := op.(type) {
	case tensor.CumSum:
		b.scan(scanKernels{"cumsum", output.DType}, view, op.Exclusive, op.Reverse)
	case tensor.LogCumSumExp:
		b.scan(scanKernels{"logcumsumexp", output.DType}, view, false, false)
	case tensor.Log1p:
		b.elementwise("log1p_"+variant(output.DType), output)
	case tensor.LogSoftmax:
		b.softmax(output.DType, view, nil)
	case tensor.NLL:
		newNLLPlanner(b, op, inputs).run()
	case tensor.SoftmaxCrossEntropyLoss:
		b.crossEntropy(op, inputs)
	default:
		b.fail("no kernels for this operator")
	}
	if b.err != nil {
		return nil, fmt.Errorf("%s: %w", op.Name(), b.err)
	}
	if auto && strategy == LookBack && !b.plan.looksBack() {
		b.plan.Strategy = Workgroup
	}
	return b.plan, nil
}

// bestStrategy is what Auto stands for. Look-back waits for workgroups that started
// earlier; Vulkan does not promise that they ever go on, but the GPUs of these vendors
// do let them.
func (l Limits) bestStrategy() Strategy {
	switch {
	case l.SoftwareDevice:
		return Lane
	case l.VendorID == nvidia || l.VendorID == amd || l.VendorID == intel:
		return LookBack
	default:
		return Workgroup
	}
}

const (
	nvidia = 0x10de
	amd    = 0x1002
	intel  = 0x8086
)

// looksBack reports whether any step does.
func (p *Plan) looksBack() bool {
	return slices.ContainsFunc(p.Steps, func(s Step) bool { return strings.HasPrefix(s.Kernel, "scan_lookback") })
}

// maxListed bounds the steps that String lists.
const maxListed = 60

// String lists the plan: operator and types, strategy, then a line a step.
func (p *Plan) String() string {
	var s strings.Builder
	fmt.Fprintf(&s, "%s", p.Op.Name())
	for _, t := range p.Inputs {
		fmt.Fprintf(&s, " %s", t)
	}
	fmt.Fprintf(&s, " -> %s: strategy %s, %d steps, %d bytes moved", p.Output, p.Strategy, len(p.Steps), p.Traffic)
	for i, size := range p.Scratch {
		fmt.Fprintf(&s, ", scratch %d of %d bytes", i, size)
	}
	for i, step := range p.Steps {
		if i == maxListed {
			fmt.Fprintf(&s, "\n  and %d more steps", len(p.Steps)-i)
			break
		}
		fmt.Fprintf(&s, "\n  %s", step)
	}
	return s.String()
}

// String is the step in one line.
func (s Step) String() string {
	switch s.Kind {
	case Barrier:
		return "barrier"
	case CopyRect:
		return fmt.Sprintf("copy %d rows of %d bytes, %s+%d pitch %d to %s+%d pitch %d",
			s.Rows, s.RowBytes, s.Src.Role, s.Src.Offset, s.SrcPitch, s.Dst.Role, s.Dst.Offset, s.DstPitch)
	case Choose:
		return fmt.Sprintf("choose %d elements, from sample %d on, to %s", s.Samples, s.First, s.Dst.Role)
	case Fill:
		return fmt.Sprintf("fill %d bytes of %s with %#x", s.Dst.Size, s.Dst.Role, s.Word)
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s groups %dx%dx%d", s.Kernel, s.Groups[0], s.Groups[1], s.Groups[2])
	for _, v := range s.Spec {
		fmt.Fprintf(&b, " %s=%d", v.Name, v.Value)
	}
	for _, r := range s.Bind {
		fmt.Fprintf(&b, " %s=%s[%d:%d]", r.Name, r.Role, r.Offset, r.Offset+r.Size)
	}
	fmt.Fprintf(&b, " %d bytes", s.Traffic)
	return b.String()
}
