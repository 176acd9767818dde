// Puts the input elements that the targets choose in the order of the samples,
// where the input is too large to bind: one dispatch for each window of the input
// copies the elements that lie in it. Indices into the input have 64 bits.
#version 450
#extension GL_GOOGLE_include_directive : require
#define NO_STATUS
#include "nll.glsl"
#include "elements.glsl"
#include "work.glsl"
#include "target.glsl"

// The index into the window of the element that a sample chooses, if it is there.
bool find(uint position, out uint i) {
    i = 0u;
    uvec2 target = load_target(position);
    if (is_ignored(target) || out_of_range(target)) return false;
    uint n = (push.first_d + position) / push.depth;
    uint d = (push.first_d + position) % push.depth;
    // (n*classes + target)*depth + d
    uvec2 row, scaled;
    umulExtended(n, push.classes, row.y, row.x);
    row.x += target.x;
    row.y += row.x < target.x ? 1u : 0u;
    umulExtended(row.x, push.depth, scaled.y, scaled.x);
    scaled.y += row.y * push.depth;
    scaled.x += d;
    scaled.y += scaled.x < d ? 1u : 0u;
    // Less the window's start; what lies before it wraps far beyond its end.
    uint borrow = scaled.x < push.window_low ? 1u : 0u;
    i = scaled.x - push.window_low;
    return scaled.y - push.window_high - borrow == 0u && i < push.window_count;
}

void main() {
    uint index = push.first_item + lane_index();
    if (index >= push.item_end) return;
#if defined(PACKED)
    // An item is a word of the result.
    uint word = result.at[index];
    for (uint half_word = 0u; half_word < 2u; half_word++) {
        uint position = index * 2u + half_word;
        uint i;
        if (position < push.samples && find(position, i)) {
            i += push.source_base;
            uint bits = source.at[i >> 1];
            bits = (i & 1u) != 0u ? bits >> 16 : bits & 0xffffu;
            word = half_word != 0u ? (word & 0xffffu) | bits << 16 : (word & 0xffff0000u) | bits;
        }
    }
    result.at[index] = word;
#else
    uint i;
    if (find(index, i)) result.at[index] = source.at[push.source_base + i];
#endif
}
