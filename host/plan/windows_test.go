package plan

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"vkops/shaders"
	"vkops/tensor"
)

// checkSteps checks what holds for every plan: ranges are aligned and within the
// limits and their buffers, all parameters are known to the kernels, and no loop of
// an invocation passes lavapipe's limit.
func checkSteps(t *testing.T, p *Plan, lim Limits, elementBytes map[Role]int64) {
	maxRange := int64(lim.Caps.MaxRange)
	if lim.MaxRange != 0 {
		maxRange = lim.MaxRange
	}
	for i, size := range p.Scratch {
		elementBytes[Scratch0+Role(i)] = size
	}
	for _, s := range p.Steps {
		if s.Kind != Dispatch {
			continue
		}
		holds := func(ok bool, what string) {
			if !ok {
				require.Fail(t, what, s.String())
			}
		}
		kernel, err := shaders.Lookup(s.Kernel)
		holds(err == nil, "unknown kernel")
		_, err = PipelineDesc(s.Kernel, s.Spec)
		holds(err == nil, "unknown kernel or constant")
		for _, r := range s.Bind {
			holds(r.Offset%int64(lim.Caps.OffsetAlignment) == 0 && r.Size%4 == 0, "alignment")
			most := maxRange
			if index, _ := kernel.Binding(r.Name); lim.MaxRange == 0 && kernel.TexelBytes(index) != 0 {
				most = int64(lim.Caps.MaxTexelElements) * int64(kernel.TexelBytes(index))
			}
			holds(r.Size > 0 && r.Size <= most, "range")
			holds(r.Offset+r.Size <= (elementBytes[r.Role]+3)/4*4, "end of buffer")
		}
		tiles := max(1, value(s.Push, "tiles_per_item"))
		holds(tiles*(4096+256+16+1) <= 60000, "iterations")
		holds(value(s.Push, "quads_per_item") <= 60000, "iterations")
		holds(value(s.Push, "samples_per_item") <= 60000, "iterations")
	}
}

// outputElements lists the stretches of the output that scan_outputs writes, in
// order, for plans that work on the tensors themselves.
func outputElements(p *Plan, size int64) (first, end []int64) {
	for _, s := range p.Steps {
		if s.Kind != Dispatch || value(s.Push, "first_item") != 0 {
			continue
		}
		for _, r := range s.Bind {
			if r.Name != "result" || r.Role != Output {
				continue
			}
			begin := r.Offset/size + value(s.Push, "result_base")
			first = append(first, begin)
			end = append(end, (r.Offset+r.Size)/size)
		}
	}
	return first, end
}

// Shapes that made other programs wrap their indices or run past a limit.
func TestHugeShapes(t *testing.T) {
	for _, c := range []struct {
		dtype tensor.DType
		shape tensor.Shape
		axis  int
	}{
		{tensor.F32, tensor.Shape{309504, 1, 16384}, 1},
		{tensor.I64, tensor.Shape{1<<32 + 1}, 0},
		{tensor.F32, tensor.Shape{29, 150039552}, 1},
		{tensor.F32, tensor.Shape{2, 1280, 1280}, 0},
		{tensor.U32, tensor.Shape{70000, 3}, 1},
		{tensor.I32, tensor.Shape{4194241}, 0},
		{tensor.F32, tensor.Shape{1 << 25}, 0},
		{tensor.F32, tensor.Shape{1<<25 + 1}, 0},
	} {
		for _, lim := range []Limits{cpuLimits(), poorLimits()} {
			for _, strategy := range []Strategy{Lane, Workgroup, LookBack} {
				for _, reverse := range []bool{false, true} {
					x := tensor.Type{DType: c.dtype, Shape: c.shape}
					name := fmt.Sprint(x, strategy, reverse)
					bytes, err := x.Bytes()
					require.NoError(t, err)
					p := mustPlan(t, tensor.CumSum{Axis: c.axis, Reverse: reverse}, lim, strategy, x)
					checkSteps(t, p, lim, map[Role]int64{Input0: bytes, Output: bytes})
					size := int64(c.dtype.Size())
					first, end := outputElements(p, size)
					covered := int64(0)
					for i := range first {
						covered += end[i] - first[i]
					}
					assert.Equal(t, bytes/size, covered, name)
				}
			}
		}
	}
}

// Every combination of layout, type and small range that windows are cut for.
func TestWindowsKeepTheLimits(t *testing.T) {
	for _, maxRange := range []int64{1 << 16, 1 << 17, 1 << 20} {
		for _, dtype := range []tensor.DType{tensor.F16, tensor.F32, tensor.I64} {
			for _, shape := range []tensor.Shape{{70000, 3}, {3, 70000}, {5, 4097, 31}, {2, 9000, 1001}, {100001}, {1, 40000, 2}, {31, 17, 5}} {
				for axis := range shape {
					for _, strategy := range []Strategy{Lane, Workgroup, LookBack} {
						lim := cpuLimits()
						lim.MaxRange = maxRange
						x := tensor.Type{DType: dtype, Shape: shape}
						bytes, err := x.Bytes()
						require.NoError(t, err)
						p, err := New(tensor.CumSum{Axis: axis, Reverse: axis == 0}, []tensor.Type{x}, lim, strategy)
						require.NoError(t, err, "%d %s %d", maxRange, x, axis)
						checkSteps(t, p, lim, map[Role]int64{Input0: bytes, Output: bytes})
					}
				}
			}
		}
	}
}

