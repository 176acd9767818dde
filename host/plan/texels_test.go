package plan

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"vkops/tensor"
)

// Lanes see all of an input through texels that exceeds a range, and a range of it where
// texels reach less far.
func TestNLLSeesFarThroughTexels(t *testing.T) {
	for _, dtype := range []tensor.DType{tensor.F16, tensor.F32, tensor.F64} {
		for _, texels := range []uint64{1 << 27, 1 << 16} {
			lim := cpuLimits()
			lim.Caps.MaxTexelElements = texels
			p, _ := nllPlan(t, lim, Lane, tensor.Mean, dtype, tensor.I64, 8, 38, 512*512)
			seen, passes := int64(0), int64(0)
			for _, s := range p.Steps {
				if r := inputRef(s); s.Kind == Dispatch && value(s.Spec, "word_access") != 0 && r.Role == Input0 && r.Size > 0 {
					seen, passes = seen+r.Size, passes+1
				}
			}
			whole, err := p.Inputs[0].Bytes()
			require.NoError(t, err)
			if texels == 1<<16 {
				whole, passes = 0, passes+1
			}
			assert.Equal(t, whole, seen, "%s, %d texels", dtype, texels)
			assert.Equal(t, int64(1), passes, "%s, %d texels", dtype, texels)
		}
	}
}

// Vectors are loaded where the device sees all texels, and nowhere else.
func TestVectorsOnlyWithinTheTexelLimit(t *testing.T) {
	const n = 1 << 20
	for _, c := range []struct {
		dtype  tensor.DType
		texels uint64
	}{{tensor.F16, n / 4}, {tensor.F32, n / 4}, {tensor.F64, n / 2}, {tensor.I64, n / 2}} {
		for _, op := range []tensor.Op{tensor.CumSum{}, tensor.Log1p{}} {
			x := typed(c.dtype, n)
			if _, err := op.Infer(x); err != nil {
				continue
			}
			for limit, want := range map[uint64]int64{c.texels: 1, c.texels - 1: 0} {
				lim := cpuLimits()
				lim.Caps.MaxTexelElements = limit
				p := mustPlan(t, op, lim, Auto, x)
				last := p.Steps[len(p.Steps)-1]
				assert.Equal(t, want, value(last.Spec, "vector_access"), "%s %s, %d texels", op.Name(), x, limit)
			}
		}
	}
}
