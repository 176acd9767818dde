// First pass over long columns: the aggregate of every tile of every column. Each
// lane walks a tile of a block of columns. Twin: foldTile in cpuref/scan_tiles.go.
#version 450
#extension GL_GOOGLE_include_directive : require
#define NO_RESULT
#define PREFETCH
#include "scan_columns.glsl"

// The folds of the next `rows` rows, a run.
void fold_run(inout uint from, uint rows) {
    for (uint v = 0u; v < block_columns; v++) run_aggregate[v] = identity();
    for (uint k = 0u; k < rows; k += rows_at_once, from += rows_at_once * stride()) {
        prefetch(from, from);
        load_row(from);
        for (uint e = 0u; e < block_elements; e++) {
            uint v = e % block_columns;
            run_aggregate[v] = take(run_aggregate[v], pre(row[e]));
        }
    }
    for (uint v = 0u; v < block_columns; v++) group_aggregate[v] = combine(group_aggregate[v], run_aggregate[v]);
}

// The folds of the next `count` rows.
void fold_tile(uint from, uint count) {
    rows_left = count;
    for (uint v = 0u; v < block_columns; v++) tile_aggregate[v] = identity();
    for (uint group = 0u; group < count; group += GROUP) {
        for (uint v = 0u; v < block_columns; v++) group_aggregate[v] = identity();
        uint end = min(group + GROUP, count);
        for (uint run = group; run < end; run += RUN) fold_run(from, min(RUN, end - run));
        for (uint v = 0u; v < block_columns; v++) tile_aggregate[v] = combine(tile_aggregate[v], group_aggregate[v]);
        from += nothing_fetched();
    }
}

void main() {
    uint index = push.first_item + lane_index();
    if (index >= push.item_end) return;
    Item item = block_item(index, push.tiles);
    uint p = item.tile * TILE;
    fold_tile(push.source_base + block_index(item, p), min(TILE, push.n - p));
    for (uint v = 0u; v < block_columns; v++) {
        if (is_live(v)) store_state(state_index(item) + v, tile_aggregate[v]);
    }
}
