// Last pass over long lines, and the only one over short lines: the outputs. Each
// lane walks one tile from its carry, or some tiles in a row from the start of
// their line, of several lines one after the other. Run aggregates are computed again
// beside the outputs, which is faster than storing them. Twin: walkLines in cpuref/scan_outputs.go.
#version 450
#extension GL_GOOGLE_include_directive : require
#define READ_ONLY_STATES
#define PUSH_LINES
#include "scan_line.glsl"

// What a line may end with: 0 for whole runs, 1 for quads, 2 for elements. Software devices
// walk through code that no lane needs.
layout(constant_id = 5) const uint line_end = 2u;

#include "scan_quad.glsl"
bool needs_aggregate() { return true; }

// Writes the outputs of the `count` positions from p on, given the carry into
// them. The carry becomes the one into the next tile; after a tile that ends the
// line it has no meaning.
void scan_tile(uint from, uint to, uint p, uint count, inout STATE carry) {
    STATE tile = identity();
    STATE group_carry = carry;
    STATE run_carry = carry;
    uint runs = count / RUN;
    for (uint first = 0u; first < runs; first += 16u) {
        STATE group = identity();
        run_carry = group_carry;
        uint end = min(first + 16u, runs);
        for (uint r = first; r < end; r++) {
            STATE run = identity();
            STATE s = run_carry;
            for (uint k = 0u; k < 4u; k++, p += 4u) {
                store_positions(to, p, scan_quad(run, s, load_positions(from, p)));
            }
            group = combine(group, run);
            run_carry = combine(run_carry, run);
        }
        tile = combine(tile, group);
        if (end == first + 16u) {
            group_carry = combine(group_carry, group);
            run_carry = group_carry;
        }
    }
    uint left = count % RUN;
    if (line_end != 0u && left != 0u) {
        STATE run = identity();
        STATE s = run_carry;
        for (; left >= 4u; left -= 4u, p += 4u) {
            store_positions(to, p, scan_quad(run, s, load_positions(from, p)));
        }
        if (line_end > 1u && left != 0u) {
            store_last_positions(to, p, scan_quad(run, s, load_last_positions(from, p, left)), left);
        }
    }
    carry = combine(carry, tile);
}

void main() {
    uint index = push.first_item + lane_index();
    if (index >= push.item_end) return;
    uint blocks = (push.tiles + push.tiles_per_item - 1u) / push.tiles_per_item;
    uint size = gl_WorkGroupSize.x;
    index = index / size * push.lines_per_item * size + index % size;
    for (uint k = 0u; k < push.lines_per_item; k++, index += size) {
        if (index >= push.lines * blocks) break;
        Item item = Item(index, 0u, 0u);
        if (carried != 0u) item = item_at(index, blocks, 1u);
        item.tile *= push.tiles_per_item;
        uint from = push.source_base + item.outer * push.n;
        uint to = push.result_base + item.outer * push.n;
        STATE carry = starting_carry(item);
        ELEMENT first = load_element(from + along(item.tile * TILE));
        uint end = min(item.tile + push.tiles_per_item, push.tiles);
        for (uint tile = item.tile; tile < end; tile++) {
            uint p = tile * TILE;
            scan_tile(from, to, p, min(TILE, push.n - p), carry);
        }
        if (exclusive_scan == 0u && starts_line(item.tile)) {
            replace_element(to + along(item.tile * TILE), first_inclusive(first));
        }
    }
}
