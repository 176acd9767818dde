// Package coefficients is the one table of numbers behind exp and log of the
// kernels and of their Go twin. It writes shaders/include/coefficients.glsl and
// cpuref/coefficients.go; a test compares both files with it.
package coefficients

// Constant is a number that exists in both precisions.
type Constant struct {
	Name string // in Go style
	Doc  string
	F32  float32
	F64  float64
}

// Polynomial lists coefficients from the constant term up.
type Polynomial struct {
	Name string // in Go style
	Doc  string
	F32  []float32
	F64  []float64
}

// Constants are used to take powers of two out of an argument: x is the nearest
// multiple of ln 2 plus a rest, in two steps where x is large. A constant named
// High has so few bits that its product with any multiplier that occurs is exact.
var Constants = []Constant{
	{"log2E", "1/ln 2", 0x1.715476p+0, 0x1.71547652b82fep+0},
	{"ln2High", "the leading bits of ln 2", 0x1.63p-1, 0x1.62e42fp-1},
	{"ln2Low", "ln 2 - ln2High", -0x1.bd0106p-13, 0x1.df473de6af279p-26},
	{"step", "powers of two that the first step of a reduction takes out at a time", 1 << 12, 1 << 28},
	{"log2EPerStep", "1 / (step*ln 2)", 0x1.715476p-12, 0x1.71547652b82fep-28},
	{"stepHigh", "the leading bits of step*ln 2", 0x1.6p+11, 0x1.62e42cp+27},
	{"stepLow", "step*ln 2 - stepHigh", 0x1.7217f8p+4, 0x1.f7d1cf79abc9ep+4},
	{"roundToInteger", "1.5 * 2^(precision-1): adding it rounds to an integer, which its last bits then hold", 0x1.8p+23, 0x1.8p+52},
	{"stepLimit", "arguments below this size are split into powers of two", 1 << 28, 1 << 57},
}

// Polynomials are minimax fits by Remez exchange in 200 bits, with the relative
// error of the whole function as the weight, then rounded, which the errors below include.
var Polynomials = []Polynomial{
	{
		Name: "expPolynomial",
		Doc: "is P with exp(x) = 1 + x + x^2 P(x) for |x| <= ln(2)/2 * 1.01,\n" +
			"with relative error at most 2^-27.6 (float) or 2^-56 (double).",
		F32: []float32{0x1.fffffcp-2, 0x1.55548ap-3, 0x1.555916p-5, 0x1.123fc6p-7, 0x1.6a1aacp-10},
		F64: []float64{
			0x1.000000000000bp-1, 0x1.55555555554f0p-3, 0x1.555555555024ap-5, 0x1.111111112996dp-7,
			0x1.6c16c1859c904p-10, 0x1.a01a01233675fp-13, 0x1.a01995ed91b29p-16, 0x1.71df2ebaa6ac7p-19,
			0x1.28b1679fcc2d3p-22, 0x1.ad7ae068aeff1p-26,
		},
	},
	{
		Name: "logPolynomial",
		Doc: "is P with log(1+x) = x - x^2/2 + x^3 P(x) for sqrt(1/2) <= 1+x <= sqrt(2),\n" +
			"with relative error at most 2^-28 (float) or 2^-57 (double).",
		F32: []float32{
			0x1.555548p-2, -0x1.000006p-2, 0x1.99a4b6p-3, -0x1.555c4ep-3, 0x1.23376ap-3,
			-0x1.fc220ap-4, 0x1.e6f052p-4, -0x1.de3bdep-4, 0x1.145780p-4,
		},
		F64: []float64{
			0x1.555555555556bp-2, -0x1.ffffffffffe7bp-3, 0x1.9999999994dccp-3, -0x1.555555556b1e4p-3,
			0x1.249249275d182p-3, -0x1.fffffff3a59bbp-4, 0x1.c71c702e371eep-4, -0x1.99999aa0d78b3p-4,
			0x1.745d58ce8107cp-4, -0x1.555576b4677dcp-4, 0x1.3b0d78e86e489p-4, -0x1.24894c442d076p-4,
			0x1.1169ff7be6643p-4, -0x1.00cfa2c75825fp-4, 0x1.dc97c4858bb41p-5, -0x1.b45e9bc094184p-5,
			0x1.bbacd08e178d0p-5, -0x1.01068d4211773p-4, 0x1.d2b06a0db596cp-5, -0x1.8dbe6dbf7bcb8p-6,
		},
	},
}
