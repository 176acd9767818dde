// Last pass over long columns, and the only one over short columns: the outputs.
// Each lane walks two columns, through one tile from their carries or through some
// tiles in a row from the top. Twin: cpuref/scan_outputs.go.
#version 450
#extension GL_GOOGLE_include_directive : require
#define READ_ONLY_STATES
#include "scan_columns.glsl"

// Writes the outputs of `rows` rows, which also go into the runs' aggregates.
void scan_rows(inout StatePair run, StatePair s, inout Columns at, uint rows) {
    for (uint k = 0u; k < rows; k++) {
        ElementPair x = load_row(at);
        TERM a = pre(x.a);
        TERM b = pre(x.b);
        run.a = take(run.a, a);
        run.b = take(run.b, b);
        ElementPair y;
        y.a = step_output(s.a, a);
        y.b = step_output(s.b, b);
        store_row(at, y);
        advance(at);
    }
}

// Writes the outputs of the next `count` rows, given the carries into them. The
// carries become those into the next tile; after a tile that ends the columns
// they have no meaning.
void scan_tile(inout Columns at, uint count, inout StatePair carry) {
    StatePair tile = identities();
    StatePair group_carry = carry;
    StatePair run_carry = carry;
    uint runs = count / RUN;
    uint left = count % RUN;
    for (uint first = 0u; first < runs; first += 16u) {
        StatePair group = identities();
        run_carry = group_carry;
        uint end = min(first + 16u, runs);
        for (uint r = first; r < end; r++) {
            StatePair run = identities();
            scan_rows(run, run_carry, at, RUN);
            group = combine_pairs(group, run);
            run_carry = combine_pairs(run_carry, run);
        }
        tile = combine_pairs(tile, group);
        if (end == first + 16u) {
            group_carry = combine_pairs(group_carry, group);
            run_carry = group_carry;
        }
    }
    if (left != 0u) {
        StatePair run = identities();
        scan_rows(run, run_carry, at, left);
    }
    carry = combine_pairs(carry, tile);
}

void main() {
    uint index = push.first_item + lane_index();
    if (index >= push.item_end) return;
    uint blocks = (push.tiles + push.tiles_per_item - 1u) / push.tiles_per_item;
    Item item = pair_item(index, blocks);
    item.tile *= push.tiles_per_item;
    Columns at = columns_from(item, item.tile * TILE);
    Columns top = at;
    StatePair carry = StatePair(starting_carry(item), starting_carry(second_of(item)));
    ElementPair first = load_row(at);
    uint end = min(item.tile + push.tiles_per_item, push.tiles);
    for (uint tile = item.tile; tile < end; tile++) {
        scan_tile(at, min(TILE, push.n - tile * TILE), carry);
    }
    if (exclusive_scan == 0u && starts_line(item.tile)) {
        store_row(top, ElementPair(first_inclusive(first.a), first_inclusive(first.b)));
    }
}
