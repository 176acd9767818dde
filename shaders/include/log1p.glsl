// ln(1+x) of one element. Twin: cpuref/log1p.go.
#ifndef VKOPS_LOG1P_GLSL
#define VKOPS_LOG1P_GLSL

#include "log.glsl"
#include "pair.glsl"

#define ELEMENT REAL

#if REAL_WORDS == 2
#define LOG1P_ITSELF 1.1102230246251565e-16lf // 2^-53
#else
#define LOG1P_ITSELF 5.9604644775390625e-08 // 2^-24
#endif

// ln(1+x) of a finite x > -1 as an unevaluated sum whose hi is the rounded value.
Pair log1p_pair(REAL x) {
    precise REAL u = REAL(1.0) + x;
    int k;
    REAL f;
    split_mantissa(u, k, f);
    // 1+x is 2^k (1 + f + tail). The power is bounded for huge x, where the tail
    // is nothing.
    precise REAL tail = sum_error(REAL(1.0), x, u) * power_of_two(-min(k, 60));
    f = k == 0 ? x : f;
    tail = k == 0 ? POSITIVE_ZERO : tail;
    precise REAL power = REAL(k);
    precise REAL high = power * LN2_HIGH;
    precise REAL rest = log_rest(f, tail) + power * LN2_LOW;
    precise REAL sum = high + f;
    precise REAL low = f - (sum - high) + rest;
    precise REAL y = sum + low;
    precise REAL error = low - (y - sum);
    return Pair(y, error);
}

// A 16-bit result is rounded to odd, for the packing to round once.
ELEMENT log1p_exact(ELEMENT x) {
    Pair p = log1p_pair(x);
#if defined(DTYPE_F16) || defined(DTYPE_BF16)
    REAL y = pair_sum(p);
#else
    REAL y = p.hi;
#endif
    // So small that x is the nearest float to ln(1+x). Passed on as bits: a zero
    // keeps its sign, and no device flushes a subnormal.
    y = x < LOG1P_ITSELF && x > -LOG1P_ITSELF ? x : y;
    y = x == REAL(-1.0) ? negative_infinity() : y;
    y = !is_finite(x) && !is_negative(x) ? x : y;
    return is_nan(x) || x < REAL(-1.0) ? canonical_nan() : y;
}

#endif
