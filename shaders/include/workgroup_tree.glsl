// The carry tree inside one tile, by one workgroup: up to 256 runs in shared
// memory, fewer where lines are short. The workgroup's size divides that; thread t
// owns the runs t, t + size, ...
// All barriers are in uniform control flow, and nothing relies on subgroups.
#ifndef VKOPS_WORKGROUP_TREE_GLSL
#define VKOPS_WORKGROUP_TREE_GLSL

layout(constant_id = 7) const uint tile_runs = 256u; // at most

shared STATE run_states[tile_runs];
#ifndef GROUPS
#define GROUPS 16
#endif
shared STATE group_states[GROUPS];

// From the aggregates of `runs` runs: those of their groups. The caller has
// written run_states and not yet waited.
void fold_groups(uint runs) {
    barrier();
    uint groups = (runs + 15u) / 16u;
    for (uint g = gl_LocalInvocationID.x; g < groups; g += gl_WorkGroupSize.x) {
        STATE s = identity();
        uint end = min(g * 16u + 16u, runs);
        for (uint r = g * 16u; r < end; r++) s = combine(s, run_states[r]);
        group_states[g] = s;
    }
    barrier();
}

// The aggregate of the tile; after fold_groups.
STATE fold_tile(uint runs) {
    STATE s = identity();
    uint groups = (runs + 15u) / 16u;
    for (uint g = 0u; g < groups; g++) s = combine(s, group_states[g]);
    return s;
}

// Replaces the runs' aggregates by their carries, given the tile's; after
// fold_groups.
void spread_carries(uint runs, STATE carry) {
    uint groups = (runs + 15u) / 16u;
    for (uint g = gl_LocalInvocationID.x; g < groups; g += gl_WorkGroupSize.x) {
        STATE s = carry;
        for (uint before = 0u; before < g; before++) s = combine(s, group_states[before]);
        uint end = min(g * 16u + 16u, runs);
        for (uint r = g * 16u; r < end; r++) {
            STATE aggregate = run_states[r];
            run_states[r] = s;
            s = combine(s, aggregate);
        }
    }
    barrier();
}

#endif
