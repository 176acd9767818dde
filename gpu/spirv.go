package gpu

import (
	"encoding/binary"
	"slices"
)

// Numbers of the SPIR-V specification and of SPV_KHR_float_controls.
const (
	spirvMagic       = 0x07230203
	spirvHeaderWords = 5
	spirvVersion14   = 0x00010400

	opExtension       = 10
	opEntryPoint      = 15
	opExecutionMode   = 16
	opCapability      = 17
	opTypeFloat       = 22
	opFunction        = 54
	opVariable        = 59
	opDecorate        = 71
	opMemberDecorate  = 72
	opExecutionModeID = 331

	capabilityFloat64          = 10
	capabilityInt64            = 11
	capabilityInt16            = 22
	capabilityStorage16        = 4433
	capabilityDenormPreserve   = 4464
	capabilitySpecialsPreserve = 4466
	capabilityRoundToEven      = 4467

	decorationRestrict = 19
	decorationAliased  = 20

	classUniformConstant = 0
	classUniform         = 2
	classStorageBuffer   = 12

	modeDenormPreserve   = 4459
	modeSpecialsPreserve = 4461
	modeRoundToEven      = 4462
)

const floatControlsExtension = "SPV_KHR_float_controls"

// independence is VkShaderFloatControlsIndependence: whether widths may have
// different modes.
type independence uint32

const (
	independent32   independence = iota // only 32-bit may differ from the others
	independentAll                      // each width may differ
	independentNone                     // all widths must agree
)

// floatSupport is what a device offers for widths 16, 32 and 64.
type floatSupport struct {
	widths           [3]FloatControls
	denorm, rounding independence
}

var floatWidths = [3]uint32{16, 32, 64}

// module is a parsed SPIR-V module: the words, and where declarations end.
type module struct {
	words         []uint32
	capabilities  []uint32
	extensions    []string
	entryPoint    uint32
	widths        [3]bool
	modes         [][2]uint32 // (mode, first literal) of the entry point
	buffers       []uint32    // variables in the memory of bindings
	settled       []uint32    // variables that say whether others may be the same memory
	endCapability int
	endExtension  int
	endModes      int
	endDecoration int
}

// parseModule reads the declarations of a SPIR-V module with one entry point.
func parseModule(code []byte) (*module, error) {
	if len(code) < spirvHeaderWords*4 || len(code)%4 != 0 {
		return nil, invalid("SPIR-V of %d bytes", len(code))
	}
	m := &module{words: make([]uint32, len(code)/4), endCapability: spirvHeaderWords}
	for i := range m.words {
		m.words[i] = binary.LittleEndian.Uint32(code[4*i:])
	}
	if m.words[0] != spirvMagic {
		return nil, invalid("SPIR-V starts with %#x instead of %#x", m.words[0], uint32(spirvMagic))
	}
	entryPoints := 0
	for at := spirvHeaderWords; at < len(m.words); {
		op, length := m.words[at]&0xffff, int(m.words[at]>>16)
		if length == 0 || at+length > len(m.words) {
			return nil, invalid("SPIR-V instruction at word %d has length %d", at, length)
		}
		if op == opFunction {
			break
		}
		if op == opEntryPoint {
			entryPoints++
		}
		if err := m.declaration(op, at, m.words[at+1:at+length]); err != nil {
			return nil, err
		}
		at += length
	}
	if entryPoints != 1 {
		return nil, invalid("SPIR-V has %d entry points instead of 1", entryPoints)
	}
	m.endExtension = max(m.endExtension, m.endCapability)
	return m, nil
}

func (m *module) declaration(op uint32, at int, operands []uint32) error {
	least := map[uint32]int{opCapability: 1, opExtension: 1, opEntryPoint: 2, opExecutionMode: 2, opTypeFloat: 2, opVariable: 3, opDecorate: 2}
	if len(operands) < least[op] {
		return invalid("SPIR-V instruction at word %d is cut short", at)
	}
	end := at + 1 + len(operands)
	switch op {
	case opCapability:
		m.capabilities = append(m.capabilities, operands[0])
		m.endCapability = end
	case opExtension:
		m.extensions = append(m.extensions, spirvString(operands))
		m.endExtension = end
	case opEntryPoint:
		m.entryPoint = operands[1]
		m.endModes = end
	case opExecutionMode, opExecutionModeID:
		literal := uint32(0)
		if len(operands) > 2 {
			literal = operands[2]
		}
		m.modes = append(m.modes, [2]uint32{operands[1], literal})
		m.endModes = end
	case opDecorate, opMemberDecorate:
		if op == opDecorate && (operands[1] == decorationAliased || operands[1] == decorationRestrict) {
			m.settled = append(m.settled, operands[0])
		}
		m.endDecoration = end
	case opVariable:
		switch operands[2] {
		case classUniformConstant, classUniform, classStorageBuffer:
			m.buffers = append(m.buffers, operands[1])
		}
	case opTypeFloat:
		if i := slices.Index(floatWidths[:], operands[1]); i >= 0 {
			m.widths[i] = true
		}
	}
	return nil
}

