// Code generated from internal/coefficients; DO NOT EDIT.

package cpuref

const (
	// 1/ln 2
	log2E32 = 0x1.715476p+00
	// the leading bits of ln 2
	ln2High32 = 0x1.63p-01
	// ln 2 - ln2High
	ln2Low32 = -0x1.bd0106p-13
	// powers of two that the first step of a reduction takes out at a time
	step32 = 0x1p+12
	// 1 / (step*ln 2)
	log2EPerStep32 = 0x1.715476p-12
	// the leading bits of step*ln 2
	stepHigh32 = 0x1.6p+11
	// step*ln 2 - stepHigh
	stepLow32 = 0x1.7217f8p+04
	// 1.5 * 2^(precision-1): adding it rounds to an integer, which its last bits then hold
	roundToInteger32 = 0x1.8p+23
	// arguments below this size are split into powers of two
	stepLimit32 = 0x1p+28
)

// expPolynomial32 is P with exp(x) = 1 + x + x^2 P(x) for |x| <= ln(2)/2 * 1.01,
// with relative error at most 2^-27.6 (float) or 2^-56 (double).
func expPolynomial32(x float32) float32 {
	p := float32(0x1.6a1aacp-10)
	p = float32(p*x) + 0x1.123fc6p-07
	p = float32(p*x) + 0x1.555916p-05
	p = float32(p*x) + 0x1.55548ap-03
	p = float32(p*x) + 0x1.fffffcp-02
	return p
}

// expPolynomial32x4 is expPolynomial32 of four arguments.
func expPolynomial32x4(x0, x1, x2, x3 float32) (_, _, _, _ float32) {
	p0 := float32(0x1.6a1aacp-10)
	p1 := float32(0x1.6a1aacp-10)
	p2 := float32(0x1.6a1aacp-10)
	p3 := float32(0x1.6a1aacp-10)
	p0 = float32(p0*x0) + 0x1.123fc6p-07
	p1 = float32(p1*x1) + 0x1.123fc6p-07
	p2 = float32(p2*x2) + 0x1.123fc6p-07
	p3 = float32(p3*x3) + 0x1.123fc6p-07
	p0 = float32(p0*x0) + 0x1.555916p-05
	p1 = float32(p1*x1) + 0x1.555916p-05
	p2 = float32(p2*x2) + 0x1.555916p-05
	p3 = float32(p3*x3) + 0x1.555916p-05
	p0 = float32(p0*x0) + 0x1.55548ap-03
	p1 = float32(p1*x1) + 0x1.55548ap-03
	p2 = float32(p2*x2) + 0x1.55548ap-03
	p3 = float32(p3*x3) + 0x1.55548ap-03
	p0 = float32(p0*x0) + 0x1.fffffcp-02
	p1 = float32(p1*x1) + 0x1.fffffcp-02
	p2 = float32(p2*x2) + 0x1.fffffcp-02
	p3 = float32(p3*x3) + 0x1.fffffcp-02
	return p0, p1, p2, p3
}

// logPolynomial32 is P with log(1+x) = x - x^2/2 + x^3 P(x) for sqrt(1/2) <= 1+x <= sqrt(2),
// with relative error at most 2^-28 (float) or 2^-57 (double).
func logPolynomial32(x float32) float32 {
	p := float32(0x1.14578p-04)
	p = float32(p*x) + -0x1.de3bdep-04
	p = float32(p*x) + 0x1.e6f052p-04
	p = float32(p*x) + -0x1.fc220ap-04
	p = float32(p*x) + 0x1.23376ap-03
	p = float32(p*x) + -0x1.555c4ep-03
	p = float32(p*x) + 0x1.99a4b6p-03
	p = float32(p*x) + -0x1.000006p-02
	p = float32(p*x) + 0x1.555548p-02
	return p
}

