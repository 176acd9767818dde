// Long lines in a single pass, one workgroup a tile, in the order in which tiles are
// drawn. Source and result are different memory, so that a tile that is missing can
// be folded from the source by whoever misses it. Twin: walkLines in
// cpuref/scan_outputs.go.
#version 450
#extension GL_GOOGLE_include_directive : require
#define COHERENT_STATES
#define PUSH_LINES
#include "scan_tile.glsl"
#include "lookback.glsl"

void main() {
    uint drawn = draw();
    if (drawn >= push.lines * push.tiles) return; // the whole workgroup
    Item own = item_at(drawn, push.tiles, 1u);
    uint own_node = push.first_tile + own.tile;
    LookBack at = start_of_look_back(own_node, !is_hostile(own_node));
    bool known = false; // the carry
    Item item = own;
    Block tile;
    // Once; and where something was missing, once for each tile of it and again.
    for (;;) {
        tile = tile_of(item);
        load_terms(tile);
        fold_runs(tile);
        fold_groups(runs_in(tile));
        if (known) break;
        uint node = push.first_tile + item.tile;
        bool silent = false;
        if (is_hostile(node) && item.tile == own.tile) {
            silent = hostile_delay == NEVER;
            if (!silent) {
                for (uint k = 0u; k < hostile_delay; k++) atomicOr(states.at[push.ticket], 0u);
            }
        }
        if (gl_LocalInvocationID.x == 0u && !silent) publish(node_index(item.outer, 0u, node), fold_tile(runs_in(tile)));
        uint missing = look_back(at, item.outer, own_node);
        known = missing == NONE;
        if (known && item.tile == own.tile) break;
        item.tile = known ? own.tile : missing - push.first_tile;
    }
    spread_carries(runs_in(tile), share(at.carry));
    store_outputs(tile);
}
