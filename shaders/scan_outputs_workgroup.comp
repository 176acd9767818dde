// Last pass over long lines: the outputs, one workgroup a tile. Twin: walkLines in
// cpuref/scan_outputs.go.
#version 450
#extension GL_GOOGLE_include_directive : require
#define READ_ONLY_STATES
#include "scan_tile.glsl"

void main() {
    Item item;
    if (!workgroup_item(item)) return; // the whole workgroup
    Block tile = tile_of(item);
    STATE carry = starting_carry(item);
    load_terms(tile);
    fold_runs(tile);
    fold_groups(runs_in(tile));
    spread_carries(runs_in(tile), carry);
    store_outputs(tile);
}
