// Rows of up to 16 elements, a run each, in one pass. Each lane walks blocks: the fewest
// whole rows that are whole quads, too. Neighbouring lanes walk neighbouring blocks.
// Twin: walkLines in cpuref/scan_outputs.go.
#version 450
#extension GL_GOOGLE_include_directive : require
#define QUADS
#include "scan_modes.glsl"
#include "elements.glsl"
#include "work.glsl"

layout(constant_id = 5) const uint row_length = 16u;
layout(constant_id = 6) const uint block_quads = 4u;

layout(push_constant) uniform PushBlock {
    uint first_item; // of this dispatch
    uint item_end;
    uint blocks;
    uint blocks_per_item;
    uint source_base; // the first row's first element
    uint result_base;
} push;

// The outputs of a block of rows. Without aggregates, since no row has a second run.
void scan_block(uint from, uint to) {
    STATE s = identity();
    uint position = 0u;
    for (uint q = 0u; q < block_quads; q++) {
        uint at = 4u * (reverse_scan != 0u ? block_quads - 1u - q : q);
        Quad x = load_quad(from + at);
        if (reverse_scan != 0u) x = reversed(x);
        for (uint k = 0u; k < 4u; k++) {
            bool first = position == 0u;
            if (first) s = identity();
            ELEMENT y = step_output(s, pre(x.a));
            if (first && exclusive_scan == 0u) y = first_inclusive(x.a);
            x = Quad(x.b, x.c, x.d, y);
            position = position + 1u < row_length ? position + 1u : 0u;
        }
        if (reverse_scan != 0u) x = reversed(x);
        store_quad(to + at, x);
    }
}

void main() {
    uint index = push.first_item + lane_index();
    if (index >= push.item_end) return;
    uint size = gl_WorkGroupSize.x;
    uint block = index / size * push.blocks_per_item * size + index % size;
    for (uint k = 0u; k < push.blocks_per_item; k++, block += size) {
        if (block >= push.blocks) break;
        uint at = 4u * block_quads * block;
        scan_block(push.source_base + at, push.result_base + at);
    }
}
