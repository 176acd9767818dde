package npy

import (
	"archive/zip"
	"bytes"
	"hash/crc32"
	"io"
	"testing"

	"github.com/stretchr/testify/require"

	"vkops/internal/heap"
	"vkops/tensor"
)

// packed makes an archive of members, compressed or not.
func packed(t testing.TB, method uint16, members ...string) []byte {
	t.Helper()
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for i := 0; i < len(members); i += 2 {
		f, err := w.CreateHeader(&zip.FileHeader{Name: members[i], Method: method})
		require.NoError(t, err)
		_, err = io.WriteString(f, members[i+1])
		require.NoError(t, err)
	}
	require.NoError(t, w.Close())
	return b.Bytes()
}

func unpack(data []byte, name string) (tensor.Dense, error) {
	return ReadArchive(bytes.NewReader(data), int64(len(data)), name, Options{Void2: tensor.BF16})
}

func TestArchives(t *testing.T) {
	one := string(file(1, head("<f2", "False", "(2,)"), "abcd"))
	two := string(file(1, head("<V2", "False", "(1,)"), "xy"))
	for _, method := range []uint16{zip.Store, zip.Deflate} {
		data := packed(t, method, "a.npy", one, "b.c.npy", two)
		d, err := unpack(data, "a")
		require.NoError(t, err)
		require.Equal(t, tensor.F16, d.DType)
		require.Equal(t, "abcd", string(d.Data))
		d, err = unpack(data, "b.c")
		require.NoError(t, err)
		require.Equal(t, tensor.BF16, d.DType)

		_, err = unpack(data, "")
		require.ErrorContains(t, err, `2 arrays in the archive, name one: "a", "b.c"`)
		_, err = unpack(data, "d")
		require.ErrorContains(t, err, `no array "d" in the archive; there are "a", "b.c"`)
		d, err = unpack(packed(t, method, "only.npy", one), "")
		require.NoError(t, err)
		require.Equal(t, "abcd", string(d.Data))
	}
	_, err := unpack(packed(t, zip.Store, "a.npy", one, "a.npy", two), "a")
	require.ErrorIs(t, err, ErrFormat)
}

func TestAnArchiveComesBack(t *testing.T) {
	for _, dtype := range tensor.AllDTypes() {
		d, err := tensor.NewDense(tensor.Type{DType: dtype, Shape: tensor.Shape{2, 3}})
		require.NoError(t, err)
		d.Data[5] = 7
		var b bytes.Buffer
		require.NoError(t, WriteArchive(&b, "../y", d))
		back, err := unpack(b.Bytes(), "../y")
		require.NoError(t, err)
		require.True(t, back.Type.Equal(d.Type))
		require.Equal(t, d.Data, back.Data)
	}
}

func TestMalformedArchives(t *testing.T) {
	good := string(file(1, head("<f4", "False", "(1,)"), "1234"))
	flipped := packed(t, zip.Store, "a.npy", good)
	flipped[bytes.Index(flipped, []byte("1234"))] ^= 1
	for name, data := range map[string][]byte{
		"nothing":       nil,
		"not a zip":     []byte(good),
		"no member":     packed(t, zip.Store),
		"cut off":       packed(t, zip.Store, "a.npy", good)[:60],
		"checksum":      flipped,
		"text":          packed(t, zip.Deflate, "a.npy", "hello"),
		"data is short": packed(t, zip.Deflate, "a.npy", good[:len(good)-1]),
		"data is long":  packed(t, zip.Deflate, "a.npy", good+"5"),
	} {
		_, err := unpack(data, "")
		require.ErrorIs(t, err, ErrFormat, name)
	}
}

// bomb is a member that claims size bytes and delivers the given ones.
func bomb(t testing.TB, size uint64, content string) []byte {
	t.Helper()
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	f, err := w.CreateRaw(&zip.FileHeader{Name: "a.npy", Method: zip.Store, CRC32: crc32.ChecksumIEEE([]byte(content)),
		CompressedSize64: uint64(len(content)), UncompressedSize64: size})
	require.NoError(t, err)
	_, err = io.WriteString(f, content)
	require.NoError(t, err)
	require.NoError(t, w.Close())
	return b.Bytes()
}

func TestBombsAreNotUnpacked(t *testing.T) {
	claim := string(file(1, head("<f4", "False", "(268435456,)"), "1234"))
	for _, size := range []uint64{1 << 20, 1 << 30, 1 << 60} {
		data := bomb(t, size, claim)
		var err error
		taken := heap.Allocated(4*chunk, func() { _, err = unpack(data, "a") })
		require.ErrorIs(t, err, ErrFormat)
		require.Less(t, taken, uint64(4*chunk), "%d bytes claimed", size)
	}
	data := bomb(t, 1<<40, claim)
	_, err := unpack(data, "a")
	require.ErrorContains(t, err, "are to become 1099511627776")
}

func FuzzNPZ(f *testing.F) {
	good := string(file(1, head("<f4", "False", "(1,)"), "1234"))
	f.Add(packed(f, zip.Store, "a.npy", good), "a")
	f.Add(packed(f, zip.Deflate, "a.npy", good, "../b.npy", good), "../b")
	f.Add(bomb(f, 1<<40, good), "a")
	f.Fuzz(func(t *testing.T, data []byte, name string) {
		var d tensor.Dense
		var err error
		// Deflate expands by 1,032 at most.
		limit := uint64(4*1032*len(data) + 4*chunk)
		if taken := heap.Allocated(limit, func() { d, err = unpack(data, name) }); taken > limit {
			t.Fatalf("%d bytes of memory for %d bytes", taken, len(data))
		}
		if err != nil {
			return
		}
		if n, err := d.Bytes(); err != nil || n != int64(len(d.Data)) {
			t.Fatalf("%s with %d bytes: %v", d.Type, len(d.Data), err)
		}
	})
}
