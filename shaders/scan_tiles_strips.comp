// First pass over long columns: the aggregate of every stretch of every column. Twin:
// foldTile in cpuref/scan_tiles.go.
#version 450
#extension GL_GOOGLE_include_directive : require
#define NO_RESULT
#include "scan_strips.glsl"

STATE group_aggregate[COLUMNS];
STATE stretch_aggregate[COLUMNS];

// The folds of the `count` rows from p on.
void fold_stretch(Item item, uint p, uint count) {
    uint from = push.source_base + row_index(item, p);
    for (uint v = 0u; v < COLUMNS; v++) stretch_aggregate[v] = identity();
    for (uint group = 0u; group < count; group += GROUP) {
        for (uint v = 0u; v < COLUMNS; v++) group_aggregate[v] = identity();
        uint end = min(group + GROUP, count);
        for (uint first = group; first < end; first += RUN, from += RUN * row_step()) {
            uint rows = min(RUN, end - first);
            load_run(from, rows);
            for (uint v = 0u; v < COLUMNS; v++) {
                STATE s = identity();
                for (uint k = 0u; k < RUN; k++) {
                    if (k < rows) s = take(s, pre(run[v * RUN + k]));
                }
                group_aggregate[v] = combine(group_aggregate[v], s);
            }
        }
        for (uint v = 0u; v < COLUMNS; v++) {
            if (stretch == GROUP) {
                stretch_aggregate[v] = group_aggregate[v];
            } else {
                stretch_aggregate[v] = combine(stretch_aggregate[v], group_aggregate[v]);
            }
        }
    }
}

void main() {
    uint index = push.first_item + lane_index();
    if (index >= push.item_end) return;
    Item item = strip_item(index, push.tiles);
    uint p = item.tile * stretch;
    fold_stretch(item, p, min(stretch, push.n - p));
    for (uint v = 0u; v < COLUMNS; v++) store_state(state_index(item) + v, stretch_aggregate[v]);
}
