// First pass over long lines: the aggregate of every tile. Each lane walks a tile
// of its own. Twin: foldTile in cpuref/scan_tiles.go.
#version 450
#extension GL_GOOGLE_include_directive : require
#define NO_RESULT
#include "scan_line.glsl"

// Takes all four elements of q into the run, in a loop for the reason that
// scan_quad.glsl gives.
void take_quad(inout STATE run, Quad q) {
#ifdef SIDE_BY_SIDE
    Terms terms = pre(vec4(q.a, q.b, q.c, q.d));
    for (uint k = 0u; k < 4u; k++, terms = rotated(terms)) run = take(run, first(terms));
#else
    for (uint k = 0u; k < 4u; k++) {
        run = take(run, pre(q.a));
        q = Quad(q.b, q.c, q.d, q.a);
    }
#endif
}

// The fold of the `count` elements from position p on.
STATE tile_aggregate(uint line, uint p, uint count) {
    STATE tile = identity();
    STATE group = identity();
    uint runs = count / RUN;
    for (uint first = 0u; first < runs; first += 16u) {
        group = identity();
        uint end = min(first + 16u, runs);
        for (uint r = first; r < end; r++) {
            STATE run = identity();
            for (uint k = 0u; k < 4u; k++, p += 4u) take_quad(run, load_positions(line, p));
            group = combine(group, run);
        }
        if (end == first + 16u) tile = combine(tile, group);
    }
    if (count % GROUP == 0u) return tile;
    if (runs % 16u == 0u) group = identity();
    uint left = count % RUN;
    if (left != 0u) {
        STATE run = identity();
        for (; left >= 4u; left -= 4u, p += 4u) take_quad(run, load_positions(line, p));
        if (left != 0u) {
            Quad q = load_last_positions(line, p, left);
            run = take(run, pre(q.a));
            if (left > 1u) run = take(run, pre(q.b));
            if (left > 2u) run = take(run, pre(q.c));
        }
        group = combine(group, run);
    }
    return combine(tile, group);
}

void main() {
    uint index = push.first_item + lane_index();
    if (index >= push.item_end) return;
    Item item = item_at(index, push.tiles, 1u);
    uint p = item.tile * TILE;
    uint line = push.source_base + item.outer * push.n;
    store_state(state_index(item), tile_aggregate(line, p, min(TILE, push.n - p)));
}
