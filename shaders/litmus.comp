// What equal bits on every device rest on: plain operations on operands that the
// host chooses, each rounded on its own. The host compares with its own arithmetic.
//
// Item i reads a, b, c at operands.at[3*i] and on, and writes words: a+b, a-b, a*b,
// and the product a*b, rounded, plus c, in as many words as an operand has; then,
// for float32, a's bits as a signed integer converted to float, or for float64 a
// converted to float32. That is 5 words an item, or 9.
#version 450
#extension GL_GOOGLE_include_directive : require
#include "exact.glsl"
#include "work.glsl"

layout(set = 0, binding = 0) readonly buffer OperandsBlock { REAL at[]; } operands;
layout(set = 0, binding = 1) writeonly buffer ResultsBlock { uint at[]; } results;

layout(push_constant) uniform PushBlock {
    uint first_item;
    uint item_end;
} push;

void store(uint at, REAL x) {
#if REAL_WORDS == 2
    uvec2 bits = real_bits(x);
    results.at[at] = bits.x;
    results.at[at + 1u] = bits.y;
#else
    results.at[at] = floatBitsToUint(x);
#endif
}

void main() {
    uint index = push.first_item + lane_index();
    if (index >= push.item_end) return;
    REAL a = operands.at[3u * index];
    REAL b = operands.at[3u * index + 1u];
    REAL c = operands.at[3u * index + 2u];
    uint at = index * (4u * REAL_WORDS + 1u);
    precise REAL sum = a + b;
    precise REAL difference = a - b;
    precise REAL product = a * b;
    precise REAL sum_of_product = product + c;
    store(at, sum);
    store(at + REAL_WORDS, difference);
    store(at + 2u * REAL_WORDS, product);
    store(at + 3u * REAL_WORDS, sum_of_product);
#if REAL_WORDS == 2
    precise float converted = float(a);
#else
    precise float converted = float(floatBitsToInt(a));
#endif
    results.at[at + 4u * REAL_WORDS] = floatBitsToUint(converted);
}
