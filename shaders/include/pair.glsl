// A running sum of floats as an unevaluated pair hi + lo, which keeps about
// twice the precision of REAL. Twin: cpuref/pair.go.
#ifndef VKOPS_PAIR_GLSL
#define VKOPS_PAIR_GLSL

#include "exact.glsl"

struct Pair {
    REAL hi;
    REAL lo;
};

#define PAIR_WORDS (2 * REAL_WORDS)

// The empty sum: both parts are -0, which alone leaves every x as it is, -0 too.
Pair pair_identity() { return Pair(NEGATIVE_ZERO, NEGATIVE_ZERO); }

// The excess of s = a + b over the exact sum. It is the error with its sign
// turned: an exact sum gives +0 here, and lo - 0 keeps a lo of -0.
REAL sum_excess(REAL a, REAL b, REAL s) {
    precise REAL part_of_b = s - a;
    precise REAL part_of_a = s - part_of_b;
    precise REAL excess_a = part_of_a - a;
    precise REAL excess_b = part_of_b - b;
    precise REAL e = excess_a + excess_b;
    return e;
}

Pair pair_take(Pair p, REAL x) {
    precise REAL hi = p.hi + x;
    precise REAL excess = sum_excess(p.hi, x, hi);
    precise REAL lo = p.lo - excess;
    return Pair(hi, lo);
}

// The sum of two parts of a line, a before b.
Pair pair_combine(Pair a, Pair b) {
    precise REAL hi = a.hi + b.hi;
    precise REAL excess = sum_excess(a.hi, b.hi, hi);
    precise REAL lows = a.lo + b.lo;
    precise REAL lo = lows - excess;
    return Pair(hi, lo);
}

#if defined(DTYPE_F16) || defined(DTYPE_BF16)
// hi + lo rounded to odd: where the sum is not a float, the neighbour with an
// odd last bit. The packing to 16 bits then rounds as if it saw the exact sum.
float pair_sum(Pair p) {
    precise float sum = p.hi + p.lo;
    precise float error = sum_error(p.hi, p.lo, sum);
    uint bits = floatBitsToUint(sum);
    uint error_bits = floatBitsToUint(error);
    uint toward_zero = (bits ^ error_bits) >> 31;
    // Neither an exact sum (0) nor an infinite one, whose error is a NaN.
    bool inexact = (error_bits & 0x7fffffffu) - 1u < 0x7f7fffffu;
    return uintBitsToFloat(choose(inexact, (bits - toward_zero) | 1u, bits));
}
#else
REAL pair_sum(Pair p) {
    precise REAL sum = p.hi + p.lo;
    return sum;
}
#endif

// The value of the pair. An infinite or NaN hi has a lo without meaning.
REAL pair_value(Pair p) { return canonical(choose(is_finite(p.lo), pair_sum(p), p.hi)); }

// The value of the pair; an empty sum is +0. By bits, since some drivers drop the
// addition of a zero (lavapipe does, precise or not).
REAL pair_value_or_zero(Pair p) {
    precise REAL value = pair_value(p);
    return choose(value == POSITIVE_ZERO && is_negative(value), POSITIVE_ZERO, value);
}

void pair_words(Pair p, out uint words[PAIR_WORDS]) {
#if REAL_WORDS == 2
    uvec2 hi = real_bits(p.hi);
    uvec2 lo = real_bits(p.lo);
    words[0] = hi.x;
    words[1] = hi.y;
    words[2] = lo.x;
    words[3] = lo.y;
#else
    words[0] = floatBitsToUint(p.hi);
    words[1] = floatBitsToUint(p.lo);
#endif
}

Pair pair_from(uint words[PAIR_WORDS]) {
#if REAL_WORDS == 2
    return Pair(real_from(uvec2(words[0], words[1])), real_from(uvec2(words[2], words[3])));
#else
    return Pair(uintBitsToFloat(words[0]), uintBitsToFloat(words[1]));
#endif
}

#endif
