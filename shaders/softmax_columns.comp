// Passes of LogSoftmax over columns. Each lane walks a block of columns, or a tile of
// it. Twin: cpuref/softmax.go.
#version 450
#extension GL_GOOGLE_include_directive : require
#include "scan_columns.glsl"
#include "softmax_passes.glsl"

STATE column_state[block_columns];
REAL column_largest[block_columns];
SoftmaxLine column_line[block_columns];
Pair run_sum[block_columns];
Pair group_sum[block_columns];
Pair tile_sum[block_columns];

void find(uint from, uint rows) {
    for (uint k = 0u; k < rows; k++, from += push.inner) {
        load_row(from);
        for (uint v = 0u; v < block_columns; v++) column_state[v].largest = largest_of(column_state[v].largest, row[v]);
    }
}

// Adds the next `rows` rows, a run.
void add_run(inout uint from, uint rows) {
    for (uint v = 0u; v < block_columns; v++) run_sum[v] = pair_identity();
    for (uint k = 0u; k < rows; k++, from += push.inner) {
        load_row(from);
        for (uint v = 0u; v < block_columns; v++) run_sum[v] = softmax_take(run_sum[v], softmax_term(row[v], column_largest[v]));
    }
    for (uint v = 0u; v < block_columns; v++) group_sum[v] = pair_combine(group_sum[v], run_sum[v]);
}

void add(uint from, uint rows) {
    for (uint v = 0u; v < block_columns; v++) column_largest[v] = from_ordered_bits(column_state[v].largest);
    for (uint v = 0u; v < block_columns; v++) column_state[v].sum = pair_identity();
    for (uint p = 0u; p < rows;) {
        uint tile_end = min(p + TILE, rows);
        for (uint v = 0u; v < block_columns; v++) tile_sum[v] = pair_identity();
        while (p < tile_end) {
            uint group_end = min(p + GROUP, tile_end);
            for (uint v = 0u; v < block_columns; v++) group_sum[v] = pair_identity();
            for (; p < group_end; p += RUN) add_run(from, min(RUN, group_end - p));
            p = group_end;
            for (uint v = 0u; v < block_columns; v++) tile_sum[v] = pair_combine(tile_sum[v], group_sum[v]);
        }
        for (uint v = 0u; v < block_columns; v++) column_state[v].sum = pair_combine(column_state[v].sum, tile_sum[v]);
    }
}

void put(uint from, uint to, uint rows) {
    for (uint v = 0u; v < block_columns; v++) column_line[v] = softmax_line(column_state[v]);
    for (uint k = 0u; k < rows; k++, from += push.inner, to += push.inner) {
        load_row(from);
        for (uint v = 0u; v < block_columns; v++) row[v] = log_probability(column_line[v], row[v]);
        store_row(to);
    }
}

void main() {
    uint index = push.first_item + lane_index();
    if (index >= push.item_end) return;
    Item item = block_item(index, tile_blocks());
    uint p = first_position(item);
    uint rows = position_end(item) - p;
    uint at = block_index(item, p);
    for (uint v = 0u; v < block_columns; v++) {
        column_state[v] = identity();
        if (find_largest == 0u && is_live(v)) column_state[v] = load_state(push.root + item.outer * push.inner + item.column + v);
    }
    if (find_largest != 0u) find(push.source_base + at, rows);
    if (add_up != 0u) add(push.source_base + at, rows);
    if (put_out != 0u) {
        put(push.source_base + at, push.result_base + at, rows);
    } else {
        for (uint v = 0u; v < block_columns; v++) {
            if (is_live(v)) store_state(state_index(item) + v, column_state[v]);
        }
    }
}
