// NegativeLogLikelihoodLoss: one loss, and the sums of losses and of weights, each
// a Pair along the carry tree in the order of the targets. An ignored target takes
// part in neither sum. Twin: cpuref/nll.go.
#ifndef VKOPS_NLL_GLSL
#define VKOPS_NLL_GLSL

#include "pair.glsl"
#include "quotient.glsl"

#define ELEMENT REAL
#define TERM REAL
#define STATE Pair
#define STATE_WORDS PAIR_WORDS

// -x * w, rounded to the type that arithmetic runs in. w is 1 without weights. What
// the reduction `none` stores is canonical(loss(x, w)), and +0 where ignored.
REAL loss(ELEMENT x, ELEMENT w) {
    precise REAL product = x * w;
#if REAL_WORDS == 2
    uvec2 bits = real_bits(product);
    return real_from(uvec2(bits.x, bits.y ^ 0x80000000u));
#else
    return uintBitsToFloat(floatBitsToUint(product) ^ 0x80000000u);
#endif
}

// What an ignored target adds to a sum: taking it changes no bit.
REAL nothing() { return NEGATIVE_ZERO; }

STATE identity() { return pair_identity(); }
STATE take(STATE s, TERM t) { return pair_take(s, t); }
STATE combine(STATE a, STATE b) { return pair_combine(a, b); }
void state_words(STATE s, out uint words[STATE_WORDS]) { pair_words(s, words); }
STATE state_from(uint words[STATE_WORDS]) { return pair_from(words); }

ELEMENT sum_value(STATE losses) { return pair_value_or_zero(losses); }
ELEMENT mean_value(STATE losses, STATE weights) { return pair_quotient(losses, weights); }

#endif
