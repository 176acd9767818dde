package gpu

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"vkops/internal/wholefile"
)

// A cache file is this line, the SHA-256 of the rest, and the data that Vulkan
// gave, which starts with a header of its own.
const cacheMagic = "vkops pipeline cache 1\n"

// vulkanCacheHeader is the size of VkPipelineCacheHeaderVersionOne.
const vulkanCacheHeader = 32

// cacheIdentity is the device and driver that a cache is for, from Vulkan's
// header.
type cacheIdentity struct {
	vendor, device uint32
	uuid           [16]byte
}

func (id cacheIdentity) path(dir string) string {
	return filepath.Join(dir, fmt.Sprintf("pipelines-%08x-%08x-%x.bin", id.vendor, id.device, id.uuid))
}

// readCacheFile returns the data of a cache file: nil without an error if there
// is no file, an error if it is damaged or for something else.
func readCacheFile(path string, id cacheIdentity) ([]byte, error) {
	file, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	rest, found := bytes.CutPrefix(file, []byte(cacheMagic))
	if !found || len(rest) < sha256.Size {
		return nil, errors.New("not a pipeline cache of this version")
	}
	data := rest[sha256.Size:]
	if sum := sha256.Sum256(data); !bytes.Equal(sum[:], rest[:sha256.Size]) {
		return nil, errors.New("damaged: the checksum differs")
	}
	if err := id.check(data); err != nil {
		return nil, err
	}
	return data, nil
}

// check compares Vulkan's header, because not every driver refuses the data of
// another.
func (id cacheIdentity) check(data []byte) error {
	if len(data) < vulkanCacheHeader {
		return fmt.Errorf("%d bytes are no pipeline cache", len(data))
	}
	word := func(i int) uint32 { return binary.LittleEndian.Uint32(data[4*i:]) }
	if word(0) != vulkanCacheHeader || word(1) != 1 {
		return errors.New("unknown header version")
	}
	if word(2) != id.vendor || word(3) != id.device || !bytes.Equal(data[16:32], id.uuid[:]) {
		return errors.New("made by another device or driver")
	}
	return nil
}

// writeCacheFile replaces the file as a whole, so that a reader or a crash never
// sees a part of it.
func writeCacheFile(path string, id cacheIdentity, data []byte) error {
	if err := id.check(data); err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	sum := sha256.Sum256(data)
	return wholefile.Write(path, func(w io.Writer) error {
		_, err := w.Write(slices.Concat([]byte(cacheMagic), sum[:], data))
		return err
	})
}
