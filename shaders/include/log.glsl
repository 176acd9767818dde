// Pieces of the logarithm from exact operations. Twin: cpuref/real.go.
#ifndef VKOPS_LOG_GLSL
#define VKOPS_LOG_GLSL

#include "coefficients.glsl"
#include "exact.glsl"

// 2^e for exponents of normal numbers.
REAL power_of_two(int e) {
#if REAL_WORDS == 2
    return real_from(uvec2(0u, uint(1023 + e) << 20));
#else
    return uintBitsToFloat(uint(127 + e) << 23);
#endif
}

// Writes x > 0 as 2^e (1 + f) with 1 + f between the square roots of 1/2 and 2.
// f is exact.
void split_mantissa(REAL x, out int e, out REAL f) {
#if REAL_WORDS == 2
    const uint half_root = 0x3fe6a09eu;
    uvec2 bits = real_bits(x);
    bits.y += 0x3ff00000u - half_root;
    e = int(bits.y >> 20) - 1023;
    precise double exact = real_from(uvec2(bits.x, (bits.y & 0xfffffu) + half_root)) - 1.0lf;
#else
    const uint half_root = 0x3f3504f3u;
    uint bits = floatBitsToUint(x) + (0x3f800000u - half_root);
    e = int(bits >> 23) - 127;
    precise float exact = uintBitsToFloat((bits & 0x7fffffu) + half_root) - 1.0;
#endif
    f = exact;
}

// log(1 + f + tail) - f, for a 1 + f as split_mantissa gives it and a tail below
// its precision.
REAL log_rest(REAL f, REAL tail) {
    precise REAL square = f * f;
    precise REAL rest = log_polynomial(f) * f * square;
    precise REAL per_one_plus_f = square - f + REAL(1.0); // 1/(1+f) as closely as the tail needs
    rest = rest + tail * per_one_plus_f;
    rest = rest - REAL(0.5) * square;
    return rest;
}

#endif
