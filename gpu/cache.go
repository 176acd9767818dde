//go:build linux && cgo

package gpu

/*
#include <stdlib.h>
#include "shim.h"
*/
import "C"

import (
	"fmt"
	"unsafe"

	vk "github.com/vulkan-go/vulkan"
)

// openCache makes the VkPipelineCache, from the file if there is one.
func (c *pipelines) openCache() error {
	d := c.device
	var data []byte
	if d.cacheDir != "" {
		var err error
		if data, err = readCacheFile(c.cachePath(), c.cacheIdentity()); err != nil {
			d.log.Warn("vulkan pipeline cache ignored", "path", c.cachePath(), "reason", err)
		}
	}
	var cache vk.PipelineCache
	err := d.faults.check("vkCreatePipelineCache", func() int32 {
		info := vk.PipelineCacheCreateInfo{SType: vk.StructureTypePipelineCacheCreateInfo}
		if len(data) > 0 {
			// In C memory, because the binding stores the pointer there.
			copied := C.CBytes(data)
			defer C.free(copied)
			info.InitialDataSize, info.PInitialData = uint(len(data)), copied
		}
		defer info.Free()
		return int32(vk.CreatePipelineCache(d.handle, &info, nil, &cache))
	})
	if err != nil {
		return fmt.Errorf("gpu: pipeline cache: %w", err)
	}
	c.cache = handleBits(cache)
	return nil
}

// saveEvery is after how many new pipelines the file is written, for programs
// that never close their device.
const saveEvery = 16

func (c *pipelines) saveSometimes() {
	c.mu.Lock()
	due := c.unsaved >= saveEvery
	c.mu.Unlock()
	if due {
		c.saveCache()
	}
}

// saveCache writes the cache file if pipelines were built since the last time.
// Failures are logged: a cache is only for speed.
func (c *pipelines) saveCache() {
	c.mu.Lock()
	unsaved := c.unsaved
	c.unsaved = 0
	c.mu.Unlock()
	d := c.device
	if d.cacheDir == "" || unsaved == 0 || d.lost.Load() {
		return
	}
	data, err := c.cacheData()
	if err == nil {
		err = writeCacheFile(c.cachePath(), c.cacheIdentity(), data)
	}
	if err != nil {
		d.log.Warn("vulkan pipeline cache not written", "path", c.cachePath(), "reason", err)
	}
}

func (c *pipelines) cacheData() ([]byte, error) {
	d := c.device
	bits := d.faults.mask(C.VKOPS_CALL_vkGetPipelineCacheData)
	var size C.size_t
	if err := shimError(C.vkops_pipeline_cache_data(d.c, C.uint64_t(c.cache), nil, &size, bits)); err != nil {
		return nil, err
	}
	data := make([]byte, size)
	if size == 0 {
		return nil, nil
	}
	status := C.vkops_pipeline_cache_data(d.c, C.uint64_t(c.cache), unsafe.Pointer(&data[0]), &size, 0)
	return data[:size], shimError(status)
}

func (c *pipelines) cacheIdentity() cacheIdentity {
	info := &c.device.info
	return cacheIdentity{vendor: info.VendorID, device: info.DeviceID, uuid: c.device.physical.cacheUUID}
}

func (c *pipelines) cachePath() string { return c.cacheIdentity().path(c.device.cacheDir) }
