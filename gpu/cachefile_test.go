package gpu

import (
	"encoding/binary"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// cacheDataOf is cache data with Vulkan's header for a device.
func cacheDataOf(id cacheIdentity) []byte {
	var data []byte
	for _, word := range []uint32{vulkanCacheHeader, 1, id.vendor, id.device} {
		data = binary.LittleEndian.AppendUint32(data, word)
	}
	return append(append(data, id.uuid[:]...), "compiled shaders"...)
}

func TestCacheFile(t *testing.T) {
	dir := t.TempDir()
	id := cacheIdentity{0x10de, 0x2786, [16]byte{1, 2, 3}}
	path := id.path(filepath.Join(dir, "sub"))
	data, err := readCacheFile(path, id)
	require.NoError(t, err, "no file is no error")
	require.Nil(t, data)
	require.NoError(t, writeCacheFile(path, id, cacheDataOf(id)))
	data, err = readCacheFile(path, id)
	require.NoError(t, err)
	require.Equal(t, cacheDataOf(id), data)

	good, err := os.ReadFile(path)
	require.NoError(t, err)
	for cut := range len(good) {
		require.NoError(t, os.WriteFile(path, good[:cut], 0o600))
		_, err = readCacheFile(path, id)
		require.Error(t, err, "cut to %d bytes", cut)
	}
	for i := range good {
		bad := append([]byte{}, good...)
		bad[i] ^= 0x10
		require.NoError(t, os.WriteFile(path, bad, 0o600))
		_, err = readCacheFile(path, id)
		require.Error(t, err, "byte %d changed", i)
	}
	require.NoError(t, writeCacheFile(path, id, cacheDataOf(id)), "replaces a bad file")
	_, err = readCacheFile(path, id)
	require.NoError(t, err)

	elsewhere := filepath.Join(dir, "elsewhere")
	require.NoError(t, os.Rename(path, elsewhere))
	require.NoError(t, os.Symlink(elsewhere, path))
	require.NoError(t, writeCacheFile(path, id, append(cacheDataOf(id), 1)))
	require.NoError(t, os.Rename(elsewhere, path), "a link stays one, its target is replaced")
	data, err = readCacheFile(path, id)
	require.NoError(t, err)
	require.Equal(t, append(cacheDataOf(id), 1), data)

	for _, other := range []cacheIdentity{{1, id.device, id.uuid}, {id.vendor, 1, id.uuid}, {id.vendor, id.device, [16]byte{9}}} {
		_, err = readCacheFile(path, other)
		require.ErrorContains(t, err, "another device")
		require.Error(t, writeCacheFile(path, id, cacheDataOf(other)))
		require.NotEqual(t, path, other.path(filepath.Join(dir, "sub")))
	}
	require.Error(t, writeCacheFile(path, id, nil))
	files, err := os.ReadDir(filepath.Join(dir, "sub"))
	require.NoError(t, err)
	require.Len(t, files, 1, "no temporary file is left")
}
