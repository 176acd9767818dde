package gpu

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestCallErrors(t *testing.T) {
	for result, sentinel := range map[int32]error{
		resultOutOfHostMemory: ErrOutOfMemory, resultOutOfDeviceMemory: ErrOutOfMemory, resultOutOfPoolMemory: ErrOutOfMemory,
		resultFragmentedPool: ErrOutOfMemory, resultTooManyObjects: ErrOutOfMemory, resultMemoryMapFailed: ErrOutOfMemory,
		resultDeviceLost: ErrDeviceLost, resultIncompatibleDriver: ErrNoDevice,
		resultFeatureNotPresent: ErrUnsupported, resultExtNotPresent: ErrUnsupported, resultLayerNotPresent: ErrUnsupported,
	} {
		err := fmt.Errorf("gpu: %w", &callError{"vkSomeCall", result})
		require.ErrorIs(t, err, sentinel)
		require.ErrorContains(t, err, "vkSomeCall: VK_ERROR_")
	}
	unknown := &callError{"vkSomeCall", -99}
	require.EqualError(t, unknown, "vkSomeCall: VkResult -99")
	require.NoError(t, unknown.Unwrap())
}

func TestKindsOfNoDevice(t *testing.T) {
	for _, err := range []error{ErrNoLoader, ErrNoDriver, ErrNoSuchDevice} {
		require.ErrorIs(t, err, ErrNoDevice)
	}
	require.NotErrorIs(t, ErrNoDevice, ErrNoDriver)
}
