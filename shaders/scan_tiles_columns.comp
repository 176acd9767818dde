// First pass over long columns: the aggregate of every tile of every column. Each
// lane walks a tile of two columns. Twin: cpuref/scan_tiles.go.
#version 450
#extension GL_GOOGLE_include_directive : require
#define NO_RESULT
#include "scan_columns.glsl"

// Takes `rows` rows into the runs.
void take_rows(inout StatePair run, inout Columns at, uint rows) {
    for (uint k = 0u; k < rows; k++) {
        ElementPair x = load_row(at);
        run.a = take(run.a, pre(x.a));
        run.b = take(run.b, pre(x.b));
        advance(at);
    }
}

// The folds of the next `count` rows.
StatePair tile_aggregates(Columns at, uint count) {
    StatePair tile = identities();
    uint runs = count / RUN;
    uint left = count % RUN;
    StatePair group = identities();
    for (uint first = 0u; first < runs; first += 16u) {
        group = identities();
        uint end = min(first + 16u, runs);
        for (uint r = first; r < end; r++) {
            StatePair run = identities();
            take_rows(run, at, RUN);
            group = combine_pairs(group, run);
        }
        if (end == first + 16u) tile = combine_pairs(tile, group);
    }
    if (count % GROUP == 0u) return tile;
    if (runs % 16u == 0u) group = identities();
    if (left != 0u) {
        StatePair run = identities();
        take_rows(run, at, left);
        group = combine_pairs(group, run);
    }
    return combine_pairs(tile, group);
}

void main() {
    uint index = push.first_item + lane_index();
    if (index >= push.item_end) return;
    Item item = pair_item(index, push.tiles);
    uint p = item.tile * TILE;
    StatePair aggregates = tile_aggregates(columns_from(item, p), min(TILE, push.n - p));
    store_state(state_index(item), aggregates.a);
    store_state(state_index(second_of(item)), aggregates.b);
}
