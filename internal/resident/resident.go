// Package resident measures the process's memory, C memory and all, and by how much it
// grows, for tests and soaks that hold the library to leaking nothing.
package resident

import (
	"fmt"
	"os"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
)

// Bytes is the process's memory after a collection; an error where the system does not tell.
func Bytes() (int64, error) {
	debug.FreeOSMemory()
	statm, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		return 0, fmt.Errorf("resident: %w", err)
	}
	pages, err := strconv.ParseInt(strings.Fields(string(statm))[1], 10, 64)
	if err != nil {
		return 0, fmt.Errorf("resident: %w", err)
	}
	return pages * int64(os.Getpagesize()), nil
}

// windows are as many as a median is of, most the times that a function runs.
const windows, most = 5, 30

// Growth runs do again and again and gives by how much the process's memory grew each
// time, and the median of the last five. It ends when that is below limit, after ten
// times at the earliest, since allocators, caches and the race detector warm up first,
// some of them for long. A leak grows every time and is at its limit after thirty, too.
func Growth(limit int64, do func()) (median int64, each []int64, err error) {
	before, err := Bytes()
	if err != nil {
		return 0, nil, err
	}
	for len(each) < most {
		do()
		after, err := Bytes()
		if err != nil {
			return 0, nil, err
		}
		each = append(each, after-before)
		before = after
		if len(each) < 2*windows {
			continue
		}
		if median = medianOf(each[len(each)-windows:]); median < limit {
			break
		}
	}
	return median, each, nil
}

func medianOf(values []int64) int64 {
	return slices.Sorted(slices.Values(values))[len(values)/2]
}
