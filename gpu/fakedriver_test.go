//go:build linux && cgo

package gpu

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"vkops/internal/fakedriver"
)

// TestUnusableDevices opens devices that cannot work: the list shows them, and
// opening says why they are refused.
func TestUnusableDevices(t *testing.T) {
	for says, want := range map[string]struct {
		is   error
		text string
	}{
		"queue=1":                   {ErrUnsupported, "no queue for compute"},
		"queue=0":                   {ErrUnsupported, "no queue for compute"},
		"api=4194304":               {ErrUnsupported, "1.1 is needed"},
		"create=-3":                 {nil, "VK_ERROR_INITIALIZATION_FAILED"},
		"create=-2":                 {ErrOutOfMemory, "VK_ERROR_OUT_OF_DEVICE_MEMORY"},
		"create=-4":                 {ErrDeviceLost, "VK_ERROR_DEVICE_LOST"},
		"create=-10":                {ErrOutOfMemory, "VK_ERROR_TOO_MANY_OBJECTS"},
		"create=-8":                 {ErrUnsupported, "VK_ERROR_FEATURE_NOT_PRESENT"},
		"range=0":                   {ErrUnsupported, "maxStorageBufferRange as 0"},
		"range=4096":                {ErrUnsupported, "maxStorageBufferRange as 4096"},
		"alignment=0":               {ErrUnsupported, "minStorageBufferOffsetAlignment as 0"},
		"alignment=24":              {ErrUnsupported, "minStorageBufferOffsetAlignment as 24"},
		"alignment=65536":           {ErrUnsupported, "minStorageBufferOffsetAlignment as 65536"},
		"atom=0":                    {ErrUnsupported, "nonCoherentAtomSize as 0"},
		"atom=1024":                 {ErrUnsupported, "nonCoherentAtomSize as 1024"},
		"shared=0":                  {ErrUnsupported, "maxComputeSharedMemorySize as 0"},
		"push=0":                    {ErrUnsupported, "maxPushConstantsSize as 0"},
		"invocations=0":             {ErrUnsupported, "maxComputeWorkGroupInvocations as 0"},
		"buffers=0":                 {ErrUnsupported, "maxPerStageDescriptorStorageBuffers as 0"},
		"allocations=0":             {ErrUnsupported, "maxMemoryAllocationCount as 0"},
		"groups=0":                  {ErrUnsupported, "maxComputeWorkGroupCount as 0"},
		"size=0":                    {ErrUnsupported, "maxComputeWorkGroupSize as 0"},
		"heap=0":                    {ErrUnsupported, "largest heap as 0"},
		"maxbuffer=4096":            {ErrUnsupported, "maxBufferSize as 4096"},
		"import=4095":               {ErrUnsupported, "minImportedHostPointerAlignment as 4095"},
		"import=0x8000000000000000": {ErrUnsupported, "minImportedHostPointerAlignment as 9223372036854775808"},
		"subgroup=0,extensions=":    {ErrUnsupported, "subgroupSize as 0"},
		"subgroup=48":               {ErrUnsupported, "subgroupSize as 48"},
	} {
		t.Run(says, func(t *testing.T) {
			fakedriver.Install(t, says+",name=Fake")
			infos, err := Devices()
			require.NoError(t, err)
			require.Len(t, infos, 1)
			require.Equal(t, "Fake", infos[0].Name)
			_, err = Open(Options{})
			require.Error(t, err)
			if want.is != nil {
				require.ErrorIs(t, err, want.is)
			}
			require.ErrorContains(t, err, want.text)
			require.ErrorContains(t, err, "Fake")
		})
	}
}

// TestMemoryTypesAreMissing opens devices without any memory, or without memory that
// the host sees: buffers are refused with a reason.
func TestMemoryTypesAreMissing(t *testing.T) {
	for says, purposes := range map[string][]Memory{
		"types=0": {DeviceMemory, UploadMemory, DownloadMemory}, "flags=0": {DeviceMemory, UploadMemory, DownloadMemory},
		"flags=1": {UploadMemory, DownloadMemory}, "flags=2": {DeviceMemory},
	} {
		t.Run(says, func(t *testing.T) {
			fakedriver.Install(t, says)
			d := openDevice(t, Options{})
			for _, purpose := range purposes {
				_, err := d.NewBuffer(64, purpose)
				require.ErrorIs(t, err, ErrUnsupported)
				require.ErrorContains(t, err, "no memory type for "+purpose.String())
			}
			require.Zero(t, d.MemoryInUse().Buffers)
		})
	}
}

// TestEndlessLimits opens a device whose limits are all as large as can be.
func TestEndlessLimits(t *testing.T) {
	const most32, most64 = "4294967295", "18446744073709551615"
	fakedriver.Install(t, strings.NewReplacer("32", most32, "64", most64).Replace(
		"range=32,shared=32,invocations=32,buffers=32,allocations=32,groups=32,size=32,heap=64,allocation=64"))
	d := openDevice(t, Options{})
	add := newPipeline(t, d, addDesc(t, 0))
	require.NoError(t, workerRound(d, add, newEnded(t, d), 1, 2, 0))
	for _, size := range []int64{1 << 62, 1<<63 - 1} {
		_, err := d.NewBuffer(size, DeviceMemory)
		require.Error(t, err)
	}
	require.Zero(t, d.MemoryInUse().Buffers)
}

func newEnded(t *testing.T, d *Device) *Program {
	p := newProgram(t, d)
	require.NoError(t, p.End())
	return p
}

// TestSeveralDevices lists the real device and a fake one of a better kind.
func TestSeveralDevices(t *testing.T) {
	real := fakedriver.Real(t)
	fake := fakedriver.Install(t, "name=Fake GPU,type=2")
	fakedriver.Only(t, real, fake)
	infos, err := Devices()
	require.NoError(t, err)
	require.Len(t, infos, 2)
	require.Equal(t, "Fake GPU", openDevice(t, Options{}).Info().Name, "discrete before software")
	for i, info := range infos {
		require.Equal(t, i, info.Index)
		require.Equal(t, info.Name, openDevice(t, Options{Device: info.Name}).Info().Name)
		require.Equal(t, info.Name, openDevice(t, Options{Device: string(rune('0' + i))}).Info().Name)
	}
	_, err = Open(Options{Device: "Voodoo"})
	require.ErrorIs(t, err, ErrNoSuchDevice)
	require.ErrorContains(t, err, "Fake GPU")
	require.ErrorContains(t, err, infos[0].Name)
}

// TestMissingLibraryOfADriver has the description of a driver name a file that is
// not there, beside one that works.
func TestMissingLibraryOfADriver(t *testing.T) {
	real := fakedriver.Real(t)
	fake := fakedriver.Install(t, "")
	t.Setenv("FAKE_REAL", "/nonexistent.so")
	fakedriver.Only(t, fake)
	_, err := Open(Options{})
	require.ErrorIs(t, err, ErrNoDriver)
	fakedriver.Only(t, fake, real)
	openDevice(t, Options{})
}
