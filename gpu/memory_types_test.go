package gpu

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// Tables as real drivers report them.
var (
	nvidiaTypes = []memoryType{{0, 1}, {deviceLocal, 0}, {hostVisible | hostCoherent, 1},
		{hostVisible | hostCoherent | hostCached, 1}, {deviceLocal | hostVisible | hostCoherent, 2}}
	amdTypes = []memoryType{{deviceLocal, 0}, {deviceLocal | hostVisible | hostCoherent, 2}, {hostVisible | hostCoherent, 1},
		{hostVisible | hostCoherent | hostCached, 1}, {deviceLocal | 0x40 | 0x80, 0}, {hostVisible | hostCoherent | 0x40 | 0x80, 1}}
	intelTypes  = []memoryType{{deviceLocal | hostVisible | hostCoherent | hostCached, 0}, {deviceLocal | 0x20, 0}}
	twoHeaps    = []memoryType{{deviceLocal, 0}, {deviceLocal | hostVisible | hostCoherent | hostCached, 1}}
	armTypes    = []memoryType{{deviceLocal | hostVisible | hostCoherent, 0}, {deviceLocal | hostVisible | hostCached, 0}, {deviceLocal | 0x10, 0}}
	resizeTypes = []memoryType{{deviceLocal | hostVisible | hostCoherent, 0}, {hostVisible | hostCoherent, 1}, {hostVisible | hostCoherent | hostCached, 1}}
)

func TestMemoryTypes(t *testing.T) {
	for name, test := range map[string]struct {
		types                    []memoryType
		unified                  bool
		device, upload, download int
	}{
		"nvidia":        {nvidiaTypes, false, 1, 2, 3},
		"amd":           {amdTypes, false, 0, 2, 3},
		"intel":         {intelTypes, true, 0, 0, 0},
		"arm":           {armTypes, true, 1, 1, 1},
		"two heaps":     {twoHeaps, true, 1, 1, 1},
		"resizable bar": {resizeTypes, false, 0, 1, 2},
	} {
		t.Run(name, func(t *testing.T) {
			require.Equal(t, test.unified, unified(test.types))
			require.Equal(t, test.device, rankMemoryTypes(test.types, DeviceMemory)[0])
			require.Equal(t, test.upload, rankMemoryTypes(test.types, UploadMemory)[0])
			require.Equal(t, test.download, rankMemoryTypes(test.types, DownloadMemory)[0])
			for _, purpose := range []Memory{DeviceMemory, UploadMemory, DownloadMemory} {
				for _, i := range rankMemoryTypes(test.types, purpose) {
					require.Zero(t, test.types[i].flags&^usableFlags, "protected and uncached types are never used")
					if purpose == DeviceMemory {
						require.NotZero(t, test.types[i].flags&deviceLocal)
						require.True(t, !test.unified || test.types[i].flags&unifiedFlags == unifiedFlags, "Caps.Unified promises mapped buffers")
					} else {
						require.NotZero(t, test.types[i].flags&hostVisible)
					}
				}
			}
		})
	}
}
