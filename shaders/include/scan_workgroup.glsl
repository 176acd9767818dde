// A tile of a line in the registers of one workgroup: each thread holds runs of 16
// elements, and stages of 1,024 elements pass through shared memory so that
// neighbouring threads touch neighbouring elements of a line in memory.
//
// Shared memory stays below 16 KiB for every type: the stage takes 4.3 or 8.5 KiB,
// the states at most 6.4.
#ifndef VKOPS_SCAN_WORKGROUP_GLSL
#define VKOPS_SCAN_WORKGROUP_GLSL

#include "scan.glsl"
#include "workgroup_tree.glsl"

#define STAGE 1024u

// A word of padding after each run keeps the threads of a subgroup on different
// banks, whether they walk along runs or across them.
shared ELEMENT stage[STAGE + STAGE / RUN];

uint staged(uint i) { return i + i / RUN; }

// The runs that this thread owns, and their terms, run by run.
const uint own_runs = tile_runs / gl_WorkGroupSize.x;
TERM terms[RUN * own_runs];

// The tile that this workgroup works on.
struct Tile {
    uint start; // first position
    uint count; // positions
    uint source, result, stride; // index of position p: base + along(p) * stride
};

Tile tile_of(Item item) {
    uint start = item.tile * TILE;
    uint line = item.outer * push.n * push.inner + item.column;
    return Tile(start, min(TILE, push.n - start), push.source_base + line, push.result_base + line, push.inner);
}

uint runs_in(Tile tile) { return (tile.count + RUN - 1u) / RUN; }

// Elements of run r.
uint run_length(Tile tile, uint r) { return tile.count > r * RUN ? min(RUN, tile.count - r * RUN) : 0u; }

// Brings elements first to first+STAGE-1 of the tile into the stage.
void load_stage(Tile tile, uint first) {
#if defined(PACKED)
    // Two positions are a word. Position 0 starts one, and inner is 1.
    for (uint i = gl_LocalInvocationID.x * 2u; i < STAGE; i += gl_WorkGroupSize.x * 2u) {
        if (first + i < tile.count) {
            uint word = source.at[(tile.source + along(tile.start + first + i)) >> 1];
            float low = load16(word & 0xffffu);
            float high = load16(word >> 16);
            stage[staged(i)] = reverse_scan != 0u ? high : low;
            stage[staged(i + 1u)] = reverse_scan != 0u ? low : high;
        }
    }
#else
    for (uint i = gl_LocalInvocationID.x; i < STAGE; i += gl_WorkGroupSize.x) {
        if (first + i < tile.count) stage[staged(i)] = source.at[tile.source + along(tile.start + first + i) * tile.stride];
    }
#endif
}

#ifndef NO_RESULT
// Writes the stage to elements first to first+STAGE-1 of the tile.
void store_stage(Tile tile, uint first) {
#if defined(PACKED)
    for (uint i = gl_LocalInvocationID.x * 2u; i < STAGE; i += gl_WorkGroupSize.x * 2u) {
        if (first + i < tile.count) {
            float y = stage[staged(i)];
            float next = first + i + 1u < tile.count ? stage[staged(i + 1u)] : 0.0;
            uint at = tile.result + along(tile.start + first + i);
            if (reverse_scan != 0u) {
                store_pair(at & ~1u, next, y);
            } else {
                store_pair(at, y, next);
            }
        }
    }
#else
    for (uint i = gl_LocalInvocationID.x; i < STAGE; i += gl_WorkGroupSize.x) {
        if (first + i < tile.count) result.at[tile.result + along(tile.start + first + i) * tile.stride] = stage[staged(i)];
    }
#endif
}
#endif

// Loads the tile and keeps the terms of this thread's runs.
void load_terms(Tile tile) {
    for (uint first = 0u; first < tile.count; first += STAGE) {
        load_stage(tile, first);
        barrier();
        for (uint own = 0u; own < own_runs; own++) {
            uint r = own * gl_WorkGroupSize.x + gl_LocalInvocationID.x;
            if (r * RUN >= first && r * RUN < first + STAGE) {
                uint length = run_length(tile, r);
                for (uint k = 0u; k < RUN; k++) {
                    if (k < length) terms[own * RUN + k] = pre(stage[staged(r * RUN - first) + k]);
                }
            }
        }
        barrier();
    }
}

// Leaves the aggregates of this thread's runs in shared memory.
void fold_runs(Tile tile) {
    for (uint own = 0u; own < own_runs; own++) {
        uint r = own * gl_WorkGroupSize.x + gl_LocalInvocationID.x;
        uint length = run_length(tile, r);
        STATE s = identity();
        for (uint k = 0u; k < RUN; k++) {
            if (k < length) s = take(s, terms[own * RUN + k]);
        }
        run_states[r] = s;
    }
}

// The item of this workgroup; false where it has none.
bool workgroup_item(out Item item) {
    uint index = push.first_item + group_index();
    item = item_at(index, push.tiles, push.inner);
    return index < push.item_end;
}

#endif
