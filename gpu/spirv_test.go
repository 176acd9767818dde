package gpu

import (
	"encoding/binary"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

func loadModule(t *testing.T, name string) *module {
	t.Helper()
	code, err := os.ReadFile("testdata/" + name + ".spv")
	require.NoError(t, err)
	m, err := parseModule(code)
	require.NoError(t, err)
	return m
}

// all, some and none are FloatControls for the three widths.
var (
	every   = FloatControls{true, true, true}
	nothing = FloatControls{}
)

func offering(w16, w32, w64 FloatControls) floatSupport {
	return floatSupport{[3]FloatControls{w16, w32, w64}, independentAll, independentAll}
}

// added are the instructions that are in the words but not in the module.
func added(t *testing.T, m *module, words []uint32) (capabilities []uint32, extensions []string, modes [][2]uint32) {
	t.Helper()
	after, err := parseModule(wordBytes(words))
	require.NoError(t, err)
	require.Equal(t, m.capabilities, after.capabilities[:len(m.capabilities)])
	require.Equal(t, m.modes, after.modes[:len(m.modes)])
	require.Equal(t, m.words[m.endModes:], words[after.endModes:], "the rest is unchanged")
	return after.capabilities[len(m.capabilities):], after.extensions[len(m.extensions):], after.modes[len(m.modes):]
}

func TestFloatControlWords(t *testing.T) {
	single, double, integer := loadModule(t, "float"), loadModule(t, "double"), loadModule(t, "add")
	allCapabilities := []uint32{capabilityRoundToEven, capabilitySpecialsPreserve, capabilityDenormPreserve}
	modesOf := func(widths ...uint32) (modes [][2]uint32) {
		for _, mode := range []uint32{modeRoundToEven, modeSpecialsPreserve, modeDenormPreserve} {
			for _, width := range widths {
				modes = append(modes, [2]uint32{mode, width})
			}
		}
		return modes
	}
	for name, test := range map[string]struct {
		m            *module
		support      floatSupport
		capabilities []uint32
		modes        [][2]uint32
	}{
		"all widths offered, one used": {single, offering(every, every, every), allCapabilities, modesOf(32)},
		"two used":                     {double, offering(every, every, every), allCapabilities, modesOf(32, 64)},
		"none used":                    {integer, offering(every, every, every), nil, nil},
		"nothing offered":              {double, offering(nothing, nothing, nothing), nil, nil},
		"another width offered":        {single, offering(every, nothing, every), nil, nil},
		"only subnormals": {single, offering(nothing, FloatControls{PreserveDenormals: true}, nothing),
			[]uint32{capabilityDenormPreserve}, [][2]uint32{{modeDenormPreserve, 32}}},
		"as lavapipe": {double, offering(nothing, FloatControls{true, true, false}, FloatControls{true, true, false}),
			allCapabilities[:2], modesOf(32, 64)[:4]},
		"one width of two": {double, offering(nothing, nothing, every), allCapabilities, modesOf(64)},
		"must agree, do not": {double, floatSupport{[3]FloatControls{{}, nothing, every}, independentNone, independentNone},
			[]uint32{capabilitySpecialsPreserve}, [][2]uint32{{modeSpecialsPreserve, 64}}},
		"must agree, do": {double, floatSupport{[3]FloatControls{{}, every, every}, independentNone, independentNone},
			allCapabilities, modesOf(32, 64)},
		"unused width does not count": {single, floatSupport{[3]FloatControls{{}, every, {}}, independentNone, independentNone},
			allCapabilities, modesOf(32)},
		"32 may differ": {double, floatSupport{[3]FloatControls{{}, nothing, every}, independent32, independent32},
			allCapabilities, modesOf(64)},
	} {
		t.Run(name, func(t *testing.T) {
			words := test.m.withFloatControls(test.support)
			capabilities, extensions, modes := added(t, test.m, words)
			require.Equal(t, append([]uint32{}, test.capabilities...), append([]uint32{}, capabilities...))
			require.Equal(t, append([][2]uint32{}, test.modes...), append([][2]uint32{}, modes...))
			if test.modes == nil {
				require.Equal(t, test.m.words, words)
				require.Empty(t, extensions)
			} else {
				require.Equal(t, []string{floatControlsExtension}, extensions)
			}
			validate(t, words)
			again, err := parseModule(wordBytes(words))
			require.NoError(t, err)
			require.Equal(t, words, again.withFloatControls(test.support), "nothing is declared twice")
		})
	}
}

func TestFloatControlRawWords(t *testing.T) {
	m := loadModule(t, "float")
	words := m.withFloatControls(offering(nothing, FloatControls{PreserveDenormals: true}, nothing))
	require.Equal(t, []uint32{2<<16 | 17, 4464}, words[m.endCapability:][:2], "OpCapability DenormPreserve")
	require.Equal(t, []uint32{7<<16 | 10, 0x5f565053, 0x5f52484b, 0x616f6c66, 0x6f635f74, 0x6f72746e, 0x736c},
		words[m.endExtension+2:][:7], "OpExtension SPV_KHR_float_controls")
	require.Equal(t, []uint32{4<<16 | 16, m.entryPoint, 4459, 32}, words[m.endModes+9:][:4], "OpExecutionMode DenormPreserve 32")
	require.Len(t, words, len(m.words)+2+7+4)

	newer := append([]uint32{}, m.words...)
	newer[1] = spirvVersion14
	m14, err := parseModule(wordBytes(newer))
	require.NoError(t, err)
	require.Len(t, m14.withFloatControls(offering(nothing, every, nothing)), len(newer)+3*2+3*4, "core since SPIR-V 1.4")
}

// validate runs spirv-val over the words.
func validate(t *testing.T, words []uint32) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "module.spv")
	require.NoError(t, os.WriteFile(path, wordBytes(words), 0o600))
	out, err := exec.Command("spirv-val", "--target-env", "vulkan1.1", path).CombinedOutput()
	require.NoError(t, err, string(out))
}

