package cpuref

import (
	"math"
	"math/bits"
)

// pairQuotient is a/b of two pairs, rounded once: to T, or to odd. The quotient
// is computed digit by digit on integers, since devices round their division as
// they like. Twin: shaders/include/quotient.glsl.
func pairQuotient[T real](a, b pair[T], toOdd bool) T {
	dividend, divisor := a.valueOrZero(), b.valueOrZero()
	sign := uint64(0)
	if isNegative(dividend) != isNegative(divisor) {
		sign = 1
	}
	switch {
	case dividend != dividend || divisor != divisor:
		return canonicalNaN[T]()
	case !isFinite(dividend), divisor == 0:
		if dividend == 0 || !isFinite(divisor) {
			return canonicalNaN[T]()
		}
		return T(math.Inf(1 - 2*int(sign)))
	case dividend == 0, !isFinite(divisor):
		return compose[T](sign, 0, 0, toOdd)
	}
	n, exponent := a.magnitude()
	d, divisorExponent := b.magnitude()
	exponent -= divisorExponent
	if n.less(d) {
		n = n.double()
		exponent--
	}
	var q uint64 // quotientBits of it, the first one 1
	last := quotientBits[T]() - 1
	for range last + 1 {
		q <<= 1
		if !n.less(d) {
			n = n.minus(d)
			q |= 1
		}
		n = n.double()
	}
	if n != (uint128{}) {
		q |= 1
	}
	return compose[T](sign, q, exponent-last, toOdd)
}

// mantissaBits is the number of stored bits of a significand.
func mantissaBits[T real]() int {
	if narrow[T]() {
		return 23
	}
	return 52
}

// bias is what exponents are stored with.
func bias[T real]() int {
	if narrow[T]() {
		return 127
	}
	return 1023
}

// quotientBits leaves two bits to round by; the last of them also stands for all
// that follow.
func quotientBits[T real]() int { return mantissaBits[T]() + 3 }

func isNegative[T real](x T) bool { return math.Signbit(float64(x)) }

// decompose writes a finite |x| as m 2^e.
func decompose[T real](x T) (m uint64, e int) {
	var stored uint64
	if narrow[T]() {
		stored = uint64(math.Float32bits(float32(x)) & 0x7fffffff)
	} else {
		stored = math.Float64bits(float64(x)) & math.MaxInt64
	}
	width := mantissaBits[T]()
	m, e = stored&(1<<width-1), int(stored>>width)
	if e == 0 {
		e = 1
	} else {
		m |= 1 << width
	}
	return m, e - bias[T]() - width
}

// compose rounds q 2^e, where q is 0 or has quotientBits bits, to nearest with
// ties to even, or to odd, and puts the sign before it.
func compose[T real](sign, q uint64, e int, toOdd bool) T {
	width, bias := mantissaBits[T](), bias[T]()
	stored := uint64(0)
	if q != 0 {
		exponent := e + quotientBits[T]() - 1 + bias // as stored
		drop := 2 + max(0, 1-exponent)
		if drop > 63 {
			drop = 63
		}
		kept, dropped, half := q>>drop, q&(1<<drop-1), uint64(1)<<(drop-1)
		switch {
		case toOdd && dropped != 0:
			kept |= 1
		case !toOdd && (dropped > half || dropped == half && kept&1 != 0):
			kept++
		}
		stored = kept
		if exponent > 0 { // adding lets a carry out of the significand through
			stored = min(kept+uint64(exponent-1)<<width, uint64(2*bias+1)<<width)
		}
	}
	if narrow[T]() {
		return T(math.Float32frombits(uint32(sign<<31 | stored)))
	}
	return T(math.Float64frombits(sign<<63 | stored))
}

// uint128 is an unsigned integer of two words.
type uint128 struct{ hi, lo uint64 }

func (a uint128) less(b uint128) bool { return a.hi < b.hi || a.hi == b.hi && a.lo < b.lo }

func (a uint128) plus(b uint128) uint128 {
	lo, carry := bits.Add64(a.lo, b.lo, 0)
	hi, _ := bits.Add64(a.hi, b.hi, carry)
	return uint128{hi, lo}
}

func (a uint128) minus(b uint128) uint128 {
	lo, borrow := bits.Sub64(a.lo, b.lo, 0)
	hi, _ := bits.Sub64(a.hi, b.hi, borrow)
	return uint128{hi, lo}
}

func (a uint128) double() uint128 { return uint128{a.hi<<1 | a.lo>>63, a.lo << 1} }

// shifted is m 2^by, with the lowest bit set if bits were lost.
func shifted(m uint64, by int) uint128 {
	switch {
	case by >= 64:
		return uint128{m << (by - 64), 0}
	case by >= 0:
		return uint128{m >> (64 - by), m << by}
	case by > -64 && m>>-by<<-by == m:
		return uint128{0, m >> -by}
	default:
		return uint128{0, m>>min(-by, 64) | 1}
	}
}

// guard is how many bits below hi's last one a pair's integer keeps.
const guard = 60

// magnitude writes |p| of a finite pair other than 0 as m 2^e, with bit 120 of m
// the highest. What lies below the guard bits shows in the lowest bit only.
func (p pair[T]) magnitude() (m uint128, e int) {
	if !isFinite(p.lo) { // without meaning, as in value
		p.lo = 0
	}
	sum := p.hi + p.lo
	rest := sumError(p.hi, p.lo, sum)
	sumM, e := decompose(sum)
	restM, restE := decompose(rest)
	m = shifted(sumM, guard)
	if restM != 0 {
		part := shifted(restM, guard+restE-e)
		if isNegative(rest) == isNegative(sum) {
			m = m.plus(part)
		} else {
			m = m.minus(part)
		}
	}
	e -= guard
	for m.hi>>(120-64) == 0 {
		m = m.double()
		e--
	}
	return m, e
}
