// LogCumSumExp as the scan skeletons see it: sums of exponentials with an exponent
// of their own, 2^key (hi + lo). They never overflow, keep no maximum, and adding
// needs no exp. NaN sticks in hi. Twin: cpuref/expsum.go.
#ifndef VKOPS_LOGCUMSUMEXP_GLSL
#define VKOPS_LOGCUMSUMEXP_GLSL

#include "keys.glsl"
#include "log.glsl"

struct ExpSum {
    KEY key;
    REAL hi;
    REAL lo;
};

// One exp(x): 2^key value, with value near 1.
struct ExpTerm {
    KEY key;
    REAL value;
};

#define ELEMENT REAL
#define TERM ExpTerm
#define STATE ExpSum
#define STATE_WORDS (KEY_WORDS + 2 * REAL_WORDS)

// The empty sum, and as good as exp(-inf).
STATE identity() { return ExpSum(key_of_negative_infinity(), POSITIVE_ZERO, POSITIVE_ZERO); }

// Whether |x| < STEP_LIMIT; false for a NaN.
bool is_below_step_limit(REAL x) {
#if REAL_WORDS == 2
    return (real_bits(x).y & 0x7fffffffu) < 0x43800000u;
#else
    return (floatBitsToUint(x) & 0x7fffffffu) < 0x4d800000u;
#endif
}

// Splits x into key*ln(2) + r with |r| at most ln(2)/2, in two steps: whole
// multiples of STEP*ln(2), then of ln(2).
TERM pre(ELEMENT x) {
    precise REAL rounded_steps = x * LOG2_E_PER_STEP + ROUND_TO_INTEGER;
    precise REAL steps = rounded_steps - ROUND_TO_INTEGER;
    precise REAL far = x - steps * STEP_HIGH;
    precise REAL far_low = steps * STEP_LOW;
    precise REAL rounded_k = (far - far_low) * LOG2_E + ROUND_TO_INTEGER;
    precise REAL k = rounded_k - ROUND_TO_INTEGER;
    // Taking far_low off last loses less: the difference before it is exact.
    precise REAL near = far - k * LN2_HIGH - far_low;
    precise REAL r = near - k * LN2_LOW;
    precise REAL exp_minus_one = exp_polynomial(r) * (r * r) + r;
    precise REAL value = REAL(1.0) + exp_minus_one;
    // Where x is too large for that, all of the above has no meaning.
    bool splits = is_below_step_limit(x);
    value = splits ? value : is_nan(x) ? x : REAL(1.0);
    return ExpTerm(splits ? key_from(rounded_steps, rounded_k) : ordered_bits(x), value);
}

// 2^-distance, or 0 where that leaves nothing of a sum. The bound keeps products
// clear of subnormals.
REAL exp_scale(KEY high, KEY low) {
    uint distance = key_distance(high, low);
    return distance > 100u ? POSITIVE_ZERO : power_of_two(-int(distance));
}

STATE take(STATE s, TERM t) {
    KEY key = key_max(s.key, t.key);
    REAL scale = exp_scale(key, s.key);
    precise REAL a = s.hi * scale;
    precise REAL b = t.value * exp_scale(key, t.key);
    precise REAL hi = a + b;
    precise REAL lo = s.lo * scale + sum_error(a, b, hi);
    return ExpSum(key, hi, lo);
}

STATE combine(STATE a, STATE b) {
    KEY key = key_max(a.key, b.key);
    REAL scale_a = exp_scale(key, a.key);
    REAL scale_b = exp_scale(key, b.key);
    precise REAL hi_a = a.hi * scale_a;
    precise REAL hi_b = b.hi * scale_b;
    precise REAL hi = hi_a + hi_b;
    precise REAL lo = a.lo * scale_a + b.lo * scale_b + sum_error(hi_a, hi_b, hi);
    return ExpSum(key, hi, lo);
}

// The logarithm of the sum: (key+e)*ln(2) from pieces that are exact or small,
// plus the logarithm of the mantissa.
ELEMENT inclusive(STATE s) {
    int e;
    REAL f;
    split_mantissa(s.hi, e, f);
    precise REAL tail = s.lo * power_of_two(-e);
    int whole_steps, whole_k;
    key_split(s.key, e, whole_steps, whole_k);
    precise REAL steps = REAL(whole_steps);
    precise REAL k = REAL(whole_k);
    precise REAL rest = log_rest(f, tail) + k * LN2_LOW;
    precise REAL far = steps * STEP_HIGH;
    precise REAL near = k * LN2_HIGH;
    precise REAL sum = far + near;
    precise REAL lost = near - (sum - far);
    precise REAL with_f = sum + f;
    rest = rest + (f - (with_f - sum));
    precise REAL y = with_f + (steps * STEP_LOW + (lost + rest));
    // The key of an infinity, or of a number so large that it is the result.
    y = key_is_float(s.key) ? from_ordered_bits(s.key) : y;
    return is_nan(s.hi) ? canonical_nan() : y;
}

// What a skeleton stores for the first element of a line instead of
// inclusive(take(identity(), pre(x))): the element itself.
ELEMENT first_inclusive(ELEMENT x) { return canonical(x); }

void state_words(STATE s, out uint words[STATE_WORDS]) {
#if REAL_WORDS == 2
    uvec2 hi = real_bits(s.hi);
    uvec2 lo = real_bits(s.lo);
    words[0] = s.key.x;
    words[1] = s.key.y;
    words[2] = hi.x;
    words[3] = hi.y;
    words[4] = lo.x;
    words[5] = lo.y;
#else
    words[0] = uint(s.key);
    words[1] = floatBitsToUint(s.hi);
    words[2] = floatBitsToUint(s.lo);
#endif
}

STATE state_from(uint words[STATE_WORDS]) {
#if REAL_WORDS == 2
    return ExpSum(uvec2(words[0], words[1]), real_from(uvec2(words[2], words[3])), real_from(uvec2(words[4], words[5])));
#else
    return ExpSum(int(words[0]), uintBitsToFloat(words[1]), uintBitsToFloat(words[2]));
#endif
}

#endif
