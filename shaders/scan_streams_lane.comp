// Rows of a few runs, or whose length is no multiple of four, in one pass. Each lane walks
// blocks: the fewest whole rows that are whole quads, too. Neighbouring lanes walk
// neighbouring blocks. Twin: walkLines in cpuref/scan_outputs.go.
#version 450
#extension GL_GOOGLE_include_directive : require
#define QUADS
#include "scan_modes.glsl"
#include "elements.glsl"
#include "work.glsl"

#define RUN 16u
#define GROUP 256u
#define TILE 4096u

layout(constant_id = 5) const uint rows_together = 1u; // a block's
// The length of short rows is a constant, so that loops can be unrolled; else 0.
layout(constant_id = 6) const uint row_length = 0u;

layout(push_constant) uniform PushBlock {
    uint first_item; // of this dispatch
    uint item_end;
    uint n; // positions of a row
    uint blocks;
    uint blocks_per_item;
    uint source_base; // the first row's first element
    uint result_base;
} push;

uint positions() { return row_length != 0u ? row_length : push.n; }

#include "scan_stream.glsl"

#include "scan_quad.glsl"

// In rows of two runs the state at the end of the first is its aggregate, and that of the
// second is not needed.
bool two_runs() { return row_length != 0u && row_length <= 2u * RUN; }
bool needs_aggregate() { return !two_runs(); }

// Writes the outputs of the positions p to p+3, or of the first `count` of them.
void scan_positions(inout STATE run, inout STATE s, uint p, uint count) {
    Quad x = next_elements();
    Quad y = scan_quad(run, s, x);
    if (exclusive_scan == 0u) y.a = choose(p == 0u, first_inclusive(x.a), y.a);
    next_outputs(y, count);
}

// Writes the outputs of a run of `count` positions from p on, and moves the carries.
void scan_run(uint p, uint count, inout STATE group, inout STATE run_carry) {
    STATE run = identity();
    STATE s = run_carry;
    for (uint k = 0u; k < count; k += 4u) scan_positions(run, s, p + k, min(4u, count - k));
    if (two_runs()) run = s;
    group = combine(group, run);
    run_carry = combine(run_carry, run);
}

// Writes the outputs of a group of up to 256 positions from p on.
void scan_group(uint p, uint count, inout STATE tile, inout STATE group_carry) {
    STATE group = identity();
    STATE run_carry = group_carry;
    uint whole = count / RUN * RUN;
    for (uint k = 0u; k < whole; k += RUN) scan_run(p + k, RUN, group, run_carry);
    if (count > whole) scan_run(p + whole, count - whole, group, run_carry);
    tile = combine(tile, group);
    group_carry = combine(group_carry, group);
}

// Writes the outputs of the next row.
void scan_row() {
    start_row();
    STATE carry = identity();
    STATE tile = identity();
    STATE group_carry = identity();
    for (uint p = 0u; p < positions(); p += GROUP) {
        scan_group(p, min(GROUP, positions() - p), tile, group_carry);
        if ((p + GROUP) % TILE == 0u) {
            carry = combine(carry, tile);
            group_carry = carry;
            tile = identity();
        }
    }
}

void main() {
    uint index = push.first_item + lane_index();
    if (index >= push.item_end) return;
    uint size = gl_WorkGroupSize.x;
    uint block = index / size * push.blocks_per_item * size + index % size;
    stream_length = rows_together * positions();
    for (uint k = 0u; k < push.blocks_per_item; k++, block += size) {
        if (block >= push.blocks) break;
        stream_from = push.source_base + block * stream_length;
        stream_to = push.result_base + block * stream_length;
        stream_at = 0u;
        for (uint row = 0u; row < rows_together; row++) scan_row();
    }
}
