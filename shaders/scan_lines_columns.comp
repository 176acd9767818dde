// Columns of up to 16 rows, a run each, in one pass: without aggregates, since no column has a
// second run. Each lane walks blocks of columns. Twin: walkLines in cpuref/scan_outputs.go.
#version 450
#extension GL_GOOGLE_include_directive : require
#define READ_ONLY_STATES
#define PREFETCH
#define PUSH_LINES
#include "scan_columns.glsl"

STATE state[block_columns];

// Writes the outputs of a block.
void scan_block(uint from, uint to) {
    for (uint v = 0u; v < block_columns; v++) state[v] = identity();
    rows_left = push.n;
    for (uint k = 0u; k < push.n; k += rows_at_once) {
        prefetch(from, to);
        load_row(from);
        for (uint e = 0u; e < block_elements; e++) {
            ELEMENT x = row[e];
            row[e] = step_output(state[e % block_columns], pre(x));
            if (exclusive_scan == 0u && e < block_columns) row[e] = choose(k == 0u, first_inclusive(x), row[e]);
        }
        store_row(to);
        from += rows_at_once * stride();
        to += rows_at_once * stride() + nothing_fetched();
    }
}

void main() {
    uint index = push.first_item + lane_index();
    if (index >= push.item_end) return;
    uint size = gl_WorkGroupSize.x;
    index = index / size * push.lines_per_item * size + index % size;
    for (uint k = 0u; k < push.lines_per_item; k++, index += size) {
        if (index >= push.lines) break;
        Item item = block_item(index, 1u);
        uint at = block_index(item, 0u);
        scan_block(push.source_base + at, push.result_base + at);
    }
}
