// Included by keys.glsl beside float, for one element and for four.

KEYS ordered_bits(REALS x) {
    INTS bits = floatBitsToInt(x);
    return bits ^ ((bits >> 31) & 0x7fffffff);
}

REALS from_ordered_bits(KEYS key) { return intBitsToFloat(key ^ ((key >> 31) & 0x7fffffff)); }

// Whether the key is a float: one of at least STEP_LIMIT.
BOOLS key_is_float(KEYS key) { return is_at_least(key ^ (key >> 31), 0x4d800000); }

// steps * 2^STEP_SHIFT + k, from sums with ROUND_TO_INTEGER, whose last bits hold
// the integers.
KEYS key_from(REALS rounded_steps, REALS rounded_k) {
    const int zero = 0x4b400000; // bits of ROUND_TO_INTEGER
    return ((floatBitsToInt(rounded_steps) - zero) << STEP_SHIFT) + (floatBitsToInt(rounded_k) - zero);
}

// key + e as steps * 2^STEP_SHIFT + k, with the nearest steps.
void key_split(KEYS key, INTS e, out INTS steps, out INTS k) {
    INTS sum = key + e;
    steps = (sum + (1 << (STEP_SHIFT - 1))) >> STEP_SHIFT;
    k = sum - (steps << STEP_SHIFT);
}
