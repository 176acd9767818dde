package host

import (
	"encoding/binary"
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestLitmusOfTheDevice(t *testing.T) {
	rt, v := openTested(t)
	checks := rt.Device().Litmus
	require.NotEmpty(t, checks)
	for _, c := range checks {
		t.Logf("%-40s %s", c.Name, c.Found)
		assert.True(t, c.Pass || !c.Required, "%s: %s", c.Name, c.Found)
	}
	assert.True(t, rt.Device().Trusted())
	assert.Equal(t, v.info.Caps.Float64, strings.HasPrefix(checks[len(checks)-1].Name, "float64"))
}

// TestLitmusCatchesFaults judges results of arithmetic with one fault at a time.
func TestLitmusCatchesFaults(t *testing.T) {
	faults := map[string]func(trial[float32]) [5]float32{
		"float32 does not contract a*b+c": func(t trial[float32]) [5]float32 {
			fused := float32(math.FMA(float64(t.a), float64(t.b), float64(t.c)))
			return [5]float32{t.a + t.b, t.a - t.b, t.a * t.b, fused, convert(t.a)}
		},
		"float32 rounds to nearest even": func(t trial[float32]) [5]float32 {
			sum := t.a + t.b // to odd instead, where the sum is not exact
			if exact := float64(t.a) + float64(t.b); float64(sum) != exact && !math.IsNaN(exact) && !math.IsInf(float64(sum), 0) {
				sum = math.Float32frombits(math.Float32bits(sum) | 1)
			}
			return [5]float32{sum, t.a - t.b, t.a * t.b, float32(t.a*t.b) + t.c, convert(t.a)}
		},
		"float32 keeps the sign of zero": func(t trial[float32]) [5]float32 {
			sum := t.a
			if t.b != 0 {
				sum += t.b // x + 0 is taken for x
			}
			return [5]float32{sum, t.a - t.b, t.a * t.b, float32(t.a*t.b) + t.c, convert(t.a)}
		},
		"float32 makes and keeps NaN": func(t trial[float32]) [5]float32 {
			product := t.a * t.b
			if t.b == 0 {
				product = 0 // x * 0 is taken for 0
			}
			return [5]float32{t.a + t.b, t.a - t.b, product, float32(product) + t.c, convert(t.a)}
		},
		"float32 keeps subnormals": func(t trial[float32]) [5]float32 {
			return [5]float32{flush(flush(t.a) + flush(t.b)), flush(flush(t.a) - flush(t.b)), flush(flush(t.a) * flush(t.b)),
				flush(flush(flush(t.a)*flush(t.b)) + flush(t.c)), convert(t.a)}
		},
		"": func(t trial[float32]) [5]float32 {
			return [5]float32{t.a + t.b, t.a - t.b, t.a * t.b, float32(t.a*t.b) + t.c, convert(t.a)}
		},
	}
	for fault, arithmetic := range faults {
		for _, c := range checks32() {
			var found string
			for _, trial := range c.trials {
				var results []byte
				for _, x := range arithmetic(trial) {
					results = binary.LittleEndian.AppendUint32(results, math.Float32bits(x))
				}
				found += judge(trial, results, 4, bits32)
			}
			if name := "float32 " + c.name; name == fault {
				assert.NotEmpty(t, found, "%s is not seen", fault)
			} else if fault == "" || fault == "float32 keeps subnormals" {
				assert.Empty(t, found, "%s: without a fault", name)
			}
		}
	}
}

func convert(x float32) float32 { return float32(int32(math.Float32bits(x))) }

func flush(x float32) float32 {
	if math.Abs(float64(x)) < 0x1p-126 {
		return float32(math.Copysign(0, float64(x)))
	}
	return x
}
