package gpu

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
)

// infosOfTypes makes up a list of devices.
func infosOfTypes(devices ...any) []Info {
	var infos []Info
	for i := 0; i < len(devices); i += 2 {
		infos = append(infos, Info{Index: i / 2, Name: devices[i].(string), Type: devices[i+1].(DeviceType)})
	}
	return infos
}

func TestChoose(t *testing.T) {
	laptop := infosOfTypes("llvmpipe (LLVM 15.0.6, 256 bits)", CPU, "Intel(R) Iris Xe", Integrated, "NVIDIA GeForce RTX 4070", Discrete,
		"Virtio-GPU Venus", Virtual, "NVIDIA GeForce GTX 970", Discrete)
	software := infosOfTypes("llvmpipe (LLVM 15.0.6, 256 bits)", CPU, "SwiftShader Device (Subzero)", CPU)
	for _, test := range []struct {
		infos    []Info
		selector string
		want     int // index, negative for an error
	}{
		{laptop, "", 2},
		{laptop[:2], "", 1},
		{infosOfTypes("a", Other, "b", Virtual, "c", CPU), "", 1},
		{infosOfTypes("a", CPU, "b", Other), "", 1},
		{infosOfTypes("a", Virtual, "b", Integrated), "", 1},
		{software, "", 0},
		{software[:1], "", 0},
		{laptop, "0", 0},
		{laptop, "4", 4},
		{laptop, "04", 4},
		{laptop, " 4 ", 4},
		{laptop, "5", -1},
		{laptop, "99999999999999999999999999", -1},
		{laptop, "-1", -1},
		{laptop, "LLVMPIPE", 0},
		{laptop, "iris xe", 1},
		{laptop, "nvidia", 2},
		{laptop, "gtx", 4},
		{laptop, "970", -1}, // digits are an index even where a name has them
		{laptop, "gtx 970", 4},
		{laptop, "radeon", -1},
		{software, "swift", 1},
		{infosOfTypes("Same", CPU, "same", Discrete), "SAME", 1},
	} {
		got, err := Choose(test.infos, test.selector)
		if test.want < 0 {
			require.ErrorIs(t, err, ErrNoSuchDevice, "%q", test.selector)
			require.ErrorIs(t, err, ErrNoDevice)
			for _, info := range test.infos {
				require.ErrorContains(t, err, fmt.Sprintf("%d: %s (%s)", info.Index, info.Name, info.Type))
			}
			continue
		}
		require.NoError(t, err, "%q", test.selector)
		require.Equal(t, test.want, got.Index, "%q", test.selector)
	}
	_, err := Choose(nil, "")
	require.ErrorIs(t, err, ErrNoDriver)
	require.ErrorIs(t, err, ErrNoDevice)
}

func TestDeviceTypeNames(t *testing.T) {
	require.Equal(t, "[other integrated discrete virtual cpu]", fmt.Sprint([]DeviceType{Other, Integrated, Discrete, Virtual, CPU}))
	require.Equal(t, "device type 9", DeviceType(9).String())
}
