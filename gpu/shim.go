//go:build linux && cgo

package gpu

/*
#cgo CFLAGS: -O2 -Wall -Wextra
#cgo LDFLAGS: -ldl -lpthread
#include "shim.h"

#cgo noescape vkops_record
#cgo nocallback vkops_record
#cgo noescape vkops_submit
#cgo nocallback vkops_submit
#cgo noescape vkops_wait
#cgo nocallback vkops_wait
#cgo noescape vkops_query_results
#cgo nocallback vkops_query_results
*/
import "C"

import (
	"errors"
	"sync"
	"unsafe"
)

// call identifies a Vulkan call that the shim makes.
type call = C.int

// callNames are the Vulkan names of the shim's calls.
var callNames = sync.OnceValue(func() []string {
	names := make([]string, C.VKOPS_CALL_COUNT)
	for i := range names {
		names[i] = C.GoString(C.vkops_call_name(call(i)))
	}
	return names
})

// shimError turns what a shim function returned into an error, nil for success
// and for positive codes.
func shimError(status C.vkops_status) error {
	if status.result >= 0 {
		return nil
	}
	return &callError{callNames()[status.call], int32(status.result)}
}

// faults injects failures into Vulkan calls, as Options.Fault says.
type faults func(call string) error

// result is what a call has to fail as, resultSuccess if it is to be made.
func (f faults) result(name string) int32 {
	if f == nil {
		return resultSuccess
	}
	switch err := f(name); {
	case errors.Is(err, ErrDeviceLost):
		return resultDeviceLost
	case err != nil:
		return resultOutOfHostMemory
	}
	return resultSuccess
}

// mask has a bit for each of the calls that has to fail, as the shim reads it.
func (f faults) mask(calls ...call) C.uint64_t {
	if f == nil {
		return 0
	}
	var bits C.uint64_t
	for _, c := range calls {
		switch f.result(callNames()[c]) {
		case resultDeviceLost:
			bits |= 1 << (c + C.VKOPS_LOST)
		case resultOutOfHostMemory:
			bits |= 1 << c
		}
	}
	return bits
}

// check makes a call of the binding unless it has to fail.
func (f faults) check(name string, vulkan func() int32) error {
	result := f.result(name)
	if result == resultSuccess {
		result = vulkan()
	}
	if result < 0 {
		return &callError{name, result}
	}
	return nil
}

// handleBits are the 64 bits of one of the binding's handles. Handles are not
// pointers that Go may follow, so they are kept as numbers.
func handleBits[H any](handle H) uint64 { return *(*uint64)(unsafe.Pointer(&handle)) }

// asHandle is a number as one of the binding's non-dispatchable handles.
func asHandle[H any](bits uint64) H { return *(*H)(unsafe.Pointer(&bits)) }
