package host

import (
	"bytes"
	"context"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"vkops/cpuref"
	"vkops/internal/sample"
	"vkops/tensor"
)

// askedOften is a context that ends when it has been asked so many times.
type askedOften struct {
	context.Context
	left int
}

func (c *askedOften) Err() error {
	if c.left--; c.left < 0 {
		return context.Canceled
	}
	return nil
}

// TestTheTwinEndsBetweenLines: calls on slices that can be cancelled are cut on the twin,
// with the same bits, and end where their context does.
func TestTheTwinEndsBetweenLines(t *testing.T) {
	rt, err := Open(WithDevice(twinName))
	require.NoError(t, err)
	defer rt.Close()
	const atOnce = 64 << 10
	rt.backend.(*twin).atOnce = atOnce
	parent, cancel := context.WithCancel(background)
	defer cancel()
	for _, op := range []tensor.Op{tensor.Log1p{}, tensor.CumSum{Axis: 1, Reverse: true}, tensor.LogSoftmax{Axis: -1}, tensor.LogCumSumExp{Axis: 1}, tensor.CumSum{}} {
		for _, shape := range []tensor.Shape{{3, 5}, {2, 0}, {0, 2}, {atOnce / 256, 70}, {3, atOnce/4 + 5}} {
			x, err := sample.Tensor(rand.New(rand.NewPCG(1, 2)), tensor.Type{DType: tensor.F32, Shape: shape}, sample.Uniform)
			require.NoError(t, err)
			want, err := cpuref.Run(op, x)
			require.NoError(t, err)
			for name, ctx := range map[string]context.Context{"endless": background, "cancellable": parent} {
				got, err := rt.RunDense(ctx, op, x)
				require.NoError(t, err)
				require.True(t, bytes.Equal(want.Data, got.Data), "%v of %s, %s", op, shape, name)
			}
			lines := op != tensor.Op(tensor.CumSum{}) // else there is one
			if len(x.Data) > atOnce && lines {
				dst, err := tensor.NewDense(x.Type)
				require.NoError(t, err)
				err = rt.runInto(&askedOften{parent, 2}, op, dst, []tensor.Dense{x}) // on entry, and before the first lines
				require.ErrorIs(t, err, context.Canceled)
				assert.Equal(t, make([]byte, 64), dst.Data[len(dst.Data)-64:], "the last line is not begun")
			}
		}
	}
}
