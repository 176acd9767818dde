// The quotient of two pairs, rounded once. It is computed digit by digit on
// integers, since devices round their division as they like. Twin:
// cpuref/quotient.go.
#ifndef VKOPS_QUOTIENT_GLSL
#define VKOPS_QUOTIENT_GLSL

#include "pair.glsl"

#if REAL_WORDS == 2
#define MANTISSA_BITS 52
#define BIAS 1023
#else
#define MANTISSA_BITS 23
#define BIAS 127
#endif

// Two bits to round by; the last of them also stands for all that follow.
#define QUOTIENT_BITS (MANTISSA_BITS + 3)

// How many bits below hi's last one a pair's integer keeps.
#define GUARD_BITS 60

// Unsigned integers of 64 and 128 bits are uvec2 and uvec4, the lowest word in x.

bool less128(uvec4 a, uvec4 b) {
    if (a.w != b.w) return a.w < b.w;
    if (a.z != b.z) return a.z < b.z;
    if (a.y != b.y) return a.y < b.y;
    return a.x < b.x;
}

uvec4 add128(uvec4 a, uvec4 b) {
    uvec4 sum = a + b;
    uint carry = sum.x < a.x ? 1u : 0u;
    uint next = sum.y < a.y || (carry != 0u && sum.y == 0xffffffffu) ? 1u : 0u;
    sum.y += carry;
    carry = sum.z < a.z || (next != 0u && sum.z == 0xffffffffu) ? 1u : 0u;
    sum.z += next;
    sum.w += carry;
    return sum;
}

uvec4 subtract128(uvec4 a, uvec4 b) { return add128(add128(a, ~b), uvec4(1u, 0u, 0u, 0u)); }

uvec4 double128(uvec4 a) {
    return uvec4(a.x << 1, (a.y << 1) | (a.x >> 31), (a.z << 1) | (a.y >> 31), (a.w << 1) | (a.z >> 31));
}

uvec4 halve128(uvec4 a) {
    return uvec4((a.x >> 1) | (a.y << 31), (a.y >> 1) | (a.z << 31), (a.z >> 1) | (a.w << 31), a.w >> 1);
}

// m 2^by, with the lowest bit set if bits were lost. Bit by bit: it runs a few
// times in a whole reduction.
uvec4 shifted128(uvec2 m, int by) {
    uvec4 r = uvec4(m, 0u, 0u);
    for (int i = 0; i < by; i++) r = double128(r);
    uint lost = 0u;
    int down = min(-by, 64);
    for (int i = 0; i < down; i++) {
        lost |= r.x & 1u;
        r = halve128(r);
    }
    r.x |= lost;
    return r;
}

// Writes a finite |x| as m 2^e.
uvec2 decompose(REAL x, out int e) {
#if REAL_WORDS == 2
    uvec2 stored = real_bits(x) & uvec2(0xffffffffu, 0x7fffffffu);
    int exponent = int(stored.y >> 20);
    uvec2 m = uvec2(stored.x, stored.y & 0xfffffu);
    m.y |= exponent != 0 ? 0x100000u : 0u;
#else
    uint stored = floatBitsToUint(x) & 0x7fffffffu;
    int exponent = int(stored >> 23);
    uvec2 m = uvec2(stored & 0x7fffffu, 0u);
    m.x |= exponent != 0 ? 0x800000u : 0u;
#endif
    e = max(exponent, 1) - BIAS - MANTISSA_BITS;
    return m;
}

