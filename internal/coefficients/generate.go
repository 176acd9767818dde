package coefficients

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"
	"unicode"
)

//go:generate go run ./generate

const notice = "Code generated from internal/coefficients; DO NOT EDIT."

// Files are the generated texts by path below the module's root.
func Files() map[string][]byte {
	return map[string][]byte{
		"shaders/include/coefficients.glsl": glslText(),
		"cpuref/coefficients.go":            goText(),
	}
}

// glslText writes numbers with 17 decimal digits, which the compiler reads back
// exactly and keeps as constants.
func glslText() []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, "// %s\n#ifndef VKOPS_COEFFICIENTS_GLSL\n#define VKOPS_COEFFICIENTS_GLSL\n", notice)
	for _, l := range []language{glslDouble, glslFloat} {
		fmt.Fprintf(&b, "\n%s\n\n", l.opening)
		for _, c := range Constants {
			fmt.Fprintf(&b, "// %s\nconst %s %s = %s;\n", c.Doc, l.real, upperSnake(c.Name), l.literal(l.value(c)))
		}
		for _, p := range Polynomials {
			name := strings.ToLower(upperSnake(p.Name))
			fmt.Fprintf(&b, "\n// %s %s\n", name, comment(p.Doc))
			l.glslFunction(&b, name, p)
			if !l.wide {
				b.WriteString("\n// The same of four arguments, whose chains of operations do not wait for each other.\n")
				glslFloats.glslFunction(&b, name, p)
			}
		}
	}
	b.WriteString("\n#endif\n\n#endif\n")
	return b.Bytes()
}

func (l language) glslFunction(b *bytes.Buffer, name string, p Polynomial) {
	fmt.Fprintf(b, "%s %s(%s x) {\n", l.real, name, l.real)
	for _, s := range l.evaluate(p) {
		fmt.Fprintf(b, "    %s;\n", s)
	}
	b.WriteString("}\n")
}

func goText() []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, "// %s\n\npackage cpuref\n", notice)
	for _, l := range []language{goFloat32, goFloat64} {
		b.WriteString("\nconst (\n")
		for _, c := range Constants {
			fmt.Fprintf(&b, "\t// %s\n\t%s%s = %s\n", c.Doc, c.Name, l.suffix, l.literal(l.value(c)))
		}
		b.WriteString(")\n")
		for _, p := range Polynomials {
			name := p.Name + l.suffix
			fmt.Fprintf(&b, "\n// %s %s\nfunc %s(x %s) %s {\n", name, comment(p.Doc), name, l.real, l.real)
			for _, s := range l.evaluate(p) {
				fmt.Fprintf(&b, "\t%s\n", s)
			}
			b.WriteString("}\n")
			if !l.wide {
				b.WriteString(l.fourAtOnce(p, name))
			}
		}
	}
	return b.Bytes()
}

// fourAtOnce is the polynomial of four arguments, whose chains of operations do not
// wait for each other. The one of a single argument is written beside it even where the twin
// has no use for it now: it is the function that the kernels' is read against.
func (l language) fourAtOnce(p Polynomial, name string) string {
	var chains [4][]string
	for i := range chains {
		c := make([]float64, len(p.F32))
		for j, x := range p.F32 {
			c[j] = float64(x)
		}
		chains[i] = l.horner(fmt.Sprint("p", i), fmt.Sprint("x", i), c)
	}
	var b strings.Builder
	fmt.Fprintf(&b, "\n// %sx4 is %s of four arguments.\n", name, name)
	fmt.Fprintf(&b, "func %sx4(x0, x1, x2, x3 %s) (_, _, _, _ %s) {\n", name, l.real, l.real)
	for step := range chains[0] {
		for _, chain := range chains {
			fmt.Fprintf(&b, "\t%s\n", chain[step])
		}
	}
	b.WriteString("\treturn p0, p1, p2, p3\n}\n")
	return b.String()
}

// language is how one target writes one precision.
type language struct {
	real, opening, suffix string
	wide                  bool
	literal               func(x float64) string
	declare               func(name, value string) string
	multiplyAdd           func(a, b, c string) string
}

var (
	glslFloat  = glsl("float", "#else", "", false)
	glslFloats = glslVector("vec4")
	glslDouble = glsl("double", "#if defined(DTYPE_F64)", "lf", true)
	goFloat32  = golang("float32", "32", false)
	goFloat64  = golang("float64", "64", true)
)

func glsl(real, opening, ending string, wide bool) language {
	return language{
		real: real, opening: opening, wide: wide,
		literal: func(x float64) string {
			return strconv.FormatFloat(x, 'e', 16, 64) + ending
		},
		declare:     func(name, value string) string { return "precise " + real + " " + name + " = " + value },
		multiplyAdd: func(a, b, c string) string { return a + " * " + b + " + " + c },
	}
}

// glslVector writes every number as a vector: the product of a vector and a scalar is
// an operation of its own, which the rules of exact arithmetic do not know.
func glslVector(real string) language {
	l := glsl(real, "", "", false)
	scalar := l.literal
	l.literal = func(x float64) string { return real + "(" + scalar(x) + ")" }
	return l
}

func golang(real, suffix string, wide bool) language {
	bits := 32
	if wide {
		bits = 64
	}
	return language{
		real: real, suffix: suffix, wide: wide,
		literal: func(x float64) string { return strconv.FormatFloat(x, 'x', -1, bits) },
		declare: func(name, value string) string { return name + " := " + real + "(" + value + ")" },
		// The conversion rounds the product, so that no compiler may fuse.
		multiplyAdd: func(a, b, c string) string { return real + "(" + a + "*" + b + ") + " + c },
	}
}

func (l language) value(c Constant) float64 {
	if l.wide {
		return c.F64
	}
	return float64(c.F32)
}

// evaluate is the body of a polynomial's function: Horner's rule, which for the
// long ones runs in x^2 over even and odd powers, to halve the chain of
// dependent operations.
func (l language) evaluate(p Polynomial) []string {
	if !l.wide {
		c := make([]float64, len(p.F32))
		for i, x := range p.F32 {
			c[i] = float64(x)
		}
		return append(l.horner("p", "x", c), "return p")
	}
	var even, odd []float64
	for i, x := range p.F64 {
		if i%2 == 0 {
			even = append(even, x)
		} else {
			odd = append(odd, x)
		}
	}
	body := []string{l.declare("square", "x * x")}
	body = append(body, l.horner("even", "square", even)...)
	body = append(body, l.horner("odd", "square", odd)...)
	return append(body, l.declare("p", l.multiplyAdd("odd", "x", "even")), "return p")
}

func (l language) horner(name, x string, c []float64) []string {
	last := len(c) - 1
	body := []string{l.declare(name, l.literal(c[last]))}
	for i := last - 1; i >= 0; i-- {
		body = append(body, name+" = "+l.multiplyAdd(name, x, l.literal(c[i])))
	}
	return body
}

func comment(doc string) string { return strings.ReplaceAll(doc, "\n", "\n// ") }

// upperSnake turns logPolynomial into LOG_POLYNOMIAL and log2E into LOG2_E.
func upperSnake(name string) string {
	var b strings.Builder
	for i, r := range name {
		if unicode.IsUpper(r) && i > 0 {
			b.WriteByte('_')
		}
		b.WriteRune(unicode.ToUpper(r))
	}
	return b.String()
}
