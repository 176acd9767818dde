// The logarithm of softmax: the state of a line is its largest element and the sum of
// exp(x - largest), a Pair along the carry tree. Twin: cpuref/softmax.go.
#ifndef VKOPS_SOFTMAX_GLSL
#define VKOPS_SOFTMAX_GLSL

#include "keys.glsl"
#include "log.glsl"
#include "pair.glsl"

// The largest element is kept as its place in the order of bits; a NaN is the largest.
struct Softmax {
    KEY largest;
    Pair sum;
};

#define ELEMENT REAL
#define STATE Softmax
#define STATE_WORDS (KEY_WORDS + PAIR_WORDS)

KEY largest_of(KEY largest, ELEMENT x) { return key_max(largest, is_nan(x) ? KEY_OF_NAN : ordered_bits(x)); }

STATE identity() { return Softmax(key_of_negative_infinity(), pair_identity()); }

STATE combine(STATE a, STATE b) { return Softmax(key_max(a.largest, b.largest), pair_combine(a.sum, b.sum)); }

void state_words(STATE s, out uint words[STATE_WORDS]) {
    uint sum[PAIR_WORDS];
    pair_words(s.sum, sum);
#if REAL_WORDS == 2
    words[0] = s.largest.x;
    words[1] = s.largest.y;
#else
    words[0] = uint(s.largest);
#endif
    for (uint w = 0u; w < PAIR_WORDS; w++) words[KEY_WORDS + w] = sum[w];
}

STATE state_from(uint words[STATE_WORDS]) {
    uint sum[PAIR_WORDS];
    for (uint w = 0u; w < PAIR_WORDS; w++) sum[w] = words[KEY_WORDS + w];
#if REAL_WORDS == 2
    return Softmax(uvec2(words[0], words[1]), pair_from(sum));
#else
    return Softmax(int(words[0]), pair_from(sum));
#endif
}

// Below the cut a term is left out; with fewer powers of two than single it has no lo.
// Both keep clear of subnormals.
#if REAL_WORDS == 2
#define SOFTMAX_CUT -620.0lf
#define SOFTMAX_SINGLE -900.0lf
#else
#define SOFTMAX_CUT -69.0
#define SOFTMAX_SINGLE -60.0
#endif

// The integer that a sum with ROUND_TO_INTEGER holds in its last bits.
int rounded_integer(REAL rounded) {
#if REAL_WORDS == 2
    return int(real_bits(rounded).x);
#else
    return floatBitsToInt(rounded) - 0x4b400000;
#endif
}

// exp(x - largest) as a pair, whose lo matters where many terms are alike.
Pair softmax_term(ELEMENT x, REAL largest) {
    precise REAL below = x - largest;
    bool counts = is_finite(below) && below >= SOFTMAX_CUT;
    REAL bounded = counts ? below : POSITIVE_ZERO;
    REAL below_low = counts ? sum_error(x, -largest, below) : POSITIVE_ZERO;
    precise REAL rounded_k = bounded * LOG2_E + ROUND_TO_INTEGER;
    precise REAL k = rounded_k - ROUND_TO_INTEGER;
    precise REAL near = bounded - k * LN2_HIGH;
    precise REAL r = near - k * LN2_LOW + below_low;
    precise REAL above = exp_polynomial(r) * (r * r) + r;
    precise REAL one = REAL(1.0) + above;
    REAL scale = power_of_two(rounded_integer(rounded_k));
    precise REAL value = one * scale;
    precise REAL rest = (above - (one - REAL(1.0))) * (k < SOFTMAX_SINGLE ? POSITIVE_ZERO : scale);
    return Pair(counts ? value : POSITIVE_ZERO, counts ? rest : POSITIVE_ZERO);
}

Pair softmax_take(Pair sum, Pair term) {
    Pair taken = pair_take(sum, term.hi);
    precise REAL lo = taken.lo + term.lo;
    return Pair(taken.hi, lo);
}

// What the elements of a line share: the largest, and the logarithm of the sum as a
// pair whose hi is the rounded one.
struct SoftmaxLine {
    REAL largest;
    Pair logarithm;
};

SoftmaxLine softmax_line(STATE s) {
    precise REAL sum = s.sum.hi + s.sum.lo;
    precise REAL tail = s.sum.lo - (sum - s.sum.hi);
    int e;
    REAL f;
    split_mantissa(sum, e, f);
    precise REAL scaled = tail * power_of_two(-e);
    precise REAL power = REAL(e);
    precise REAL rest = log_rest(f, scaled) + power * LN2_LOW;
    precise REAL high = power * LN2_HIGH;
    precise REAL near = high + f;
    precise REAL low = f - (near - high) + rest;
    precise REAL hi = near + low;
    precise REAL lo = low - (hi - near);
    return SoftmaxLine(from_ordered_bits(s.largest), Pair(hi, lo));
}

// (x - largest) - logarithm. A 16-bit result is rounded to odd, for the packing to
// round once.
ELEMENT log_probability(SoftmaxLine line, ELEMENT x) {
    precise REAL below = x - line.largest;
    REAL below_low = sum_error(x, -line.largest, below);
    precise REAL hi = below - line.logarithm.hi;
    precise REAL lo = sum_error(below, -line.logarithm.hi, hi) + below_low - line.logarithm.lo;
    REAL y = pair_sum(Pair(hi, lo));
    y = y == POSITIVE_ZERO ? POSITIVE_ZERO : y; // never -0
    y = is_finite(below) ? y : negative_infinity();
    bool lost = is_nan(line.largest) || is_nan(x) || (!is_finite(line.largest) && (is_negative(line.largest) || ordered_bits(x) == ordered_bits(line.largest)));
    return lost ? canonical_nan() : y;
}

#endif