// Windows of the host's alternate between two scratch buffers, in all passes.
func TestHostWindowsTakeTurns(t *testing.T) {
	for _, shape := range []tensor.Shape{{100001}, {40000, 3}, {300, 20000}} {
		lim := cpuLimits()
		lim.HostWindow, lim.InPlace = 1<<16, true
		x := tensor.Type{DType: tensor.F32, Shape: shape}
		p := mustPlan(t, tensor.CumSum{}, lim, Auto, x)
		var last Role
		copies := 0
		for _, s := range p.Steps {
			if s.Kind != CopyRect || s.Src.Role != Input0 {
				continue
			}
			copies++
			if s.Src.Offset != 0 { // a pass begins with either
				assert.NotEqual(t, last, s.Dst.Role, "%s %s", x, s)
			}
			last = s.Dst.Role
		}
		assert.Greater(t, copies, 3)
	}
}

// Plans with windows of the host's touch nothing else of the tensors; windows are no
// larger than asked for, and all of the output is written once.
func TestHostWindowsAreAllThatIsTouched(t *testing.T) {
	const window = 1 << 16
	lim := cpuLimits()
	lim.HostWindow = window
	labels := func(shape tensor.Shape) tensor.Type {
		return typed(tensor.I64, append([]int{shape[0]}, shape[2:]...)...)
	}
	for _, shape := range []tensor.Shape{{9001, 7}, {1, 40000, 1}, {3, 17, 4097}, {700, 3, 33}, {5, 21001, 3}, {2, 5, 100001}} {
		for _, dtype := range []tensor.DType{tensor.F16, tensor.F32, tensor.F64} {
			x := typed(dtype, shape...)
			weights := typed(dtype, shape[1])
			for _, c := range []struct {
				op     tensor.Op
				inputs []tensor.Type
			}{
				{tensor.CumSum{Axis: 1, Reverse: true}, []tensor.Type{x}},
				{tensor.LogCumSumExp{Axis: 0}, []tensor.Type{x}},
				{tensor.LogSoftmax{Axis: 1}, []tensor.Type{x}},
				{tensor.NLL{Reduction: tensor.None}, []tensor.Type{x, labels(shape), weights}},
				{tensor.NLL{}, []tensor.Type{x, labels(shape), weights}},
				{tensor.SoftmaxCrossEntropyLoss{Reduction: tensor.None}, []tensor.Type{x, labels(shape), weights}},
				{tensor.SoftmaxCrossEntropyLoss{Reduction: tensor.Sum}, []tensor.Type{x, labels(shape)}},
			} {
				what := fmt.Sprint(c.op.Name(), c.inputs)
				p := mustPlan(t, c.op, lim, Auto, c.inputs...)
				checkSteps(t, p, lim, map[Role]int64{})
				written := int64(0)
				for _, s := range p.Steps {
					for _, r := range s.Bind {
						require.GreaterOrEqual(t, r.Role, Scratch0, "%s %s", what, s)
					}
					switch s.Kind {
					case Choose:
						require.LessOrEqual(t, s.Dst.Size, int64(window), what)
					case CopyRect:
						require.True(t, s.Src.Role < Output || s.Dst.Role == Output, "%s %s", what, s)
						require.LessOrEqual(t, min(s.Src.Size, s.Dst.Size), int64(window), "%s %s", what, s)
						if s.Dst.Role == Output {
							written += s.Rows * s.RowBytes
						}
					case Fill:
						require.GreaterOrEqual(t, s.Dst.Role, Scratch0, "%s %s", what, s)
					}
				}
				bytes, err := p.Output.Bytes()
				require.NoError(t, err)
				require.Equal(t, bytes, written, what)
			}
		}
	}
}

func TestNLLWindowsKeepTheLimits(t *testing.T) {
	// The last is 65536 rows of a vocabulary: 13 GB.
	for _, s := range [][3]int{{1000, 50, 3}, {3, 7, 4097}, {1, 8000, 5}, {20000, 5, 1}, {65536, 50257, 1}, {65537, 32768, 1}, {1 << 25, 2, 1}} {
		for _, dtype := range []tensor.DType{tensor.F16, tensor.F32} {
			for _, target := range []tensor.DType{tensor.I32, tensor.I64} {
				for _, reduction := range []tensor.Reduction{tensor.Mean, tensor.None} {
					lim := cpuLimits()
					if s[0]*s[1]*s[2] < 1<<20 {
						lim.MaxRange = 1 << 16
					}
					inputs := []tensor.Type{typed(dtype, s[0], s[1], s[2]), typed(target, s[0], s[2]), typed(dtype, s[1])}
					p := mustPlan(t, tensor.NLL{Reduction: reduction}, lim, Auto, inputs...)
					sizes := map[Role]int64{}
					for i, in := range append(inputs, p.Output) {
						bytes, err := in.Bytes()
						require.NoError(t, err)
						sizes[Input0+Role(i)] = bytes
					}
					checkSteps(t, p, lim, sizes)
				}
			}
		}
	}
}
