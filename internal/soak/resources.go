package soak

import (
	"os"
	"strconv"
	"strings"

	"vkops/internal/resident"
)

// Resources are what the process holds of the system.
type Resources struct {
	Resident int64 // bytes of memory
	Files    int   // open file handles
	Threads  int
}

// resources measures them after a collection; zeros where the system does not tell.
func resources() Resources {
	var r Resources
	r.Resident, _ = resident.Bytes()
	if status, err := os.ReadFile("/proc/self/status"); err == nil {
		r.Threads = int(statusField(string(status), "Threads:"))
	}
	if files, err := os.ReadDir("/proc/self/fd"); err == nil {
		r.Files = len(files) - 1 // the one that reads them
	}
	return r
}

func statusField(status, name string) int64 {
	_, rest, _ := strings.Cut(status, name)
	fields := strings.Fields(rest)
	if len(fields) == 0 {
		return 0
	}
	n, err := strconv.ParseInt(fields[0], 10, 64)
	if err != nil {
		return 0
	}
	return n
}
