// float16 and bfloat16 to and from float by integers and exact sums, since built-in
// conversions leave rounding, overflow and subnormals to the driver. Two elements
// share a word, the first in the low half. Twin: cpuref/half.go.
//
// load16 and store16 follow DTYPE_F16 or DTYPE_BF16; values are 16-bit patterns
// in the low half of a uint.
#ifndef VKOPS_PACK16_GLSL
#define VKOPS_PACK16_GLSL

#include "choose.glsl"

// Exact. A NaN becomes some NaN.
float float_from_half(uint half_bits) {
    uint sign = (half_bits & 0x8000u) << 16;
    uint magnitude = half_bits & 0x7fffu;
    // Subnormals: units of 2^-24, as many as the last bits of 1/2 + them hold.
    precise float subnormal = uintBitsToFloat(0x3f000000u | magnitude) - 0.5;
    uint normal = (magnitude << 13) + choose(magnitude >= 0x7c00u, 0x70000000u, 0x38000000u);
    return uintBitsToFloat(sign | choose(magnitude < 0x400u, floatBitsToUint(subnormal), normal));
}

// To nearest, ties to even; from 65520 on infinity; every NaN is 7e00.
uint half_from_float(float x) {
    uint bits = floatBitsToUint(x);
    uint sign = (bits >> 16) & 0x8000u;
    uint magnitude = bits & 0x7fffffffu;
    uint normal = (magnitude - 0x38000000u + 0xfffu + ((magnitude >> 13) & 1u)) >> 13;
    // Below 2^-14: units of 2^-24, which are the last bits of the sum with 1/2.
    precise float shifted = uintBitsToFloat(magnitude) + 0.5;
    uint subnormal = floatBitsToUint(shifted) - 0x3f000000u;
    uint rounded = choose(magnitude < 0x38800000u, subnormal, normal);
    rounded = choose(magnitude >= 0x477ff000u, 0x7c00u, rounded);
    return choose(magnitude > 0x7f800000u, 0x7e00u, sign | rounded);
}

float float_from_bfloat(uint bfloat_bits) { return uintBitsToFloat(bfloat_bits << 16); }

// To nearest, ties to even; every NaN is 7fc0.
uint bfloat_from_float(float x) {
    uint bits = floatBitsToUint(x);
    uint rounded = (bits + 0x7fffu + ((bits >> 16) & 1u)) >> 16;
    return choose((bits & 0x7fffffffu) > 0x7f800000u, 0x7fc0u, rounded);
}

#if defined(DTYPE_BF16)
float load16(uint bits) { return float_from_bfloat(bits); }
uint store16(float x) { return bfloat_from_float(x); }
#else
float load16(uint bits) { return float_from_half(bits); }
uint store16(float x) { return half_from_float(x); }
#endif

#endif
