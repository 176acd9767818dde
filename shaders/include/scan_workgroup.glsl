// A block of neighbours in memory, up to 4,096 elements, in the registers of one
// workgroup: each thread holds runs of 16 positions, and stages of 1,024 elements
// pass through shared memory so that neighbouring threads touch neighbouring
// elements. The kernel says where in the block its runs lie.
//
// Shared memory stays below 16 KiB for every type: the stage takes 4.3 or 8.5 KiB,
// the states at most 6.8.
#ifndef VKOPS_SCAN_WORKGROUP_GLSL
#define VKOPS_SCAN_WORKGROUP_GLSL

#include "scan.glsl"
#include "workgroup_tree.glsl"

#define STAGE 1024u

// A word of padding after each run keeps the threads of a subgroup on different
// banks, whether they walk along runs or across them.
shared ELEMENT stage[STAGE + STAGE / RUN];

uint staged(uint i) { return i + i / RUN; }

// The runs that this thread owns, their terms, run by run, and their first elements.
const uint own_runs = tile_runs / gl_WorkGroupSize.x;
TERM terms[RUN * own_runs];
ELEMENT run_first[own_runs];

// The elements that this workgroup works on, in the order of their positions: in
// reverse scans the first lies last in memory.
struct Block {
    uint count;
    uint source, result; // index of the first
};

// The index that lies some elements after i.
uint moved(uint i, uint elements) { return reverse_scan != 0u ? i - elements : i + elements; }

// What the kernel defines. Element k of run r is element
// run_start + k * run_step of the block.
uint run_start(uint r);
uint run_step();
uint run_length(Block block, uint r);
bool run_starts_line(uint r);

// Whether a run of `length` elements has some in the stage of `first`.
bool run_is_staged(uint start, uint length, uint first) {
    return length != 0u && start < first + STAGE && start + (length - 1u) * run_step() >= first;
}

uint own_run(uint own) { return own * gl_WorkGroupSize.x + gl_LocalInvocationID.x; }

// Brings elements first to first+STAGE-1 of the block into the stage.
void load_stage(Block block, uint first) {
#if defined(PACKED)
    // Two elements are a word; the first starts one, or ends one in reverse.
    for (uint i = gl_LocalInvocationID.x * 2u; i < STAGE; i += gl_WorkGroupSize.x * 2u) {
        if (first + i < block.count) {
            uint word = source.at[moved(block.source, first + i) >> 1];
            float low = load16(word & 0xffffu);
            float high = load16(word >> 16);
            stage[staged(i)] = reverse_scan != 0u ? high : low;
            stage[staged(i + 1u)] = reverse_scan != 0u ? low : high;
        }
    }
#else
    for (uint i = gl_LocalInvocationID.x; i < STAGE; i += gl_WorkGroupSize.x) {
        if (first + i < block.count) stage[staged(i)] = source.at[moved(block.source, first + i)];
    }
#endif
}

// Loads the block and keeps the terms of this thread's runs.
void load_terms(Block block) {
    for (uint first = 0u; first < block.count; first += STAGE) {
        load_stage(block, first);
        barrier();
        for (uint own = 0u; own < own_runs; own++) {
            uint r = own_run(own);
            uint length = run_length(block, r);
            if (!run_is_staged(run_start(r), length, first)) continue;
            uint at = run_start(r) - first; // wraps where that lies before the stage
            for (uint k = 0u; k < RUN; k++, at += run_step()) {
                if (k < length && at < STAGE) {
                    ELEMENT x = stage[staged(at)];
                    if (k == 0u) run_first[own] = x;
                    terms[own * RUN + k] = pre(x);
                }
            }
        }
        barrier();
    }
}

// Leaves the aggregates of this thread's runs in shared memory.
void fold_runs(Block block) {
    for (uint own = 0u; own < own_runs; own++) {
        uint r = own_run(own);
        uint length = run_length(block, r);
        STATE s = identity();
        for (uint k = 0u; k < RUN; k++) {
            if (k < length) s = take(s, terms[own * RUN + k]);
        }
        run_states[r] = s;
    }
}

#ifndef NO_RESULT

// Writes the stage to elements first to first+STAGE-1 of the block.
void store_stage(Block block, uint first) {
#if defined(PACKED)
    for (uint i = gl_LocalInvocationID.x * 2u; i < STAGE; i += gl_WorkGroupSize.x * 2u) {
        if (first + i < block.count) {
            float y = stage[staged(i)];
            float next = first + i + 1u < block.count ? stage[staged(i + 1u)] : 0.0;
            uint at = moved(block.result, first + i);
            if (reverse_scan != 0u) {
                store_pair(at & ~1u, next, y);
            } else {
                store_pair(at, y, next);
            }
        }
    }
#else
    for (uint i = gl_LocalInvocationID.x; i < STAGE; i += gl_WorkGroupSize.x) {
        if (first + i < block.count) result.at[moved(block.result, first + i)] = stage[staged(i)];
    }
#endif
}

// Writes the outputs of the block; run_states hold the carries of the runs.
void store_outputs(Block block) {
    for (uint first = 0u; first < block.count; first += STAGE) {
        for (uint own = 0u; own < own_runs; own++) {
            uint r = own_run(own);
            uint length = run_length(block, r);
            if (!run_is_staged(run_start(r), length, first)) continue;
            uint at = run_start(r) - first;
            STATE s = run_states[r];
            for (uint k = 0u; k < RUN; k++, at += run_step()) {
                if (k < length) {
                    ELEMENT y = step_output(s, terms[own * RUN + k]);
                    if (k == 0u && exclusive_scan == 0u && run_starts_line(r)) y = first_inclusive(run_first[own]);
                    if (at < STAGE) stage[staged(at)] = y;
                }
            }
        }
        barrier();
        store_stage(block, first);
        barrier();
    }
}

#endif

#endif
