//go:build !linux || !cgo

package gpu

import (
	"context"
	"fmt"
	"runtime"
)

func missing() error {
	if runtime.GOOS != "linux" {
		return fmt.Errorf("gpu: %w: Vulkan is supported on Linux only, not on %s", ErrNoDevice, runtime.GOOS)
	}
	return fmt.Errorf("gpu: %w: built without cgo; install a C compiler (Debian: gcc, libc6-dev) and build with CGO_ENABLED=1", ErrNoDevice)
}

// Devices returns an error that says why this build has no Vulkan.
func Devices() ([]Info, error) { return nil, missing() }

// Open returns an error that says why this build has no Vulkan.
func Open(Options) (*Device, error) { return nil, missing() }

// Device cannot be opened in this build; nor can anything that a device makes
// exist, so that the methods of this file are never reached.
type Device struct{}

// Info is empty in this build.
func (*Device) Info() Info { return Info{} }

// Close does nothing in this build.
func (*Device) Close() error { return nil }

// Trim does nothing in this build.
func (*Device) Trim() {}

// MemoryInUse is empty in this build.
func (*Device) MemoryInUse() MemoryStats { return MemoryStats{} }

// ValidationMessages is empty in this build.
func (*Device) ValidationMessages() []string { return nil }

// NewBuffer fails in this build.
func (*Device) NewBuffer(int64, Memory) (*Buffer, error) { return nil, missing() }

// TryBuffer fails in this build.
func (*Device) TryBuffer(int64, Memory) (*Buffer, error) { return nil, missing() }

// ImportBuffer fails in this build.
func (*Device) ImportBuffer([]byte) (*Buffer, error) { return nil, missing() }

// Imports reports false in this build.
func (*Device) Imports([]byte) bool { return false }

// Err fails in this build.
func (*Device) Err() error { return missing() }

// WaitIdle does nothing in this build.
func (*Device) WaitIdle() {}

// Pipeline fails in this build.
func (*Device) Pipeline(PipelineDesc) (*Pipeline, error) { return nil, missing() }

// NewProgram fails in this build.
func (*Device) NewProgram() (*Program, error) { return nil, missing() }

// Submit fails in this build.
func (*Device) Submit(*Program) (*Submission, error) { return nil, missing() }

// Buffer cannot exist in this build.
type Buffer struct{}

// Size is 0 in this build.
func (*Buffer) Size() int64 { return 0 }

// Free does nothing in this build.
func (*Buffer) Free() {}

// Mapped is nil in this build.
func (*Buffer) Mapped() []byte { return nil }

// Flush fails in this build.
func (*Buffer) Flush(_, _ int64) error { return missing() }

// Invalidate fails in this build.
func (*Buffer) Invalidate(_, _ int64) error { return missing() }

// Pipeline cannot exist in this build.
type Pipeline struct{}

// Name is empty in this build.
func (*Pipeline) Name() string { return "" }

// Program cannot exist in this build.
type Program struct{}

// Dispatch does nothing in this build.
func (*Program) Dispatch(*Pipeline, [3]uint32, []byte, ...Binding) {}

// Barrier does nothing in this build.
func (*Program) Barrier() {}

// Copy does nothing in this build.
func (*Program) Copy(_ *Buffer, _ int64, _ *Buffer, _, _ int64) {}

// CopyRect does nothing in this build.
func (*Program) CopyRect(_ *Buffer, _, _ int64, _ *Buffer, _, _, _, _ int64) {}

// Fill does nothing in this build.
func (*Program) Fill(_ *Buffer, _, _ int64, _ uint32) {}

// Timestamp does nothing in this build.
func (*Program) Timestamp() int { return 0 }

// End fails in this build.
func (*Program) End() error { return missing() }

// Reset fails in this build.
func (*Program) Reset() error { return missing() }

// Free does nothing in this build.
func (*Program) Free() {}

// Timestamps fails in this build.
func (*Program) Timestamps() ([]int64, error) { return nil, missing() }

// Submission cannot exist in this build.
type Submission struct{}

// Seq is 0 in this build.
func (*Submission) Seq() uint64 { return 0 }

// Done fails in this build.
func (*Submission) Done() (bool, error) { return false, missing() }

// Wait fails in this build.
func (*Submission) Wait(context.Context) error { return missing() }
