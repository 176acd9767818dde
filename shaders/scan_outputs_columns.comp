// Last pass over long columns, and the only one over short columns: the outputs.
// Each lane walks a block of columns, through one tile from their carries or
// through some tiles in a row from the top. Twin: walkLines in cpuref/scan_outputs.go.
#version 450
#extension GL_GOOGLE_include_directive : require
#define READ_ONLY_STATES
#define PREFETCH
#include "scan_columns.glsl"

STATE state[block_columns]; // within a run
STATE run_carry[block_columns];
STATE group_carry[block_columns];
STATE tile_carry[block_columns];

// Writes the outputs of a run of `rows` rows.
void scan_run(inout uint from, inout uint to, uint rows) {
    for (uint v = 0u; v < block_columns; v++) {
        run_aggregate[v] = identity();
        state[v] = run_carry[v];
    }
    for (uint k = 0u; k < rows; k += rows_at_once) {
        prefetch(from, to);
        load_row(from);
        for (uint e = 0u; e < block_elements; e++) {
            uint v = e % block_columns;
            TERM t = pre(row[e]);
            run_aggregate[v] = take(run_aggregate[v], t);
            row[e] = step_output(state[v], t);
        }
        store_row(to);
        from += rows_at_once * stride();
        to += rows_at_once * stride();
    }
}

// Writes the outputs of the next `count` rows, and turns the tile's carries into
// those of the next tile; after a tile that ends the columns they have no meaning.
void scan_tile(inout uint from, inout uint to, uint count) {
    for (uint v = 0u; v < block_columns; v++) {
        tile_aggregate[v] = identity();
        group_carry[v] = tile_carry[v];
    }
    for (uint group = 0u; group < count; group += GROUP) {
        for (uint v = 0u; v < block_columns; v++) {
            group_aggregate[v] = identity();
            run_carry[v] = group_carry[v];
        }
        uint end = min(group + GROUP, count);
        for (uint run = group; run < end; run += RUN) {
            scan_run(from, to, min(RUN, end - run));
            for (uint v = 0u; v < block_columns; v++) {
                group_aggregate[v] = combine(group_aggregate[v], run_aggregate[v]);
                run_carry[v] = combine(run_carry[v], run_aggregate[v]);
            }
        }
        for (uint v = 0u; v < block_columns; v++) {
            tile_aggregate[v] = combine(tile_aggregate[v], group_aggregate[v]);
            group_carry[v] = combine(group_carry[v], group_aggregate[v]);
        }
        from += nothing_fetched();
    }
    for (uint v = 0u; v < block_columns; v++) tile_carry[v] = combine(tile_carry[v], tile_aggregate[v]);
}

void main() {
    uint index = push.first_item + lane_index();
    if (index >= push.item_end) return;
    Item item = block_item(index, (push.tiles + push.tiles_per_item - 1u) / push.tiles_per_item);
    item.tile *= push.tiles_per_item;
    uint from = push.source_base + block_index(item, item.tile * TILE);
    uint to = push.result_base + block_index(item, item.tile * TILE);
    uint top = to;
    for (uint v = 0u; v < block_columns; v++) {
        tile_carry[v] = identity();
        if (carried != 0u && is_live(v)) tile_carry[v] = load_state(state_index(item) + v);
    }
    ELEMENT first[block_columns];
    load_row(from);
    for (uint v = 0u; v < block_columns; v++) first[v] = row[v];
    uint end = min(item.tile + push.tiles_per_item, push.tiles);
    rows_left = min(end * TILE, push.n) - item.tile * TILE;
    for (uint tile = item.tile; tile < end; tile++) {
        scan_tile(from, to, min(TILE, push.n - tile * TILE));
    }
    if (exclusive_scan == 0u && starts_line(item.tile)) {
        if (rows_at_once > 1u) {
            for (uint v = 0u; v < block_columns; v++) replace_element(top + v, first_inclusive(first[v]));
        } else {
            for (uint v = 0u; v < block_columns; v++) row[v] = first_inclusive(first[v]);
            store_row(top);
        }
    }
}
