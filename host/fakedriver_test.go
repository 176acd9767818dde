package host

import (
	"testing"

	"github.com/stretchr/testify/require"

	"vkops/cpuref"
	"vkops/internal/fakedriver"
	"vkops/internal/verify"
	"vkops/tensor"
)

// TestLesserDevices runs every operator and type on devices without features, without
// extensions, with the smallest limits that Vulkan allows, without timestamps, and on
// one that calls itself a GPU: the bits are the twin's.
func TestLesserDevices(t *testing.T) {
	if withoutDevice(t) {
		t.SkipNow()
	}
	smallest := "range=134217728,alignment=256,atom=256,shared=16384,push=128,invocations=128,buffers=4,groups=65535"
	for name, says := range map[string]string{
		"no features":     "float64=0,int64=0,int16=0,storage16=0,extensions=none",
		"smallest limits": smallest + ",extensions=none,timestamps=0",
		"poor GPU":        smallest + ",type=2,float64=0,extensions=none",
	} {
		t.Run(name, func(t *testing.T) {
			fakedriver.Install(t, says+",name=Fake")
			rt, err := Open(WithDevice("Fake"), WithCacheDir(t.TempDir()))
			require.NoError(t, err)
			defer func() { require.NoError(t, rt.Close()) }()
			for _, g := range verify.Groups() {
				for i, c := range g.Cases(1) {
					if i%29 != 3 { // two of a group
						continue
					}
					inputs, err := c.Make()
					require.NoError(t, err)
					want, err := cpuref.Run(c.Op, inputs...)
					require.NoError(t, err)
					got, err := rt.RunDense(background, c.Op, inputs...)
					require.NoError(t, err, "%s", c)
					require.Empty(t, verify.Compare(got, want), "%s", c)
				}
			}
			x := tensor.Type{DType: tensor.F64, Shape: tensor.Shape{1 << 20}}
			e, err := rt.Explain(tensor.CumSum{}, x)
			require.NoError(t, err)
			if !rt.Device().Caps.Float64 {
				require.True(t, e.Twin)
			}
		})
	}
}
