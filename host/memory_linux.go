package host

import (
	"fmt"
	"math"
	"syscall"
)

// probeFrom is the size from which an allocation is tried before Go is asked for
// it: Go ends the process where the system refuses.
const probeFrom = 256 << 20

// probeMemory reports whether the system would give a block of this size.
func probeMemory(bytes int64) error {
	if bytes < probeFrom {
		return nil
	}
	if bytes > math.MaxInt-probeFrom {
		return fmt.Errorf("%w: %d bytes", ErrOutOfMemory, bytes)
	}
	block, err := syscall.Mmap(-1, 0, int(bytes), syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_ANON|syscall.MAP_PRIVATE)
	if err != nil {
		return fmt.Errorf("%w: %d bytes: %v", ErrOutOfMemory, bytes, err)
	}
	return syscall.Munmap(block)
}
