package npy

import (
	"fmt"
	"strconv"
	"strings"

	"vkops/tensor"
)

// descrs are the array-protocol type strings without their byte order.
var descrs = map[tensor.DType]string{
	tensor.F16: "f2", tensor.BF16: "V2", tensor.F32: "f4", tensor.F64: "f8",
	tensor.I32: "i4", tensor.I64: "i8", tensor.U32: "u4", tensor.U64: "u8",
}

// header is the literal {'descr': ..., 'fortran_order': ..., 'shape': ...}.
type header struct {
	descr   string
	fortran bool
	shape   tensor.Shape
}

// elementFormat is what descr means.
type elementFormat struct {
	dtype     tensor.DType
	bigEndian bool
}

func (h header) format(opts Options) (elementFormat, error) {
	if h.descr == "<V2" || h.descr == "|V2" {
		if opts.Void2 == tensor.Invalid {
			return elementFormat{}, fmt.Errorf("%w: element type %q; it may be bfloat16, but only the caller can say so (NPYOptions.Void2, --dtype bfloat16)", ErrUnsupported, h.descr)
		}
		if opts.Void2.Size() != 2 {
			return elementFormat{}, fmt.Errorf("%w: element type %q read as %s", tensor.ErrType, h.descr, opts.Void2)
		}
		return elementFormat{dtype: opts.Void2}, nil
	}
	for dtype, name := range descrs {
		if dtype != tensor.BF16 && (h.descr == "<"+name || h.descr == ">"+name) {
			return elementFormat{dtype, h.descr[0] == '>'}, nil
		}
	}
	return elementFormat{}, fmt.Errorf("%w: %w: %q is none of %v", ErrUnsupported, tensor.ErrType, h.descr, tensor.AllDTypes())
}

// parseHeader reads the Python literal, no other than the three keys in any
// order, and only white space after it.
func parseHeader(text string) (header, error) {
	p := &parser{text: text}
	var h header
	seen := map[string]bool{}
	p.expect('{')
	for p.err == nil && !p.accept('}') {
		key := p.quoted()
		p.expect(':')
		if p.err == nil && seen[key] {
			p.fail("key %q twice", key)
		}
		seen[key] = true
		switch {
		case p.err != nil:
		case key == "descr":
			h.descr = p.quoted()
		case key == "fortran_order":
			h.fortran = p.boolean()
		case key == "shape":
			h.shape = p.tuple()
		default:
			p.fail("unknown key %q", key)
		}
		if !p.accept(',') {
			p.expect('}')
			break
		}
	}
	p.space()
	if p.err == nil && p.at < len(p.text) {
		p.fail("text after the closing brace")
	}
	for _, key := range []string{"descr", "fortran_order", "shape"} {
		if p.err == nil && !seen[key] {
			p.fail("key %q is missing", key)
		}
	}
	return h, p.err
}

// parser keeps the first error; after one, its methods consume nothing.
type parser struct {
	text string
	at   int
	err  error
}

func (p *parser) fail(format string, args ...any) {
	if p.err == nil {
		p.err = fmt.Errorf("%w: header at byte %d: %s", ErrFormat, p.at, fmt.Sprintf(format, args...))
	}
}

func (p *parser) space() {
	for p.at < len(p.text) && strings.IndexByte(" \t\n\r", p.text[p.at]) >= 0 {
		p.at++
	}
}

// accept skips white space and takes c if it is next.
func (p *parser) accept(c byte) bool {
	p.space()
	if p.err != nil || p.at == len(p.text) || p.text[p.at] != c {
		return false
	}
	p.at++
	return true
}

func (p *parser) expect(c byte) {
	if !p.accept(c) {
		p.fail("expected %q", c)
	}
}

// quoted takes a string in single or double quotes, without escapes.
func (p *parser) quoted() string {
	quote := byte('\'')
	if !p.accept(quote) {
		if quote = '"'; !p.accept(quote) {
			p.fail("expected a quoted string")
			return ""
		}
	}
	n := strings.IndexByte(p.text[p.at:], quote)
	if n < 0 {
		p.fail("unfinished string")
		return ""
	}
	s := p.text[p.at : p.at+n]
	if strings.ContainsAny(s, "\\\n") {
		p.fail("escape or line end in a string")
	}
	p.at += n + 1
	return s
}

func (p *parser) boolean() bool {
	p.space()
	for _, word := range []string{"True", "False"} {
		if p.err == nil && strings.HasPrefix(p.text[p.at:], word) {
			p.at += len(word)
			return word == "True"
		}
	}
	p.fail("expected True or False")
	return false
}

// tuple takes (), (3,), (2, 3) or (2, 3,); as in Python, (3) is no tuple.
func (p *parser) tuple() tensor.Shape {
	shape := tensor.Shape{}
	p.expect('(')
	for p.err == nil && !p.accept(')') {
		shape = append(shape, p.dimension())
		if !p.accept(',') {
			if len(shape) == 1 {
				p.fail("expected ',' after the only dimension")
			}
			p.expect(')')
			break
		}
	}
	return shape
}

func (p *parser) dimension() int {
	p.space()
	start := p.at
	if p.at < len(p.text) && p.text[p.at] == '-' {
		p.fail("negative dimension")
	}
	for p.at < len(p.text) && p.text[p.at] >= '0' && p.text[p.at] <= '9' {
		p.at++
	}
	digits := p.text[start:p.at]
	n, err := strconv.Atoi(digits)
	switch {
	case digits == "":
		p.fail("expected a dimension")
	case err != nil:
		p.fail("dimension %s is too large", digits)
	case digits[0] == '0' && digits != "0":
		p.fail("dimension %s starts with 0", digits)
	}
	// Python 2 wrote long integers as 3L.
	if p.at < len(p.text) && p.text[p.at] == 'L' {
		p.at++
	}
	return n
}
