// Copies rows of 16-bit elements to rows of another pitch, where an odd pitch would
// make two lanes of a scan share a word. Each invocation writes one whole word; the
// word at either end keeps what lies outside the result.
#version 450
#extension GL_GOOGLE_include_directive : require
#include "work.glsl"

layout(set = 0, binding = 0) readonly buffer SourceBlock { uint at[]; } source;
layout(set = 0, binding = 1) buffer ResultBlock { uint at[]; } result;

layout(push_constant) uniform PushBlock {
    uint first_item; // an item is a word of the result
    uint item_end;
    uint width; // elements to copy of each row of the source
    uint source_pitch;
    uint result_pitch;
    uint shift; // column of the result that the source's first column goes to
    uint source_base;
    uint result_base;
    uint result_count; // elements: rows * result_pitch
} push;

// The 16 bits for element i of the result; zero beside the copied columns.
uint element(uint i) {
    uint column = i % push.result_pitch - push.shift; // wraps, then exceeds width
    if (column >= push.width) return 0u;
    uint from = push.source_base + i / push.result_pitch * push.source_pitch + column;
    uint word = source.at[from >> 1];
    return (from & 1u) != 0u ? word >> 16 : word & 0xffffu;
}

void main() {
    uint index = push.first_item + lane_index();
    if (index >= push.item_end) return;
    uint i = index * 2u - push.result_base;
    bool low = index * 2u >= push.result_base && i < push.result_count;
    bool high = i + 1u < push.result_count;
    uint word = 0u;
    if (!(low && high)) word = result.at[index];
    if (low) word = (word & 0xffff0000u) | element(i);
    if (high) word = (word & 0xffffu) | element(i + 1u) << 16;
    result.at[index] = word;
}
