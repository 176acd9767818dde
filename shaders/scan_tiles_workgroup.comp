// First pass over long lines: the aggregate of every tile, one workgroup a tile.
// Twin: foldTile in cpuref/scan_tiles.go.
#version 450
#extension GL_GOOGLE_include_directive : require
#define NO_RESULT
#include "scan_tile.glsl"

void main() {
    Item item;
    if (!workgroup_item(item)) return; // the whole workgroup
    Block tile = tile_of(item);
    load_terms(tile);
    fold_runs(tile);
    fold_groups(runs_in(tile));
    if (gl_LocalInvocationID.x == 0u) store_state(state_index(item), fold_tile(runs_in(tile)));
}
