//go:build !linux

package host

import "fmt"

// probeMemory refuses what no system gives.
func probeMemory(bytes int64) error {
	const most = 1 << 46
	if bytes > most {
		return fmt.Errorf("%w: %d bytes", ErrOutOfMemory, bytes)
	}
	return nil
}
