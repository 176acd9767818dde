// Last pass over long lines, and the only one over short lines: the outputs, one
// workgroup a tile. Twin: walkLines in cpuref/walker.go.
#version 450
#extension GL_GOOGLE_include_directive : require
#define READ_ONLY_STATES
#include "scan_workgroup.glsl"

void main() {
    Item item;
    if (!workgroup_item(item)) return; // the whole workgroup
    Tile tile = tile_of(item);
    STATE carry = starting_carry(item);
    // Read before anything is written: source and result may be one buffer.
    ELEMENT first_element = load_element(tile.source + along(tile.start) * tile.stride);
    load_terms(tile);
    fold_runs(tile);
    fold_groups(runs_in(tile));
    spread_carries(runs_in(tile), carry);

    for (uint first = 0u; first < tile.count; first += STAGE) {
        for (uint own = 0u; own < own_runs; own++) {
            uint r = own * gl_WorkGroupSize.x + gl_LocalInvocationID.x;
            if (r * RUN >= first && r * RUN < first + STAGE) {
                uint length = run_length(tile, r);
                STATE s = run_states[r];
                for (uint k = 0u; k < RUN; k++) {
                    if (k < length) stage[staged(r * RUN - first) + k] = step_output(s, terms[own * RUN + k]);
                }
                if (r == 0u && exclusive_scan == 0u && starts_line(item.tile)) stage[0] = first_inclusive(first_element);
            }
        }
        barrier();
        store_stage(tile, first);
        barrier();
    }
}
