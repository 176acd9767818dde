package host

import (
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"path/filepath"

	"vkops/gpu"
	"vkops/internal/wholefile"
)

// tunedDevice is what a tuning is for.
type tunedDevice struct {
	Device   string `json:"device"`
	Driver   string `json:"driver"`
	VendorID uint32 `json:"vendor_id"`
	DeviceID uint32 `json:"device_id"`
	UUID     string `json:"uuid"`
}

func tunedDeviceOf(info gpu.Info) tunedDevice {
	return tunedDevice{info.Name, info.Driver, info.VendorID, info.DeviceID, fmt.Sprintf("%x", info.UUID)}
}

// tuningFile is a tuning as it is kept.
type tuningFile struct {
	Version int `json:"version"`
	tunedDevice
	Tuning Tuning `json:"tuning"`
}

const tuningVersion = 1

// tuningPath is the file of a device with its driver.
func tuningPath(dir string, info gpu.Info) string {
	key := sha256.Sum256(fmt.Appendf(nil, "%+v", tunedDeviceOf(info)))
	return filepath.Join(dir, fmt.Sprintf("tuning-%08x-%08x-%x.json", info.VendorID, info.DeviceID, key[:8]))
}

func writeTuning(path string, info gpu.Info, t Tuning) error {
	text, err := json.MarshalIndent(tuningFile{tuningVersion, tunedDeviceOf(info), t}, "", "  ")
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	return wholefile.Write(path, func(w io.Writer) error {
		_, err := w.Write(append(text, '\n'))
		return err
	})
}

// readTuning is the tuning of a device: none without an error if there is no file, an
// error if it is damaged or another device's.
func readTuning(path string, info gpu.Info) (Tuning, error) {
	text, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return Tuning{}, nil
	}
	if err != nil {
		return Tuning{}, err
	}
	var f tuningFile
	if err := json.Unmarshal(text, &f); err != nil {
		return Tuning{}, err
	}
	t := f.Tuning
	switch {
	case f.Version != tuningVersion:
		return Tuning{}, fmt.Errorf("version %d is not %d", f.Version, tuningVersion)
	case f.tunedDevice != tunedDeviceOf(info):
		return Tuning{}, fmt.Errorf("made for %s with %s", f.Device, f.Driver)
	case !isWorkgroupSize(t.WorkgroupSize):
		return Tuning{}, fmt.Errorf("workgroup size %d", t.WorkgroupSize)
	case t.Stretch != 0 && t.Stretch != 256 && t.Stretch != 4096:
		return Tuning{}, fmt.Errorf("stretch %d", t.Stretch)
	case t.BytesPerSecond < 0 || math.IsNaN(t.Gain):
		return Tuning{}, fmt.Errorf("%d bytes a second", t.BytesPerSecond)
	}
	return t, nil
}

// applyTuning takes over a tuning where the options say nothing else.
func (v *vulkan) applyTuning(cfg config) {
	if cfg.withoutTuning || v.cacheDir == "" {
		return
	}
	path := tuningPath(v.cacheDir, v.info.Info)
	t, err := readTuning(path, v.info.Info)
	if err != nil {
		v.rt.log.Warn("tuning ignored", "path", path, "reason", err)
		return
	}
	if cfg.groupSize == 0 {
		v.limits.WorkgroupSize = uint32(t.WorkgroupSize)
	}
	v.limits.Stretch = t.Stretch
	if cfg.maxSubmission == 0 && t.BytesPerSecond > 0 {
		v.limits.MaxStepBytes = submissionAt(t.BytesPerSecond)
	}
}
