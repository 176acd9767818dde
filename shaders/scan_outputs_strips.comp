// Last pass over long columns, and the only one over short columns and over many: the
// outputs. Each lane walks a stretch from its carry, or some tiles in a row from the
// top. Twin: walkLines in cpuref/scan_outputs.go.
#version 450
#extension GL_GOOGLE_include_directive : require
#define READ_ONLY_STATES
#include "scan_strips.glsl"

STATE group_aggregate[COLUMNS];
STATE tile_aggregate[COLUMNS];
STATE run_carry[COLUMNS];
STATE group_carry[COLUMNS];
STATE tile_carry[COLUMNS];

// Turns a run into its outputs, and its carry into that of the next run.
void scan_run(uint v, uint rows, bool starts) {
    STATE aggregate = identity();
    STATE s = run_carry[v];
    ELEMENT first = run[v * RUN];
    for (uint k = 0u; k < RUN; k++) {
        if (k < rows) {
            TERM t = pre(run[v * RUN + k]);
            aggregate = take(aggregate, t);
            run[v * RUN + k] = step_output(s, t);
        }
    }
    if (starts && exclusive_scan == 0u) run[v * RUN] = first_inclusive(first);
    group_aggregate[v] = combine(group_aggregate[v], aggregate);
    run_carry[v] = combine(run_carry[v], aggregate);
}

// Writes the outputs of the `count` rows from p on, and turns the carries into those
// of the next tile; after a stretch that ends the columns or is a group they have no
// meaning.
void scan_stretch(Item item, uint p, uint count) {
    uint from = push.source_base + row_index(item, p);
    uint to = push.result_base + row_index(item, p);
    for (uint v = 0u; v < COLUMNS; v++) {
        tile_aggregate[v] = identity();
        group_carry[v] = tile_carry[v];
    }
    for (uint group = 0u; group < count; group += GROUP) {
        for (uint v = 0u; v < COLUMNS; v++) {
            group_aggregate[v] = identity();
            run_carry[v] = group_carry[v];
        }
        uint end = min(group + GROUP, count);
        for (uint first = group; first < end; first += RUN) {
            uint rows = min(RUN, end - first);
            load_run(from, rows);
            bool starts = p + first == 0u && starts_line(0u);
            for (uint v = 0u; v < COLUMNS; v++) scan_run(v, rows, starts);
            store_run(to, rows);
            from += RUN * row_step();
            to += RUN * row_step();
        }
        for (uint v = 0u; v < COLUMNS; v++) {
            tile_aggregate[v] = combine(tile_aggregate[v], group_aggregate[v]);
            group_carry[v] = combine(group_carry[v], group_aggregate[v]);
        }
    }
    for (uint v = 0u; v < COLUMNS; v++) tile_carry[v] = combine(tile_carry[v], tile_aggregate[v]);
}

void main() {
    uint index = push.first_item + lane_index();
    if (index >= push.item_end) return;
    Item item = strip_item(index, (push.tiles + push.tiles_per_item - 1u) / push.tiles_per_item);
    item.tile *= push.tiles_per_item;
    for (uint v = 0u; v < COLUMNS; v++) {
        tile_carry[v] = identity();
        if (carried != 0u) tile_carry[v] = load_state(state_index(item) + v);
    }
    uint end = min(item.tile + push.tiles_per_item, push.tiles);
    for (uint tile = item.tile; tile < end; tile++) {
        scan_stretch(item, tile * stretch, min(stretch, push.n - tile * stretch));
    }
}
