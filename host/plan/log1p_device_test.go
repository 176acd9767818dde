package plan_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"vkops/cpuref"
	"vkops/host/plan"
	"vkops/tensor"
)

func TestLog1pMatchesTwin(t *testing.T) {
	t.Parallel()
	for _, r := range rigs(t) {
		for _, software := range []bool{true, false} {
			for maxRange, maxGroups := range map[int64]uint32{0: 0, 4096: 0, 1 << 16: 1} {
				for _, dtype := range []tensor.DType{tensor.F16, tensor.BF16, tensor.F32, tensor.F64} {
					if dtype == tensor.F64 && !r.limits.Caps.Float64 {
						continue
					}
					for _, n := range []int{0, 1, 2, 3, 4, 5, 7, 1023, 4096, 32493, 300003} {
						lim := r.limits
						lim.SoftwareDevice, lim.MaxRange, lim.MaxGroups = software, maxRange, maxGroups
						name := fmt.Sprintf("%s %s %d %v range %d groups %d", r.device.Info().Name, dtype, n, software, maxRange, maxGroups)
						x := randomTensor(t, rand.New(rand.NewPCG(5, uint64(n))), tensor.Type{DType: dtype, Shape: tensor.Shape{n}})
						p, err := plan.New(tensor.Log1p{}, []tensor.Type{x.Type}, lim, plan.Auto)
						require.NoError(t, err, name)
						want, err := cpuref.Run(tensor.Log1p{}, x)
						require.NoError(t, err)
						got, _ := r.run(t, p, false, x)
						requireSame(t, want, got, name)
						got, _ = r.run(t, p, true, x)
						requireSame(t, want, got, name+" in place")
					}
				}
			}
		}
	}
}

func TestCopies(t *testing.T) {
	t.Parallel()
	for _, r := range rigs(t) {
		for _, software := range []bool{true, false} {
			for _, maxRange := range []int64{0, 4096} {
				lim := r.limits
				lim.SoftwareDevice, lim.MaxRange = software, maxRange
				plans, err := plan.Copies(160016, lim)
				require.NoError(t, err)
				x := randomTensor(t, rand.New(rand.NewPCG(6, 7)), tensor.Type{DType: tensor.U32, Shape: tensor.Shape{40004}})
				for _, p := range plans {
					got, _ := r.run(t, p, false, x)
					requireSame(t, x, got, p.Op.Name())
				}
			}
		}
	}
}
