// Exponents of 2 in sums of exponentials: int beside float, a pair of words
// beside double. A key of huge size is not an exponent but a float in its order
// of bits. Twin: cpuref/expsum.go, where keys are int64.
#ifndef VKOPS_KEYS_GLSL
#define VKOPS_KEYS_GLSL

#include "exact.glsl"

#if REAL_WORDS == 2

#include "int64.glsl"

#define KEY uvec2
#define KEY_WORDS 2
#define STEP_SHIFT 28

#define KEY_OF_NAN uvec2(0u, 0x7ff80000u)

KEY key_of_negative_infinity() { return uvec2(0xffffffffu, 0x800fffffu); }

KEY ordered_bits(double x) {
    uvec2 bits = real_bits(x);
    uint mask = uint(int(bits.y) >> 31);
    return uvec2(bits.x ^ mask, bits.y ^ (mask & 0x7fffffffu));
}

double from_ordered_bits(KEY key) {
    uint mask = uint(int(key.y) >> 31);
    return real_from(uvec2(key.x ^ mask, key.y ^ (mask & 0x7fffffffu)));
}

// Whether the key is a float: one of at least STEP_LIMIT.
bool key_is_float(KEY key) { return (int(key.y) ^ (int(key.y) >> 31)) >= 0x43800000; }

KEY key_max(KEY a, KEY b) {
    bool less = int(a.y) < int(b.y) || (a.y == b.y && a.x < b.x);
    return less ? b : a;
}

// How far low is below high; at least 2^32 - 1 for more than that.
uint key_distance(KEY high, KEY low) {
    uint borrow = high.x < low.x ? 1u : 0u;
    return high.y - low.y - borrow != 0u ? 0xffffffffu : high.x - low.x;
}

uvec2 sign_extended(int x) { return uvec2(uint(x), uint(x >> 31)); }

// steps * 2^STEP_SHIFT + k, from sums with ROUND_TO_INTEGER, whose last bits hold
// the integers.
KEY key_from(double rounded_steps, double rounded_k) {
    int steps = int(real_bits(rounded_steps).x);
    int k = int(real_bits(rounded_k).x);
    return add64(uvec2(uint(steps) << STEP_SHIFT, uint(steps >> (32 - STEP_SHIFT))), sign_extended(k));
}

// key + e as steps * 2^STEP_SHIFT + k, with the nearest steps.
void key_split(KEY key, int e, out int steps, out int k) {
    uvec2 sum = add64(key, sign_extended(e));
    uvec2 biased = add64(sum, uvec2(1u << (STEP_SHIFT - 1), 0u));
    steps = int((biased.y << (32 - STEP_SHIFT)) | (biased.x >> STEP_SHIFT));
    k = int(sum.x - (uint(steps) << STEP_SHIFT));
}

#else

#define KEY int
#define KEY_WORDS 1
#define STEP_SHIFT 12

#define KEY_OF_NAN 0x7fc00000

KEY key_of_negative_infinity() { return -0x7f800001; }

KEY key_max(KEY a, KEY b) { return max(a, b); }

// How far low is below high.
uint key_distance(KEY high, KEY low) { return uint(high) - uint(low); }

#include "one_element.glsl"
#include "key_pieces.glsl"
#include "four_elements.glsl"
#include "key_pieces.glsl"

#endif

#endif
