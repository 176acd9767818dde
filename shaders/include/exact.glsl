// The floating-point types of the arithmetic headers, tests on bits, and exact
// sums. A translation unit picks its element type with one of -DDTYPE_F16,
// DTYPE_BF16, DTYPE_F32, DTYPE_F64, DTYPE_I32 (also unsigned), DTYPE_I64 (also
// unsigned).
//
// Rules for everything that includes this page: only + - * and comparisons on
// floats, selection by ?:, and every float local is `precise`, since that does
// not reach into called functions. NaN and infinity are tested on bits, because
// compilers may assume that neither occurs.
#ifndef VKOPS_EXACT_GLSL
#define VKOPS_EXACT_GLSL

#include "choose.glsl"

// REAL is the type that arithmetic runs in; 16-bit elements are widened to float.
#if defined(DTYPE_F64)

#define REAL double
#define REAL_WORDS 2
#define NEGATIVE_ZERO -0.0lf
#define POSITIVE_ZERO 0.0lf

uvec2 real_bits(double x) { return unpackDouble2x32(x); }
double real_from(uvec2 bits) { return packDouble2x32(bits); }

double negative_infinity() { return packDouble2x32(uvec2(0u, 0xfff00000u)); }

double canonical_nan() { return packDouble2x32(uvec2(0u, 0x7ff80000u)); }

bool is_nan(double x) {
    uvec2 u = unpackDouble2x32(x);
    uint high = u.y & 0x7fffffffu;
    return high > 0x7ff00000u || (high == 0x7ff00000u && u.x != 0u);
}

bool is_finite(double x) { return (unpackDouble2x32(x).y & 0x7ff00000u) != 0x7ff00000u; }

bool is_negative(double x) { return (unpackDouble2x32(x).y & 0x80000000u) != 0u; }

#else

#define REAL float
#define REAL_WORDS 1
#define NEGATIVE_ZERO -0.0
#define POSITIVE_ZERO 0.0

float negative_infinity() { return uintBitsToFloat(0xff800000u); }

float canonical_nan() { return uintBitsToFloat(0x7fc00000u); }

bool is_nan(float x) { return (floatBitsToUint(x) & 0x7fffffffu) > 0x7f800000u; }

bool is_finite(float x) { return (floatBitsToUint(x) & 0x7f800000u) != 0x7f800000u; }

bool is_negative(float x) { return (floatBitsToUint(x) & 0x80000000u) != 0u; }

// Of four elements side by side.
bvec4 is_nan(vec4 x) { return greaterThan(floatBitsToUint(x) & 0x7fffffffu, uvec4(0x7f800000u)); }

// Vectors have no >= and no ?:.
bool is_at_least(int a, int b) { return a >= b; }
bvec4 is_at_least(ivec4 a, int b) { return greaterThanEqual(a, ivec4(b)); }

vec4 choose(bvec4 which, vec4 yes, vec4 no) { return mix(no, yes, which); }
ivec4 choose(bvec4 which, ivec4 yes, ivec4 no) { return mix(no, yes, which); }

#endif

// x with every NaN replaced by the one that results carry.
REAL canonical(REAL x) { return choose(is_nan(x), canonical_nan(), x); }

// The rounding error of s = a + b: a + b == s + sum_error(a, b, s) exactly,
// unless something overflowed. a and b may come in either order of size.
REAL sum_error(REAL a, REAL b, REAL s) {
    precise REAL part_of_b = s - a;
    precise REAL part_of_a = s - part_of_b;
    precise REAL missing_a = a - part_of_a;
    precise REAL missing_b = b - part_of_b;
    precise REAL e = missing_a + missing_b;
    return e;
}

#endif
