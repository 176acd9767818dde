// LogCumSumExp as the scan skeletons see it: sums of exponentials with an exponent
// of their own, 2^key (hi + lo). They never overflow, keep no maximum, and adding
// needs no exp. NaN sticks in hi. Twin: cpuref/expsum.go.
#ifndef VKOPS_LOGCUMSUMEXP_GLSL
#define VKOPS_LOGCUMSUMEXP_GLSL

#include "keys.glsl"
#include "log.glsl"

#if REAL_WORDS == 1
// The skeletons may take four elements side by side.
#define SIDE_BY_SIDE
#endif

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

#include "one_element.glsl"
#include "exp_pieces.glsl"
#if REAL_WORDS == 1
#include "four_elements.glsl"
#include "exp_pieces.glsl"
#endif

TERM pre(ELEMENT x) {
    TERM t;
    exp_term(x, t.key, t.value);
    return t;
}

// 2^-distance, or 0 where that leaves nothing of a sum. The bound keeps products
// clear of subnormals.
REAL exp_scale(KEY high, KEY low) {
    uint distance = key_distance(high, low);
    return choose(distance > 100u, POSITIVE_ZERO, power_of_two(-int(distance)));
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

// The logarithm of the sum.
ELEMENT inclusive(STATE s) { return log_of_sum(s.key, s.hi, s.lo); }

// What a skeleton stores for the first element of a line instead of
// inclusive(take(identity(), pre(x))): the element itself.
ELEMENT first_inclusive(ELEMENT x) { return canonical(x); }

#ifdef SIDE_BY_SIDE

// Terms and sums of four elements. rotated makes the next element the first.
struct Terms {
    ivec4 key;
    vec4 value;
};

Terms pre(vec4 x) {
    Terms t;
    exp_term(x, t.key, t.value);
    return t;
}

TERM first(Terms t) { return ExpTerm(t.key.x, t.value.x); }

Terms rotated(Terms t) { return Terms(t.key.yzwx, t.value.yzwx); }

struct States {
    ivec4 key;
    vec4 hi;
    vec4 lo;
};

// Leaves out the first and appends one.
States appended(States s, STATE last) {
    return States(ivec4(s.key.yzw, last.key), vec4(s.hi.yzw, last.hi), vec4(s.lo.yzw, last.lo));
}

vec4 inclusive(States s) { return log_of_sum(s.key, s.hi, s.lo); }

#endif

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
