// Included by logcumsumexp.glsl, for one element and for four.

// Whether |x| < STEP_LIMIT; false for a NaN.
BOOLS is_below_step_limit(REALS x) {
#if REAL_WORDS == 2
    return (real_bits(x).y & 0x7fffffffu) < 0x43800000u;
#else
    return is_at_least(0x4d7fffff - (floatBitsToInt(x) & 0x7fffffff), 0);
#endif
}

// Splits x into key*ln(2) + r with |r| at most ln(2)/2, in two steps: whole
// multiples of STEP*ln(2), then of ln(2).
void exp_term(REALS x, out KEYS key, out REALS value) {
    precise REALS rounded_steps = x * REALS(LOG2_E_PER_STEP) + REALS(ROUND_TO_INTEGER);
    precise REALS steps = rounded_steps - REALS(ROUND_TO_INTEGER);
    precise REALS far = x - steps * REALS(STEP_HIGH);
    precise REALS far_low = steps * REALS(STEP_LOW);
    precise REALS rounded_k = (far - far_low) * REALS(LOG2_E) + REALS(ROUND_TO_INTEGER);
    precise REALS k = rounded_k - REALS(ROUND_TO_INTEGER);
    // Taking far_low off last loses less: the difference before it is exact.
    precise REALS near = far - k * REALS(LN2_HIGH) - far_low;
    precise REALS r = near - k * REALS(LN2_LOW);
    precise REALS exp_minus_one = exp_polynomial(r) * (r * r) + r;
    precise REALS exp_r = REALS(1.0) + exp_minus_one;
    // Where x is too large for that, all of the above has no meaning.
    BOOLS splits = is_below_step_limit(x);
    value = choose(splits, exp_r, choose(is_nan(x), x, REALS(1.0)));
    key = choose(splits, key_from(rounded_steps, rounded_k), ordered_bits(x));
}

// The logarithm of the sum: (key+e)*ln(2) from pieces that are exact or small,
// plus the logarithm of the mantissa.
REALS log_of_sum(KEYS key, REALS hi, REALS lo) {
    INTS e;
    REALS f;
    split_mantissa(hi, e, f);
    precise REALS tail = lo * power_of_two(-e);
    INTS whole_steps, whole_k;
    key_split(key, e, whole_steps, whole_k);
    precise REALS steps = REALS(whole_steps);
    precise REALS k = REALS(whole_k);
    precise REALS rest = log_rest(f, tail) + k * REALS(LN2_LOW);
    precise REALS far = steps * REALS(STEP_HIGH);
    precise REALS near = k * REALS(LN2_HIGH);
    precise REALS sum = far + near;
    precise REALS lost = near - (sum - far);
    precise REALS with_f = sum + f;
    rest = rest + (f - (with_f - sum));
    precise REALS y = with_f + (steps * REALS(STEP_LOW) + (lost + rest));
    // The key of an infinity, or of a number so large that it is the result.
    y = choose(key_is_float(key), from_ordered_bits(key), y);
    return choose(is_nan(hi), REALS(canonical_nan()), y);
}