// Rounds q 2^e, where q has QUOTIENT_BITS bits, and puts the sign before it: to
// nearest with ties to even, or for 16-bit elements to odd.
REAL compose(bool negative, uvec2 q, int e) {
    int exponent = e + QUOTIENT_BITS - 1 + BIAS; // as stored
    uint drop = min(2u + uint(max(0, 1 - exponent)), 63u);
    uvec4 wide = uvec4(q, 0u, 0u);
    bool half_way = false; // the highest bit that was dropped
    bool beyond = false;   // any other one
    for (uint i = 0u; i < drop; i++) {
        beyond = beyond || half_way;
        half_way = (wide.x & 1u) != 0u;
        wide = halve128(wide);
    }
#if defined(DTYPE_F16) || defined(DTYPE_BF16)
    wide.x |= half_way || beyond ? 1u : 0u;
#else
    if (half_way && (beyond || (wide.x & 1u) != 0u)) wide = add128(wide, uvec4(1u, 0u, 0u, 0u));
#endif
    uint sign = negative ? 0x80000000u : 0u;
    uint stored_exponent = uint(clamp(exponent - 1, 0, 2 * BIAS + 1));
    // Adding lets a carry out of the significand through to the exponent.
#if REAL_WORDS == 2
    uvec2 stored = uvec2(wide.x, wide.y + (stored_exponent << 20));
    stored = stored.y >= 0x7ff00000u ? uvec2(0u, 0x7ff00000u) : stored;
    return real_from(uvec2(stored.x, stored.y | sign));
#else
    uint stored = min(wide.x + (stored_exponent << 23), 0x7f800000u);
    return uintBitsToFloat(stored | sign);
#endif
}

// Writes |p| of a finite pair other than 0 as m 2^e, with bit 120 of m the
// highest. What lies below the guard bits shows in the lowest bit only.
uvec4 pair_magnitude(Pair p, out int e) {
    REAL lo = is_finite(p.lo) ? p.lo : POSITIVE_ZERO; // else without meaning, as in pair_value
    precise REAL sum = p.hi + lo;
    precise REAL rest = sum_error(p.hi, lo, sum);
    int rest_e;
    uvec2 sum_m = decompose(sum, e);
    uvec2 rest_m = decompose(rest, rest_e);
    uvec4 m = shifted128(sum_m, GUARD_BITS);
    if (rest_m != uvec2(0u)) {
        uvec4 part = shifted128(rest_m, GUARD_BITS + rest_e - e);
        m = is_negative(rest) == is_negative(sum) ? add128(m, part) : subtract128(m, part);
    }
    e -= GUARD_BITS;
    for (int i = 0; i < 120 && (m.w >> 24) == 0u; i++) {
        m = double128(m);
        e--;
    }
    return m;
}

REAL signed_infinity(bool negative) {
    REAL infinity = negative_infinity();
#if REAL_WORDS == 2
    return negative ? infinity : real_from(real_bits(infinity) & uvec2(0xffffffffu, 0x7fffffffu));
#else
    return uintBitsToFloat(negative ? 0xff800000u : 0x7f800000u);
#endif
}

// a/b, rounded once. A 16-bit result is rounded to odd, for the packing to round.
REAL pair_quotient(Pair a, Pair b) {
    REAL dividend = pair_value_or_zero(a);
    REAL divisor = pair_value_or_zero(b);
    bool negative = is_negative(dividend) != is_negative(divisor);
    bool nothing_over = dividend == POSITIVE_ZERO;
    if (is_nan(dividend) || is_nan(divisor)) return canonical_nan();
    if (!is_finite(dividend) || divisor == POSITIVE_ZERO) {
        return nothing_over || !is_finite(divisor) ? canonical_nan() : signed_infinity(negative);
    }
    if (nothing_over || !is_finite(divisor)) return negative ? NEGATIVE_ZERO : POSITIVE_ZERO;
    int exponent, divisor_exponent;
    uvec4 n = pair_magnitude(a, exponent);
    uvec4 d = pair_magnitude(b, divisor_exponent);
    exponent -= divisor_exponent;
    if (less128(n, d)) {
        n = double128(n);
        exponent--;
    }
    uvec4 q = uvec4(0u); // QUOTIENT_BITS of it, the first one 1
    for (int i = 0; i < QUOTIENT_BITS; i++) {
        q = double128(q);
        if (!less128(n, d)) {
            n = subtract128(n, d);
            q.x |= 1u;
        }
        n = double128(n);
    }
    q.x |= n != uvec4(0u) ? 1u : 0u;
    return compose(negative, q.xy, exponent - (QUOTIENT_BITS - 1));
}

#endif
