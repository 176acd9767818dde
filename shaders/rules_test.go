package shaders

import (
	"encoding/binary"
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// The same bits on every device need operations that every device rounds the same
// way, each on its own. These opcodes and limits are from the SPIR-V and the
// GLSL.std.450 specifications.
const (
	opExtInst         = 12
	opSpecConstantOp  = 52
	opFAdd            = 129
	opFSub            = 131
	opFMul            = 133
	opFDiv            = 136
	noContraction     = 42
	extPackDouble     = 59
	extUnpackDouble   = 65
	extInstSqrt       = 31
	capabilityShader  = 1
	capabilityFloat64 = 10
	sampledBuffer     = 46
)

// refusedOps may be rounded, reordered or approximated by a driver, or depend on
// the subgroup.
var refusedOps = func() map[uint16]string {
	ops := map[uint16]string{
		136: "FDiv", 140: "FRem", 141: "FMod",
		142: "VectorTimesScalar", 143: "MatrixTimesScalar", 144: "VectorTimesMatrix", 145: "MatrixTimesVector",
		146: "MatrixTimesMatrix", 147: "OuterProduct", 148: "Dot",
		115: "FConvert", 116: "QuantizeToF16",
		73: "DecorationGroup", 74: "GroupDecorate", // would hide decorations from this test
	}
	for op := uint16(86); op <= 107; op++ { // only OpImageFetch moves bits and no more
		if op != 95 {
			ops[op] = "image operation"
		}
	}
	for op := uint16(259); op <= 271; op++ {
		ops[op] = "group operation"
	}
	for op := uint16(333); op <= 366; op++ {
		ops[op] = "subgroup operation"
	}
	return ops
}()

// allowedExtInsts work on integers or move bits.
var allowedExtInsts = []uint32{
	5, 7, // SAbs, SSign
	38, 39, 41, 42, 44, 45, // UMin, SMin, UMax, SMax, UClamp, SClamp
	extPackDouble, extUnpackDouble,
	73, 74, 75, // FindILsb, FindSMsb, FindUMsb
}

// violations lists what breaks the rules of exact arithmetic in a module.
func violations(spirv []byte) ([]string, error) {
	all, err := instructions(spirv)
	if err != nil {
		return nil, err
	}
	exact := map[uint32]bool{}
	for _, in := range all {
		if in.op == opDecorate && in.args[1] == noContraction {
			exact[in.args[0]] = true
		}
	}
	var bad []string
	for _, in := range all {
		switch in.op {
		case opFAdd, opFSub, opFMul:
			if !exact[in.args[1]] {
				bad = append(bad, fmt.Sprintf("%%%d (opcode %d) lacks NoContraction", in.args[1], in.op))
			}
		case opExtInst:
			if !slices.Contains(allowedExtInsts, in.args[3]) {
				bad = append(bad, fmt.Sprintf("extended instruction %d", in.args[3]))
			}
		case opSpecConstantOp:
			if op := uint16(in.args[2]); op >= 127 && op <= 148 && op != 128 && op != 130 && op != 132 && !integerDivision(op) {
				bad = append(bad, fmt.Sprintf("float operation %d on specialization constants", op))
			}
		case opCapability:
			if c := in.args[0]; c != capabilityShader && c != capabilityFloat64 && c != sampledBuffer {
				bad = append(bad, fmt.Sprintf("capability %d", c))
			}
		default:
			if name, refused := refusedOps[in.op]; refused {
				bad = append(bad, name)
			}
		}
	}
	return bad, nil
}

// integerDivision tells UDiv, SDiv, UMod, SRem and SMod.
func integerDivision(op uint16) bool { return op == 134 || op == 135 || op >= 137 && op <= 139 }

func TestKernelsUseOnlyExactArithmetic(t *testing.T) {
	for _, name := range Names() {
		k, err := Lookup(name)
		require.NoError(t, err)
		bad, err := violations(k.SPIRV)
		require.NoError(t, err)
		if name == "litmus_f64" { // tries what no other kernel may use
			bad = slices.DeleteFunc(bad, func(what string) bool { return what == "FConvert" })
		}
		assert.Empty(t, bad, name)
	}
}

// Each fault is put into a good kernel, and the rules must see it.
func TestRulesSeeFaults(t *testing.T) {
	k, err := Lookup("scan_outputs_lane_cumsum_f32")
	require.NoError(t, err)
	good, err := violations(k.SPIRV)
	require.NoError(t, err)
	require.Empty(t, good)

	faults := map[string]func(op uint16, at []uint32) bool{
		"a precise left out": func(op uint16, at []uint32) bool {
			if op == opDecorate && at[2] == noContraction {
				at[2] = 0 // RelaxedPrecision
				return true
			}
			return false
		},
		"a division": func(op uint16, at []uint32) bool {
			if op == opFAdd {
				at[0] = at[0]&^0xffff | opFDiv
				return true
			}
			return false
		},
		"an integer addition made a dot product": func(op uint16, at []uint32) bool {
			if op == 128 {
				at[0] = at[0]&^0xffff | 148
				return true
			}
			return false
		},
		"a square root": func(op uint16, at []uint32) bool {
			if op == opExtInst {
				at[4] = extInstSqrt
				return true
			}
			return false
		},
		"16-bit floats": func(op uint16, at []uint32) bool {
			if op == opCapability {
				at[1] = 9
				return true
			}
			return false
		},
	}
	for name, fault := range faults {
		words := make([]uint32, len(k.SPIRV)/4)
		for i := range words {
			words[i] = binary.LittleEndian.Uint32(k.SPIRV[4*i:])
		}
		for at := 5; at < len(words); at += int(words[at] >> 16) {
			if fault(uint16(words[at]), words[at:]) {
				break
			}
		}
		var spirv []byte
		for _, word := range words {
			spirv = binary.LittleEndian.AppendUint32(spirv, word)
		}
		require.NotEqual(t, k.SPIRV, spirv, name)
		bad, err := violations(spirv)
		require.NoError(t, err)
		assert.NotEmpty(t, bad, name)
	}
}
