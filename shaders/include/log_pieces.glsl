// Included by log.glsl, for one element and for four.

// 2^e for exponents of normal numbers.
REALS power_of_two(INTS e) {
#if REAL_WORDS == 2
    return real_from(uvec2(0u, uint(1023 + e) << 20));
#else
    return uintBitsToFloat(UINTS(127 + e) << 23);
#endif
}

// Writes x > 0 as 2^e (1 + f) with 1 + f between the square roots of 1/2 and 2.
// f is exact.
void split_mantissa(REALS x, out INTS e, out REALS f) {
#if REAL_WORDS == 2
    const uint half_root = 0x3fe6a09eu;
    uvec2 bits = real_bits(x);
    bits.y += 0x3ff00000u - half_root;
    e = int(bits.y >> 20) - 1023;
    precise double exact = real_from(uvec2(bits.x, (bits.y & 0xfffffu) + half_root)) - 1.0lf;
#else
    const uint half_root = 0x3f3504f3u;
    UINTS bits = floatBitsToUint(x) + (0x3f800000u - half_root);
    e = INTS(bits >> 23) - 127;
    precise REALS exact = uintBitsToFloat((bits & 0x7fffffu) + half_root) - 1.0;
#endif
    f = exact;
}

// log(1 + f + tail) - f, for a 1 + f as split_mantissa gives it and a tail below
// its precision.
REALS log_rest(REALS f, REALS tail) {
    precise REALS square = f * f;
    precise REALS rest = log_polynomial(f) * f * square;
    precise REALS per_one_plus_f = square - f + REALS(1.0); // 1/(1+f) as closely as the tail needs
    rest = rest + tail * per_one_plus_f;
    rest = rest - REALS(0.5) * square;
    return rest;
}
