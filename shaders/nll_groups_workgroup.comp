// First pass of the reductions: the sums of every group of samples, one workgroup for
// some neighbouring groups. Terms pass through shared memory, so that neighbouring
// threads read neighbouring targets and each run is folded by one thread. Twin:
// cpuref/nll.go.
#version 450
#extension GL_GOOGLE_include_directive : require
#define NO_RESULT
#define STATES_BINDING 3
#include "nll_samples.glsl"
#include "nll_sums.glsl"
#include "states.glsl"

// Groups of a workgroup: as many as leave room in 16 KiB.
#define GROUPS (4u / REAL_WORDS)
#define SAMPLES (GROUPS * GROUP)
#define RUNS (SAMPLES / RUN)

// A word of padding after each run keeps threads on different banks.
shared REAL losses[SAMPLES + RUNS];
shared REAL weight_terms[SAMPLES + RUNS];
shared Sums runs[RUNS];

void main() {
    uint index = push.first_item + group_index();
    if (index >= push.item_end) return; // the whole workgroup
    uint start = index * SAMPLES;
    uint count = min(SAMPLES, push.samples - start);
    for (uint i = gl_LocalInvocationID.x; i < count; i += gl_WorkGroupSize.x) {
        uint position = start + i;
        Sample s = sample_at(position, load_target(position), place_of(position));
        losses[i + i / RUN] = s.loss;
        if (mean != 0u) weight_terms[i + i / RUN] = s.weight;
    }
    report_bad();
    barrier();
    for (uint r = gl_LocalInvocationID.x; r * RUN < count; r += gl_WorkGroupSize.x) {
        Sums run = no_sums();
        uint end = min(r * RUN + RUN, count);
        for (uint i = r * RUN; i < end; i++) take_terms(run, losses[i + r], mean != 0u ? weight_terms[i + r] : nothing());
        runs[r] = run;
    }
    barrier();
    for (uint g = gl_LocalInvocationID.x; g * GROUP < count; g += gl_WorkGroupSize.x) {
        Sums group = no_sums();
        uint end = min(g * GROUP + GROUP, count);
        for (uint r = g * RUN; r * RUN < end; r++) group = add(group, runs[r]);
        uint node = push.first_state + (index * GROUPS + g) * 2u;
        store_state(node, group.losses);
        store_state(node + 1u, group.weights);
    }
}
