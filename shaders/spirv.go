package shaders

import (
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// The opcodes, decorations and storage classes that are read here, from the SPIR-V
// specification, version 1.3.
const (
	opName           = 5
	opMemberName     = 6
	opCapability     = 17
	opTypeImage      = 25
	opTypePointer    = 32
	opTypeStruct     = 30
	opSpecConstant   = 50
	opVariable       = 59
	opDecorate       = 71
	opMemberDecorate = 72

	decorationSpecID        = 1
	decorationNonWritable   = 24
	decorationBinding       = 33
	decorationDescriptorSet = 34
	decorationOffset        = 35

	storageUniformConstant = 0
	storageUniform         = 2
	storagePushConstant    = 9
	storageBuffer          = 12

	dimBuffer = 5
)

const spirvMagic = 0x07230203

var errSPIRV = errors.New("malformed SPIR-V")

// instruction is an opcode with its operands.
type instruction struct {
	op   uint16
	args []uint32
}

// instructions splits a module, given as little-endian words.
func instructions(spirv []byte) ([]instruction, error) {
	if len(spirv)%4 != 0 || len(spirv) < 20 || binary.LittleEndian.Uint32(spirv) != spirvMagic {
		return nil, errSPIRV
	}
	words := make([]uint32, len(spirv)/4)
	for i := range words {
		words[i] = binary.LittleEndian.Uint32(spirv[4*i:])
	}
	var all []instruction
	for rest := words[5:]; len(rest) > 0; {
		length := int(rest[0] >> 16)
		if length == 0 || length > len(rest) {
			return nil, errSPIRV
		}
		all = append(all, instruction{uint16(rest[0]), rest[1:length]})
		rest = rest[length:]
	}
	return all, nil
}

// text reads a string operand.
func text(args []uint32) string {
	var b []byte
	for _, word := range args {
		for ; word != 0; word >>= 8 {
			b = append(b, byte(word))
		}
	}
	return string(b)
}

// member is a struct type's member.
type member struct{ id, index uint32 }

// module is what the interface is read from, by result id.
type module struct {
	names       map[uint32]string
	memberNames map[member]string
	decorations map[uint32]map[uint32]uint32 // id, decoration: its operand
	offsets     map[member]uint32
	readOnly    map[uint32]bool   // struct types with a read-only member
	structs     map[uint32]int    // number of members
	pointees    map[uint32]uint32 // pointer type: the type it points to
	texels      map[uint32]bool   // image types that are uniform texel buffers
}

// describe reads a kernel's interface.
func describe(name string, spirv []byte) (*Kernel, error) {
	all, err := instructions(spirv)
	if err != nil {
		return nil, err
	}
	m := module{
		map[uint32]string{}, map[member]string{}, map[uint32]map[uint32]uint32{},
		map[member]uint32{}, map[uint32]bool{}, map[uint32]int{}, map[uint32]uint32{}, map[uint32]bool{},
	}
	k := &Kernel{Name: name, SPIRV: spirv}
	for i := range all {
		in := &all[i]
		if need := minArgs[in.op]; len(in.args) < need {
			return nil, errSPIRV
		}
		m.collect(in)
		switch in.op {
		case opCapability:
			k.Capabilities = append(k.Capabilities, capabilityName(in.args[0]))
		case opSpecConstant:
			if err := m.addSpecConstant(k, in); err != nil {
				return nil, err
			}
		case opVariable:
			if err := m.addVariable(k, in); err != nil {
				return nil, err
			}
		}
	}
	slices.SortFunc(k.Bindings, func(a, b Binding) int { return cmp.Compare(a.Index, b.Index) })
	slices.SortFunc(k.Spec, func(a, b SpecConstant) int { return cmp.Compare(a.ID, b.ID) })
	return k, nil
}

// minArgs is the number of operands without which the code here cannot read an
// instruction.
var minArgs = map[uint16]int{
	opName: 2, opMemberName: 3, opCapability: 1, opTypePointer: 3, opTypeStruct: 1,
	opSpecConstant: 3, opVariable: 3, opDecorate: 2, opMemberDecorate: 3,
	opTypeImage: 8,
}

// collect remembers names, decorations and types.
func (m *module) collect(in *instruction) {
	a := in.args
	switch in.op {
	case opName:
		m.names[a[0]] = text(a[1:])
	case opMemberName:
		m.memberNames[member{a[0], a[1]}] = text(a[2:])
	case opDecorate:
		if m.decorations[a[0]] == nil {
			m.decorations[a[0]] = map[uint32]uint32{}
		}
		if len(a) > 2 {
			m.decorations[a[0]][a[1]] = a[2]
		}
	case opMemberDecorate:
		switch {
		case a[2] == decorationOffset && len(a) > 3:
			m.offsets[member{a[0], a[1]}] = a[3]
		case a[2] == decorationNonWritable:
			m.readOnly[a[0]] = true
		}
	case opTypeStruct:
		m.structs[a[0]] = len(a) - 1
	case opTypeImage:
		m.texels[a[0]] = a[2] == dimBuffer && a[6] == 1
	case opTypePointer:
		m.pointees[a[0]] = a[2]
	}
}

func (m *module) addSpecConstant(k *Kernel, in *instruction) error {
	id, ok := m.decorations[in.args[1]][decorationSpecID]
	if !ok {
		return nil
	}
	name := m.names[in.args[1]]
	if id == 0 {
		name = "workgroup_size" // GLSL gives the constant of local_size_x_id no name
	}
	if name == "" {
		return fmt.Errorf("specialization constant %d has no name", id)
	}
	k.Spec = append(k.Spec, SpecConstant{name, id, in.args[2]})
	return nil
}

func (m *module) addVariable(k *Kernel, in *instruction) error {
	pointer, id, class := in.args[0], in.args[1], in.args[2]
	switch class {
	case storagePushConstant:
		block := m.pointees[pointer]
		for i := range uint32(m.structs[block]) {
			f := Field{m.memberNames[member{block, i}], m.offsets[member{block, i}]}
			k.Push = append(k.Push, f)
			k.PushBytes = max(k.PushBytes, f.Offset+4)
		}
	case storageBuffer, storageUniform:
		return m.addBinding(k, id, Binding{ReadOnly: m.readOnly[m.pointees[pointer]]})
	case storageUniformConstant:
		if !m.texels[m.pointees[pointer]] {
			return fmt.Errorf("%q is no uniform texel buffer", m.names[id])
		}
		for suffix, bytes := range TexelSuffixes {
			if strings.HasSuffix(m.names[id], suffix) {
				return m.addBinding(k, id, Binding{ReadOnly: true, TexelBytes: bytes})
			}
		}
		return fmt.Errorf("the name of the texel buffer %q does not say how large a texel is", m.names[id])
	}
	return nil
}

// addBinding completes a binding with its name and index.
func (m *module) addBinding(k *Kernel, id uint32, b Binding) error {
	var ok bool
	b.Name = m.names[id]
	b.Index, ok = m.decorations[id][decorationBinding]
	if !ok || m.decorations[id][decorationDescriptorSet] != 0 {
		return fmt.Errorf("buffer %q is not bound in descriptor set 0", b.Name)
	}
	if b.Name == "" {
		return fmt.Errorf("buffer at binding %d has no name", b.Index)
	}
	k.Bindings = append(k.Bindings, b)
	return nil
}

// capabilityNames are the capabilities that kernels may use.
var capabilityNames = map[uint32]string{1: "Shader", 10: "Float64", 11: "Int64", 46: "SampledBuffer"}

func capabilityName(c uint32) string {
	if name, ok := capabilityNames[c]; ok {
		return name
	}
	return fmt.Sprintf("capability(%d)", c)
}
