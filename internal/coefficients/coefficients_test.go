package coefficients

import (
	"math"
	"math/big"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestFilesAreUpToDate(t *testing.T) {
	for path, want := range Files() {
		got, err := os.ReadFile(filepath.Join("../..", path))
		require.NoError(t, err)
		require.Equal(t, string(want), string(got), "%s: run go generate ./internal/coefficients", path)
	}
}

const digits = 300 // bits of the reference values

func number(x float64) *big.Float { return new(big.Float).SetPrec(digits).SetFloat64(x) }

func quotient(a, b *big.Float) *big.Float { return new(big.Float).SetPrec(digits).Quo(a, b) }

func product(a, b *big.Float) *big.Float { return new(big.Float).SetPrec(digits).Mul(a, b) }

func difference(a, b *big.Float) *big.Float { return new(big.Float).SetPrec(digits).Sub(a, b) }

// log is ln(x) = 2 artanh((x-1)/(x+1)) for x near 1.
func log(x *big.Float) *big.Float {
	z := quotient(difference(x, number(1)), difference(x, number(-1)))
	square, power, sum := product(z, z), z, number(0)
	for n := 1; n < 400; n += 2 {
		sum.Add(sum, quotient(power, number(float64(n))))
		power = product(power, square)
	}
	return product(sum, number(2))
}

// exp is the series, for |x| < 1.
func exp(x *big.Float) *big.Float {
	term, sum := number(1), number(1)
	for n := 1; n < 80; n++ {
		term = quotient(product(term, x), number(float64(n)))
		sum.Add(sum, term)
	}
	return sum
}

func TestConstants(t *testing.T) {
	ln2 := log(number(2))
	byName := map[string]Constant{}
	for _, c := range Constants {
		byName[c.Name] = c
	}
	for _, wide := range []bool{false, true} {
		value := func(name string) float64 {
			if wide {
				return byName[name].F64
			}
			return float64(byName[name].F32)
		}
		rounded := func(x *big.Float) float64 {
			if wide {
				f, _ := x.Float64()
				return f
			}
			f, _ := x.Float32()
			return float64(f)
		}
		step := number(value("step"))
		require.Equal(t, rounded(quotient(number(1), ln2)), value("log2E"))
		require.Equal(t, rounded(difference(ln2, number(value("ln2High")))), value("ln2Low"))
		require.Equal(t, rounded(quotient(number(1), product(step, ln2))), value("log2EPerStep"))
		require.Equal(t, rounded(difference(product(step, ln2), number(value("stepHigh")))), value("stepLow"))

		// Products with the multipliers that occur are exact: below step/2 for
		// ln2High, and below limit/(step ln 2) for stepHigh.
		precision := 24
		if wide {
			precision = 53
		}
		bits := func(x float64) int { return int(number(x).MinPrec()) }
		require.LessOrEqual(t, bits(value("ln2High"))+math.Ilogb(value("step")), precision)
		steps := value("stepLimit") * value("log2EPerStep")
		require.LessOrEqual(t, bits(value("stepHigh"))+math.Ilogb(steps)+1, precision)
	}
}

// TestPolynomials measures the error that each fit alone brings to its function.
func TestPolynomials(t *testing.T) {
	evaluate := func(c []float64, x *big.Float) *big.Float {
		p := number(0)
		for i := len(c) - 1; i >= 0; i-- {
			p = product(p, x)
			p.Add(p, number(c[i]))
		}
		return p
	}
	widened := func(c []float32) []float64 {
		out := make([]float64, len(c))
		for i, x := range c {
			out[i] = float64(x)
		}
		return out
	}
	worst := func(lo, hi float64, approximate func(x *big.Float) *big.Float, exact func(x *big.Float) *big.Float) float64 {
		largest := 0.0
		const points = 1500
		for i := range points + 1 {
			x := number(lo + (hi-lo)*float64(i)/points)
			want := exact(x)
			off, _ := quotient(difference(approximate(x), want), want).Float64()
			largest = math.Max(largest, math.Abs(off))
		}
		return math.Log2(largest)
	}
	for i, limits := range [][2]float64{{-27.6, -56}, {-28, -57}} {
		for j, c := range [][]float64{widened(Polynomials[i].F32), Polynomials[i].F64} {
			var off float64
			if i == 0 {
				off = worst(-0.35, 0.35, func(x *big.Float) *big.Float {
					y := product(product(x, x), evaluate(c, x))
					return y.Add(y.Add(y, x), number(1))
				}, exp)
			} else {
				off = worst(math.Sqrt2/2-1, math.Sqrt2-1, func(x *big.Float) *big.Float {
					square := product(x, x)
					y := product(product(square, x), evaluate(c, x))
					return y.Add(y.Add(y, x), product(square, number(-0.5)))
				}, func(x *big.Float) *big.Float { return log(difference(x, number(-1))) })
			}
			t.Logf("%s %d: 2^%.2f", Polynomials[i].Name, j, off)
			require.Less(t, off, limits[j])
		}
	}
}

// TestCompilerKeepsConstants compiles the header and looks for the bits of every
// number in the result.
func TestCompilerKeepsConstants(t *testing.T) {
	compiler, err := exec.LookPath("glslangValidator")
	require.NoError(t, err, "glslangValidator comes with the package glslang-tools")
	for _, wide := range []bool{false, true} {
		dir := t.TempDir()
		source := "#version 450\n#extension GL_GOOGLE_include_directive : require\n#include \"coefficients.glsl\"\n"
		real, define := "float", "DTYPE_F32"
		if wide {
			real, define = "double", "DTYPE_F64"
		}
		source += "layout(local_size_x = 1) in;\nlayout(binding = 0) buffer Out { " + real + " y[]; };\nvoid main() {\n"
		for _, c := range Constants {
			source += "    y[0] += " + upperSnake(c.Name) + ";\n"
		}
		source += "    y[1] = exp_polynomial(y[2]) + log_polynomial(y[3]);\n}\n"
		path := filepath.Join(dir, "constants.comp")
		require.NoError(t, os.WriteFile(path, []byte(source), 0o644))
		out, err := exec.Command(compiler, "-V", "-D"+define, "-I../../shaders/include", path, "-o", path+".spv").CombinedOutput()
		require.NoError(t, err, string(out))
		spirv, err := os.ReadFile(path + ".spv")
		require.NoError(t, err)
		for _, x := range numbers(wide) {
			require.Contains(t, string(spirv), string(littleEndian(x, wide)), "%v is not in the module as it is", x)
		}
	}
}

func numbers(wide bool) (all []float64) {
	for _, c := range Constants {
		if wide {
			all = append(all, c.F64)
		} else {
			all = append(all, float64(c.F32))
		}
	}
	for _, p := range Polynomials {
		if wide {
			all = append(all, p.F64...)
			continue
		}
		for _, x := range p.F32 {
			all = append(all, float64(x))
		}
	}
	return all
}

func littleEndian(x float64, wide bool) []byte {
	bits, size := math.Float64bits(x), 8
	if !wide {
		bits, size = uint64(math.Float32bits(float32(x))), 4
	}
	b := make([]byte, size)
	for i := range b {
		b[i] = byte(bits >> (8 * i))
	}
	return b
}