// Every binding of a kernel says that it may share memory, once, and the module stays
// valid.
func TestAliasingIsDeclared(t *testing.T) {
	for _, name := range []string{"scan_outputs_lane_cumsum_f16", "scan_outputs_columns_cumsum_f64", "scan_lookback_cumsum_f32", "nll_runs_lane_f32", "copy"} {
		code, err := os.ReadFile(filepath.Join("..", "shaders", "spv", name+".spv"))
		require.NoError(t, err)
		m, err := parseModule(code)
		require.NoError(t, err)
		require.GreaterOrEqual(t, len(m.buffers), 2, name)
		before := len(m.words)
		m.declareAliasing()
		require.Len(t, m.words, before+3*len(m.buffers), name)
		m.declareAliasing()
		require.Len(t, m.words, before+3*len(m.buffers), name)
		after, err := parseModule(wordBytes(m.words))
		require.NoError(t, err)
		require.Equal(t, m.buffers, after.settled, name)
		validate(t, m.words)
	}
}

// What pipelines are built from has both the decorations and the float modes.
func TestDriversGetAliasingAndFloatModes(t *testing.T) {
	code, err := os.ReadFile(filepath.Join("..", "shaders", "spv", "scan_outputs_lane_cumsum_f32.spv"))
	require.NoError(t, err)
	m, err := parseModule(code)
	require.NoError(t, err)
	words := m.code(offering(nothing, every, nothing))
	after, err := parseModule(wordBytes(words))
	require.NoError(t, err)
	require.GreaterOrEqual(t, len(after.buffers), 2)
	require.Equal(t, after.buffers, after.settled, "every binding is Aliased")
	for _, mode := range []uint32{modeRoundToEven, modeSpecialsPreserve, modeDenormPreserve} {
		require.Contains(t, after.modes, [2]uint32{mode, 32})
	}
	validate(t, words)
}

func TestMalformedModules(t *testing.T) {
	code, err := os.ReadFile("testdata/add.spv")
	require.NoError(t, err)
	for name, bad := range map[string][]byte{
		"empty": {}, "header cut": code[:16], "odd length": code[:len(code)-1], "no entry point": code[:20],
		"big endian": {7, 0x23, 2, 3, 0, 1, 3, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0},
	} {
		_, err := parseModule(bad)
		require.ErrorIs(t, err, ErrInvalid, name)
	}
	// Changed words must never lead outside the module.
	for at := 20; at+4 <= len(code); at += 4 {
		for _, word := range []uint32{0, 1 << 16, 1<<16 | opCapability, 1<<16 | opExtension, 2<<16 | opEntryPoint, 1<<16 | opTypeFloat, 1<<16 | opVariable, 2<<16 | opDecorate, 0xffffffff} {
			bad := append([]byte{}, code...)
			binary.LittleEndian.PutUint32(bad[at:], word)
			if m, err := parseModule(bad); err == nil {
				m.declareAliasing()
				m.withFloatControls(offering(every, every, every))
			}
		}
	}
}

func TestCapabilitiesNeedFeatures(t *testing.T) {
	m := loadModule(t, "double")
	require.NoError(t, m.checkCapabilities("double", &Caps{Float64: true}))
	err := m.checkCapabilities("double", &Caps{})
	require.ErrorIs(t, err, ErrUnsupported)
	require.ErrorContains(t, err, "shaderFloat64")
}