func spirvString(words []uint32) string {
	var bytes []byte
	for _, w := range words {
		for shift := 0; shift < 32; shift += 8 {
			b := byte(w >> shift)
			if b == 0 {
				return string(bytes)
			}
			bytes = append(bytes, b)
		}
	}
	return string(bytes)
}

func spirvStringWords(s string) []uint32 {
	words := make([]uint32, len(s)/4+1)
	for i := range len(s) {
		words[i/4] |= uint32(s[i]) << (i % 4 * 8)
	}
	return words
}

// checkCapabilities refuses modules that need a feature the device lacks.
func (m *module) checkCapabilities(name string, caps *Caps) error {
	for _, need := range []struct {
		capability uint32
		offered    bool
		feature    string
	}{
		{capabilityFloat64, caps.Float64, "shaderFloat64"},
		{capabilityInt64, caps.Int64, "shaderInt64"},
		{capabilityInt16, caps.Int16, "shaderInt16"},
		{capabilityStorage16, caps.Storage16, "storageBuffer16BitAccess"},
	} {
		if !need.offered && slices.Contains(m.capabilities, need.capability) {
			return unsupported("pipeline %s needs %s", name, need.feature)
		}
	}
	return nil
}

// code is the module as a driver gets it: with what GLSL cannot say.
func (m *module) code(support floatSupport) []uint32 {
	m.declareAliasing()
	return m.withFloatControls(support)
}

// withFloatControls is the module's words with every execution mode declared
// that the device offers for the widths the module uses: rounding to nearest
// even, signed zeros, infinities and NaNs kept, subnormals kept.
func (m *module) withFloatControls(support floatSupport) []uint32 {
	var capabilities, modes []uint32
	add := func(capability, mode uint32, apart independence, offered func(FloatControls) bool) {
		widths := agreeing(m.widths, support.widths, apart, offered)
		if widths == [3]bool{} {
			return
		}
		if !slices.Contains(m.capabilities, capability) {
			capabilities = append(capabilities, 2<<16|opCapability, capability)
		}
		for i, width := range floatWidths {
			if widths[i] && !slices.Contains(m.modes, [2]uint32{mode, width}) {
				modes = append(modes, 4<<16|opExecutionMode, m.entryPoint, mode, width)
			}
		}
	}
	add(capabilityRoundToEven, modeRoundToEven, support.rounding, func(c FloatControls) bool { return c.RoundTiesToEven })
	add(capabilitySpecialsPreserve, modeSpecialsPreserve, independentAll, func(c FloatControls) bool { return c.PreserveSpecials })
	add(capabilityDenormPreserve, modeDenormPreserve, support.denorm, func(c FloatControls) bool { return c.PreserveDenormals })

	var extension []uint32
	if len(modes) > 0 && m.words[1] < spirvVersion14 && !slices.Contains(m.extensions, floatControlsExtension) {
		text := spirvStringWords(floatControlsExtension)
		extension = append([]uint32{uint32(len(text)+1)<<16 | opExtension}, text...)
	}
	return slices.Concat(m.words[:m.endCapability], capabilities, m.words[m.endCapability:m.endExtension], extension,
		m.words[m.endExtension:m.endModes], modes, m.words[m.endModes:])
}

// declareAliasing says of every binding that others may be the same memory, as they
// are where an operator works in place and where a buffer has a second view. Without
// it compilers may assume the opposite and move loads across stores; GLSL has no
// word for it.
func (m *module) declareAliasing() {
	if m.endDecoration < m.endModes {
		return // no binding has a number
	}
	var aliased []uint32
	for _, id := range m.buffers {
		if !slices.Contains(m.settled, id) {
			aliased = append(aliased, 3<<16|opDecorate, id, decorationAliased)
		}
	}
	m.settled = append(m.settled, m.buffers...)
	m.words = slices.Insert(m.words, m.endDecoration, aliased...)
}

// agreeing are the used widths that can have a mode, given which widths must
// agree: those that must are declared all together or not at all.
func agreeing(used [3]bool, support [3]FloatControls, apart independence, offered func(FloatControls) bool) [3]bool {
	var widths [3]bool
	for i := range widths {
		widths[i] = used[i]
		for j := range widths {
			together := i == j || apart == independentNone || apart == independent32 && i != 1 && j != 1
			if together && used[j] && !offered(support[j]) {
				widths[i] = false
			}
		}
	}
	return widths
}

func wordBytes(words []uint32) []byte {
	code := make([]byte, 0, 4*len(words))
	for _, w := range words {
		code = binary.LittleEndian.AppendUint32(code, w)
	}
	return code
}