// logPolynomial32x4 is logPolynomial32 of four arguments.
func logPolynomial32x4(x0, x1, x2, x3 float32) (_, _, _, _ float32) {
	p0 := float32(0x1.14578p-04)
	p1 := float32(0x1.14578p-04)
	p2 := float32(0x1.14578p-04)
	p3 := float32(0x1.14578p-04)
	p0 = float32(p0*x0) + -0x1.de3bdep-04
	p1 = float32(p1*x1) + -0x1.de3bdep-04
	p2 = float32(p2*x2) + -0x1.de3bdep-04
	p3 = float32(p3*x3) + -0x1.de3bdep-04
	p0 = float32(p0*x0) + 0x1.e6f052p-04
	p1 = float32(p1*x1) + 0x1.e6f052p-04
	p2 = float32(p2*x2) + 0x1.e6f052p-04
	p3 = float32(p3*x3) + 0x1.e6f052p-04
	p0 = float32(p0*x0) + -0x1.fc220ap-04
	p1 = float32(p1*x1) + -0x1.fc220ap-04
	p2 = float32(p2*x2) + -0x1.fc220ap-04
	p3 = float32(p3*x3) + -0x1.fc220ap-04
	p0 = float32(p0*x0) + 0x1.23376ap-03
	p1 = float32(p1*x1) + 0x1.23376ap-03
	p2 = float32(p2*x2) + 0x1.23376ap-03
	p3 = float32(p3*x3) + 0x1.23376ap-03
	p0 = float32(p0*x0) + -0x1.555c4ep-03
	p1 = float32(p1*x1) + -0x1.555c4ep-03
	p2 = float32(p2*x2) + -0x1.555c4ep-03
	p3 = float32(p3*x3) + -0x1.555c4ep-03
	p0 = float32(p0*x0) + 0x1.99a4b6p-03
	p1 = float32(p1*x1) + 0x1.99a4b6p-03
	p2 = float32(p2*x2) + 0x1.99a4b6p-03
	p3 = float32(p3*x3) + 0x1.99a4b6p-03
	p0 = float32(p0*x0) + -0x1.000006p-02
	p1 = float32(p1*x1) + -0x1.000006p-02
	p2 = float32(p2*x2) + -0x1.000006p-02
	p3 = float32(p3*x3) + -0x1.000006p-02
	p0 = float32(p0*x0) + 0x1.555548p-02
	p1 = float32(p1*x1) + 0x1.555548p-02
	p2 = float32(p2*x2) + 0x1.555548p-02
	p3 = float32(p3*x3) + 0x1.555548p-02
	return p0, p1, p2, p3
}

const (
	// 1/ln 2
	log2E64 = 0x1.71547652b82fep+00
	// the leading bits of ln 2
	ln2High64 = 0x1.62e42fp-01
	// ln 2 - ln2High
	ln2Low64 = 0x1.df473de6af279p-26
	// powers of two that the first step of a reduction takes out at a time
	step64 = 0x1p+28
	// 1 / (step*ln 2)
	log2EPerStep64 = 0x1.71547652b82fep-28
	// the leading bits of step*ln 2
	stepHigh64 = 0x1.62e42cp+27
	// step*ln 2 - stepHigh
	stepLow64 = 0x1.f7d1cf79abc9ep+04
	// 1.5 * 2^(precision-1): adding it rounds to an integer, which its last bits then hold
	roundToInteger64 = 0x1.8p+52
	// arguments below this size are split into powers of two
	stepLimit64 = 0x1p+57
)

// expPolynomial64 is P with exp(x) = 1 + x + x^2 P(x) for |x| <= ln(2)/2 * 1.01,
// with relative error at most 2^-27.6 (float) or 2^-56 (double).
func expPolynomial64(x float64) float64 {
	square := float64(x * x)
	even := float64(0x1.28b1679fcc2d3p-22)
	even = float64(even*square) + 0x1.a01995ed91b29p-16
	even = float64(even*square) + 0x1.6c16c1859c904p-10
	even = float64(even*square) + 0x1.555555555024ap-05
	even = float64(even*square) + 0x1.000000000000bp-01
	odd := float64(0x1.ad7ae068aeff1p-26)
	odd = float64(odd*square) + 0x1.71df2ebaa6ac7p-19
	odd = float64(odd*square) + 0x1.a01a01233675fp-13
	odd = float64(odd*square) + 0x1.111111112996dp-07
	odd = float64(odd*square) + 0x1.55555555554fp-03
	p := float64(float64(odd*x) + even)
	return p
}

// logPolynomial64 is P with log(1+x) = x - x^2/2 + x^3 P(x) for sqrt(1/2) <= 1+x <= sqrt(2),
// with relative error at most 2^-28 (float) or 2^-57 (double).
func logPolynomial64(x float64) float64 {
	square := float64(x * x)
	even := float64(0x1.d2b06a0db596cp-05)
	even = float64(even*square) + 0x1.bbacd08e178dp-05
	even = float64(even*square) + 0x1.dc97c4858bb41p-05
	even = float64(even*square) + 0x1.1169ff7be6643p-04
	even = float64(even*square) + 0x1.3b0d78e86e489p-04
	even = float64(even*square) + 0x1.745d58ce8107cp-04
	even = float64(even*square) + 0x1.c71c702e371eep-04
	even = float64(even*square) + 0x1.249249275d182p-03
	even = float64(even*square) + 0x1.9999999994dccp-03
	even = float64(even*square) + 0x1.555555555556bp-02
	odd := float64(-0x1.8dbe6dbf7bcb8p-06)
	odd = float64(odd*square) + -0x1.01068d4211773p-04
	odd = float64(odd*square) + -0x1.b45e9bc094184p-05
	odd = float64(odd*square) + -0x1.00cfa2c75825fp-04
	odd = float64(odd*square) + -0x1.24894c442d076p-04
	odd = float64(odd*square) + -0x1.555576b4677dcp-04
	odd = float64(odd*square) + -0x1.99999aa0d78b3p-04
	odd = float64(odd*square) + -0x1.fffffff3a59bbp-04
	odd = float64(odd*square) + -0x1.555555556b1e4p-03
	odd = float64(odd*square) + -0x1.ffffffffffe7bp-03
	p := float64(float64(odd*x) + even)
	return p
}
