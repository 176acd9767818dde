package host

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"vkops/tensor"
)

// TestValidationLayerIsContent runs every operator under Khronos' validation layer:
// with both strategies, in windows, in place, recorded and staged.
func TestValidationLayerIsContent(t *testing.T) {
	if testing.Short() {
		t.Skip("the layer is slow")
	}
	for name, opts := range map[string][]Option{
		"lane, windows": {WithMaxRange(1 << 15)}, "workgroup, staged": {WithStrategy(Workgroup), withStage(4096)},
	} {
		t.Run(name, func(t *testing.T) {
			rt, v := openTested(t, append(opts, func(c *config) { c.layer = true })...)
			const rows, columns = 3, 9001
			x, err := Upload(rt, counting[float32](rows*columns), tensor.Shape{rows, columns})
			require.NoError(t, err)
			half, err := Upload(rt, counting[tensor.BFloat16](rows*columns), tensor.Shape{rows, columns})
			require.NoError(t, err)
			targets, err := Upload(rt, make([]int64, rows), tensor.Shape{rows})
			require.NoError(t, err)
			var outs []*Buffer
			all := func(s Stream) error {
				for _, op := range []tensor.Op{tensor.CumSum{}, tensor.CumSum{Axis: 1, Reverse: true}, tensor.LogCumSumExp{Axis: 1}, tensor.Log1p{}} {
					for _, b := range []*Buffer{x.Buffer, half.Buffer} {
						out, err := s.Run(op, nil, b)
						if err != nil {
							return err
						}
						outs = append(outs, out)
						if _, err := s.Run(op, out, out); err != nil {
							return err
						}
					}
				}
				for _, reduction := range []tensor.Reduction{tensor.Mean, tensor.None} {
					out, err := s.Run(tensor.NLL{Reduction: reduction}, nil, x.Buffer, targets.Buffer)
					if err != nil {
						return err
					}
					outs = append(outs, out)
				}
				return nil
			}
			require.NoError(t, all(rt))
			rec, err := rt.Record(func(r *Recording) error { return all(r) })
			require.NoError(t, err)
			require.NoError(t, rec.Run())
			require.NoError(t, rec.Run())
			for _, b := range outs {
				_, err := b.Download(background)
				require.NoError(t, err)
			}
			assert.Empty(t, v.gpu.ValidationMessages())
		})
	}
}
