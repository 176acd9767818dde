package host_test

import (
	"bytes"
	"math"
	"math/rand/v2"
	"os"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"vkops/host"
	"vkops/tensor"
)

// noDevice reports, loudly, whether tests are to do without a Vulkan device.
func noDevice(t testing.TB) bool {
	if os.Getenv("VKOPS_TEST_NO_DEVICE") == "1" {
		t.Logf("VKOPS_TEST_NO_DEVICE=1: NOT TESTED ON ANY VULKAN DEVICE")
		return true
	}
	return false
}

// openTwin opens the twin until the end of the test.
func openTwin(t testing.TB, opts ...host.Option) *host.Runtime {
	return open(t, append(opts, host.WithDevice("cpu"))...)
}

// openVulkan opens the default device until the end of the test; that there is none
// fails the test.
func openVulkan(t testing.TB, opts ...host.Option) *host.Runtime {
	if noDevice(t) {
		t.SkipNow()
	}
	rt := open(t, append([]host.Option{host.WithDevice(deviceName(t))}, opts...)...)
	require.False(t, rt.Device().Twin)
	return rt
}

// deviceName is the name of the device that is tested.
func deviceName(t testing.TB) string {
	if name := os.Getenv("VKOPS_DEVICE"); name != "" && name != "cpu" {
		return name
	}
	infos, err := host.Devices()
	require.NoError(t, err)
	require.NotEmpty(t, infos)
	return infos[0].Name
}

func open(t testing.TB, opts ...host.Option) *host.Runtime {
	rt, err := host.Open(opts...)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, rt.Close()) })
	return rt
}

// onEach runs a test on the twin and on the device.
func onEach(t *testing.T, f func(t *testing.T, rt *host.Runtime)) {
	t.Run("twin", func(t *testing.T) { f(t, openTwin(t)) })
	t.Run("vulkan", func(t *testing.T) { f(t, openVulkan(t)) })
}

// random fills a tensor of any type with moderate values; the seed is printed.
func random(t testing.TB, seed uint64, dtype tensor.DType, shape ...int) tensor.Dense {
	t.Logf("seed %d", seed)
	r := rand.New(rand.NewPCG(seed, 7))
	d, err := tensor.NewDense(tensor.Type{DType: dtype, Shape: shape})
	require.NoError(t, err)
	n, err := d.Shape.Elements()
	require.NoError(t, err)
	for i := range n {
		switch x := r.Float64()*8 - 6; dtype {
		case tensor.F16, tensor.BF16:
			bits := r.Uint32() & 0x83ff // sign and mantissa, then an exponent near 0
			if dtype == tensor.F16 {
				bits |= uint32(12+r.UintN(5)) << 10
			} else {
				bits = bits&0x807f | uint32(124+r.UintN(5))<<7
			}
			tensor.ValuesOf[tensor.BFloat16](d.Data)[i] = tensor.BFloat16(bits) // any 16 bits
		case tensor.F32:
			tensor.ValuesOf[float32](d.Data)[i] = float32(x)
		case tensor.F64:
			tensor.ValuesOf[float64](d.Data)[i] = x
		case tensor.I32, tensor.U32:
			tensor.ValuesOf[uint32](d.Data)[i] = r.Uint32()
		default:
			tensor.ValuesOf[uint64](d.Data)[i] = r.Uint64()
		}
	}
	return d
}

// labels are targets in [0, classes).
func labels[I tensor.Index](seed uint64, n, classes int) []I {
	r := rand.New(rand.NewPCG(seed, 11))
	out := make([]I, n)
	for i := range out {
		out[i] = I(r.IntN(classes))
	}
	return out
}

// assertSame compares bits and names the first difference.
func assertSame(t testing.TB, want, got tensor.Dense, what string) {
	t.Helper()
	assert.Equal(t, want.Type, got.Type, what)
	if !bytes.Equal(want.Data, got.Data) {
		i, size := 0, want.DType.Size()
		for bytes.Equal(want.Data[i:i+size], got.Data[i:i+size]) {
			i += size
		}
		t.Errorf("%s: element %d is % x, want % x (least byte first)", what, i/size, got.Data[i:i+size], want.Data[i:i+size])
	}
}

func f32(values ...float32) []float32 { return values }

var inf = float32(math.Inf(1))

func pointer[T any](v T) *T { return &v }
