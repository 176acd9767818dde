package plan

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"vkops/tensor"
)

// nllPlan is a plan of an NLL with weights, and the view of its input.
func nllPlan(t *testing.T, lim Limits, strategy Strategy, reduction tensor.Reduction, dtype, target tensor.DType, n, c, d int) (*Plan, tensor.NLLView) {
	op := tensor.NLL{Reduction: reduction}
	input := typed(dtype, n, c, d)
	return mustPlan(t, op, lim, strategy, input, typed(target, n, d), typed(dtype, c)), op.View(input.Shape)
}

// inputRef is what a step loads elements from.
func inputRef(s Step) (source Ref) {
	for _, r := range s.Bind {
		switch r.Name {
		case "source":
			source = r.Ref
		case "source_words", "source_word_pairs": // these may reach farther
			if value(s.Spec, "word_access") != 0 {
				return r.Ref
			}
		}
	}
	return source
}

// The words in which kernels compute where a sample's elements lie, as place_of in
// nll_samples.glsl does, give the place in the whole input, also where the product
// of its dims exceeds 32 bits; and the passes take every sample once.
func TestNLLIndices(t *testing.T) {
	for _, s := range [][3]int{
		{8, 19, 512 * 512}, {65536, 50257, 1}, {65537, 32768, 1}, {1 << 25, 2, 1}, {1 << 20, 300, 17}, {3, 7, 4097}, {5, 100000, 256}, {40000, 1, 1},
	} {
		for _, dtype := range []tensor.DType{tensor.F16, tensor.F32} {
			for _, strategy := range []Strategy{Lane, Workgroup} {
				for _, reduction := range []tensor.Reduction{tensor.Mean, tensor.None} {
					name := fmt.Sprint(s, dtype, strategy, reduction)
					lim := cpuLimits()
					if strategy == Workgroup {
						lim.Caps.MaxRange = 1 << 30
					}
					p, v := nllPlan(t, lim, strategy, reduction, dtype, tensor.I64, s[0], s[1], s[2])
					checkIndices(t, p, v, name)
				}
			}
		}
	}
}

func checkIndices(t *testing.T, p *Plan, v tensor.NLLView, name string) {
	size, next := int64(p.Inputs[0].DType.Size()), int64(0)
	window := int64(0) // its first sample
	for _, s := range p.Steps {
		if s.Kind != Dispatch {
			continue
		}
		if s.Kernel == "nll_status" {
			window = next
		}
		isGroups := strings.HasPrefix(s.Kernel, "nll_groups")
		if !isGroups && !strings.HasPrefix(s.Kernel, "nll_runs") && !strings.HasPrefix(s.Kernel, "nll_losses") {
			continue
		}
		push := func(name string) uint32 { return uint32(value(s.Push, name)) }
		perItem := int64(push("samples_per_item"))
		require.True(t, !isGroups || perItem == 1024, "what a workgroup has room for")
		source := inputRef(s)
		first, end := int64(push("first_item"))*perItem, min(int64(push("item_end"))*perItem, int64(push("samples")))
		require.Equal(t, next, window+first, "%s: samples left out or taken twice", name)
		next = window + end
		require.Equal(t, Input0, source.Role, "%s: gathered", name)
		for _, position := range []int64{first, (first + end) / 2, end - 1} {
			for _, class := range []int64{0, v.C - 1} {
				at := push("first_d") + uint32(position)
				row, d := at/push("depth")-push("first_row"), at%push("depth")
				i := push("source_base") + row*push("classes")*push("depth") + d + uint32(class)*push("depth")
				sample := window + position
				want := (sample/v.D*v.C+class)*v.D + sample%v.D
				require.Equal(t, want*size, source.Offset+int64(i)*size, "%s: sample %d, class %d of %s", name, sample, class, s)
				require.Less(t, int64(i)*size, source.Size, "%s: sample %d, class %d of %s", name, sample, class, s)
			}
		}
	}
	assert.Equal(t, v.Samples(), next, name)
}

// A pass over the elements in the order of the samples comes first only where the
// rows of 128 samples, which 8 lanes take at once, exceed what a kernel sees: 128 MiB,
// or as many texels.
func TestNLLGathersOnlyHugeRows(t *testing.T) {
	for _, c := range []struct {
		texels  uint64
		n, c, d int
		gathers bool
	}{
		{1 << 16, 8, 19, 512 * 512, false},
		{1 << 16, 65536, 50257, 1, false},
		{1 << 16, 1 << 20, 262143, 1, false},
		{1 << 16, 1 << 20, 262144, 1, true}, // 128 MiB, from a start that is not aligned
		{1 << 16, 4, 200, 512 * 512, true},
		{1 << 27, 4, 200, 512 * 512, false},
		{1 << 27, 4, 600, 512 * 512, true},
		{1 << 27, 1 << 20, 1 << 20, 1, true},
	} {
		lim := cpuLimits()
		lim.Caps.MaxTexelElements = c.texels
		p, _ := nllPlan(t, lim, Lane, tensor.Mean, tensor.F32, tensor.I64, c.n, c.c, c.d)
		assert.Equal(t, c.gathers, strings.Contains(strings.Join(kernels(p), " "), "nll_gather"), "%+v", c)
	}
}

// A reduction reads the targets and the elements that they choose. What sums take comes
// on top, written and read: two of 8 bytes for a run of 16 samples where lanes add up
// runs, else for a group of 256; and the levels above.
func TestNLLTraffic(t *testing.T) {
	for _, c := range []struct {
		dtype, target tensor.DType
		n, c, d       int
	}{
		{tensor.F32, tensor.I64, 8, 19, 512 * 512}, {tensor.F16, tensor.I32, 8, 19, 512 * 512},
		{tensor.F32, tensor.I32, 65536, 50257, 1}, {tensor.F32, tensor.I64, 1 << 25, 2, 1},
	} {
		for strategy, lim := range map[Strategy]Limits{Lane: cpuLimits(), Workgroup: poorLimits()} {
			lim.Caps.MaxRange = 1 << 30
			p, v := nllPlan(t, lim, strategy, tensor.Mean, c.dtype, c.target, c.n, c.c, c.d)
			read := v.Samples() * int64(c.dtype.Size()+c.target.Size())
			states := v.Samples() / 7
			if strategy == Lane {
				states = v.Samples() * 5 / 2
			}
			weights := v.C * int64(c.dtype.Size()) * int64(len(kernels(p))) // by each pass at most
			assert.GreaterOrEqual(t, p.Traffic, read, "%+v", c)
			assert.LessOrEqual(t, p.Traffic, read+weights+states+1000, "%+v", c)
			none, _ := nllPlan(t, lim, strategy, tensor.None, c.dtype, c.target, c.n, c.c, c.d)
			read += v.Samples() * int64(c.dtype.Size()) // written
			assert.GreaterOrEqual(t, none.Traffic, read, "%+v", c)
			assert.LessOrEqual(t, none.Traffic, read+weights+1000, "%+v", c)
		}
	}
}
