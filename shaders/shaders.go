// Package shaders holds the compute kernels: their GLSL sources, the committed
// SPIR-V that build.sh makes from them, and a description of each kernel's
// interface that is read from the SPIR-V itself.
//
// A kernel is named after its source, operator and element type, such as
// "scan_tiles_lane_cumsum_f32"; variants.txt lists all of them.
package shaders

import (
	"embed"
	"fmt"
	"slices"
	"strings"
	"sync"
)

//go:embed spv/*.spv
var files embed.FS

// Kernel describes a compute shader. Everything in it is shared: do not modify.
type Kernel struct {
	Name         string
	SPIRV        []byte
	Bindings     []Binding      // buffers of descriptor set 0, by index
	Push         []Field        // members of the push constant block, by offset
	PushBytes    uint32         // size of the block
	Spec         []SpecConstant // by ID
	Capabilities []string       // as SPIR-V names them, such as "Float64"
}

// Binding is a storage buffer or a uniform texel buffer. Its name is that of the
// variable in the source; ReadOnly is set for one declared so, and for texels.
type Binding struct {
	Name       string
	Index      uint32
	ReadOnly   bool
	TexelBytes uint32 // 0 for storage buffers
}

// TexelSuffixes are how the names of texel buffers end, with the bytes of a texel:
// one, two or four 32-bit integers.
var TexelSuffixes = map[string]uint32{"_vectors": 16, "_word_pairs": 8, "_words": 4}

// Field is a push constant, always one 32-bit word.
type Field struct {
	Name   string
	Offset uint32
}

// SpecConstant is a specialization constant, always one 32-bit word. The one with
// ID 0 is named "workgroup_size": the number of invocations of a workgroup.
type SpecConstant struct {
	Name    string
	ID      uint32
	Default uint32
}

// Binding finds the index of a buffer.
func (k *Kernel) Binding(name string) (uint32, bool) {
	for _, b := range k.Bindings {
		if b.Name == name {
			return b.Index, true
		}
	}
	return 0, false
}

// TexelBytes is how many bytes a texel of a binding has; 0 for storage buffers.
func (k *Kernel) TexelBytes(index uint32) uint32 {
	for _, b := range k.Bindings {
		if b.Index == index {
			return b.TexelBytes
		}
	}
	return 0
}

// Field finds the byte offset of a push constant.
func (k *Kernel) Field(name string) (uint32, bool) {
	for _, f := range k.Push {
		if f.Name == name {
			return f.Offset, true
		}
	}
	return 0, false
}

// SpecConstant finds a specialization constant.
func (k *Kernel) SpecConstant(name string) (SpecConstant, bool) {
	for _, s := range k.Spec {
		if s.Name == name {
			return s, true
		}
	}
	return SpecConstant{}, false
}

// StateWords is the number of words of a scan state in the kernel's buffers; 0 for
// kernels without states.
func (k *Kernel) StateWords() uint32 {
	s, _ := k.SpecConstant("state_size")
	return s.Default
}

var cache = struct {
	sync.Mutex
	kernels map[string]*Kernel
}{kernels: map[string]*Kernel{}}

// Lookup finds a kernel. It fails for a name that variants.txt does not list, and
// for a SPIR-V file whose interface breaks the rules above.
func Lookup(name string) (*Kernel, error) {
	cache.Lock()
	defer cache.Unlock()
	if k, ok := cache.kernels[name]; ok {
		return k, nil
	}
	spirv, err := files.ReadFile("spv/" + name + ".spv")
	if err != nil {
		return nil, fmt.Errorf("shaders: no kernel %q", name)
	}
	k, err := describe(name, spirv)
	if err != nil {
		return nil, fmt.Errorf("shaders: %s: %w", name, err)
	}
	cache.kernels[name] = k
	return k, nil
}

// Names lists the kernels in alphabetical order.
func Names() []string {
	entries, err := files.ReadDir("spv")
	if err != nil {
		return nil // cannot be: the folder is embedded
	}
	var names []string
	for _, e := range entries {
		names = append(names, strings.TrimSuffix(e.Name(), ".spv"))
	}
	slices.Sort(names)
	return names
}
