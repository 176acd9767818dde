// Package hostmemory says whether the system would give memory, since Go ends the process
// where it does not.
package hostmemory

import (
	"errors"
	"fmt"
	"math"
	"unsafe"
)

// ErrOut is the sentinel of all packages for memory that is used up.
var ErrOut = errors.New("out of memory")

// probeFrom is the size from which it is tried: it takes two system calls.
const probeFrom = 256 << 20

// most is more than any system gives.
const most = min(1<<46, math.MaxInt/2)

// Probe reports, as ErrOut, whether the system would refuse a block of this size.
func Probe(bytes int64) error {
	if bytes < probeFrom {
		return nil
	}
	var err error
	if bytes <= most {
		if err = try(int(bytes)); err == nil {
			return nil
		}
	}
	if err == nil {
		return fmt.Errorf("%w: %d bytes", ErrOut, bytes)
	}
	return fmt.Errorf("%w: %d bytes: %w", ErrOut, bytes, err)
}

// Bytes is memory of n zeros that may hold any element type: words of 64 bits, since a []byte
// may start anywhere. The error is Probe's.
func Bytes(n int64) ([]byte, error) {
	if err := Probe(n); err != nil || n == 0 {
		return nil, err
	}
	words := make([]uint64, (n+7)/8)
	return unsafe.Slice((*byte)(unsafe.Pointer(&words[0])), n), nil
}
