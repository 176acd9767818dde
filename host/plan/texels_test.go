package plan

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"vkops/tensor"
)

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
