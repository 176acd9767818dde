// 64-bit integers as pairs of words, x the low one, for devices without them.
// Sums are modulo 2^64, so that one form serves signed and unsigned.
#ifndef VKOPS_INT64_GLSL
#define VKOPS_INT64_GLSL

uvec2 add64(uvec2 a, uvec2 b) {
    uint low = a.x + b.x;
    uint carry = uint(low < a.x);
    return uvec2(low, a.y + b.y + carry);
}

#endif
