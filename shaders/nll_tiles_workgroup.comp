// First pass of the reductions: the sums of every tile of samples, one workgroup a
// tile. Terms pass through shared memory, so that neighbouring threads read
// neighbouring targets and each run is folded by one thread. Twin: cpuref/nll.go.
#version 450
#extension GL_GOOGLE_include_directive : require
#include "nll_sums.glsl"
#include "workgroup_tree.glsl"

#define STAGE 1024u

// A word of padding after each run keeps threads on different banks.
shared REAL stage[STAGE + STAGE / RUN];

// The sum of the losses, or of the weights, of `count` samples from `start` on.
STATE tile_sum(uint start, uint count, bool of_weights) {
    for (uint first = 0u; first < count; first += STAGE) {
        for (uint i = gl_LocalInvocationID.x; i < STAGE; i += gl_WorkGroupSize.x) {
            if (first + i < count) {
                uint position = start + first + i;
                Sample s = sample_at(position, place_of(position));
                stage[i + i / RUN] = of_weights ? s.weight : s.loss;
            }
        }
        barrier();
        for (uint run = gl_LocalInvocationID.x; run < STAGE / RUN; run += gl_WorkGroupSize.x) {
            STATE s = identity();
            for (uint k = 0u; k < RUN; k++) {
                if (first + run * RUN + k < count) s = take(s, stage[run * (RUN + 1u) + k]);
            }
            run_states[first / RUN + run] = s;
        }
        barrier();
    }
    uint runs = (count + RUN - 1u) / RUN;
    fold_groups(runs);
    return fold_tile(runs);
}

void main() {
    uint index = push.first_item + group_index();
    if (index >= push.item_end) return; // the whole workgroup
    uint start = index * TILE;
    uint count = min(TILE, push.samples - start);
    STATE losses = tile_sum(start, count, false);
    STATE weight_sum = identity();
    if (mean != 0u) {
        barrier(); // the shared states are read above and written again below
        weight_sum = tile_sum(start, count, true);
    }
    if (gl_LocalInvocationID.x == 0u) {
        store_state((push.first_tile + index) * 2u, losses);
        store_state((push.first_tile + index) * 2u + 1u, weight_sum);
    }
}
