// Passes of LogSoftmax over lines whose elements are neighbours. Each workgroup walks
// lines, or tiles of them. Twin: cpuref/softmax.go.
#version 450
#extension GL_GOOGLE_include_directive : require
#include "scan.glsl"
#include "softmax_passes.glsl"
#include "workgroup_tree.glsl"

// Shared memory is 16 KiB at least.
#if REAL_WORDS == 2
#define STAGE 512u
#else
#define STAGE 1024u
#endif

// Terms on their way from the threads that compute them, neighbours in memory, to
// those that fold a run each. A word of padding after each run keeps threads on
// different banks.
shared Pair stage[STAGE + STAGE / RUN];

KEY largest_in(uint line, uint p, uint end) {
    KEY largest = key_of_negative_infinity();
    for (p += gl_LocalInvocationID.x; p < end; p += gl_WorkGroupSize.x) largest = largest_of(largest, load_element(line + p));
    run_states[gl_LocalInvocationID.x] = Softmax(largest, pair_identity());
    fold_groups(gl_WorkGroupSize.x);
    return fold_tile(gl_WorkGroupSize.x).largest;
}

// The sum of the `count` elements from i on, at most a tile.
Pair tile_sum(uint i, uint count, REAL largest) {
    for (uint first = 0u; first < count; first += STAGE) {
        for (uint at = gl_LocalInvocationID.x; at < STAGE; at += gl_WorkGroupSize.x) {
            if (first + at < count) stage[at + at / RUN] = softmax_term(load_element(i + first + at), largest);
        }
        barrier();
        for (uint run = gl_LocalInvocationID.x; run < STAGE / RUN; run += gl_WorkGroupSize.x) {
            Pair sum = pair_identity();
            for (uint k = 0u; k < RUN; k++) {
                if (first + run * RUN + k < count) sum = softmax_take(sum, stage[run * (RUN + 1u) + k]);
            }
            if (first + run * RUN < count) run_states[first / RUN + run] = Softmax(key_of_negative_infinity(), sum);
        }
        barrier();
    }
    uint runs = (count + RUN - 1u) / RUN;
    fold_groups(runs);
    return fold_tile(runs).sum;
}

void store_outputs(uint from, uint to, uint count, SoftmaxLine state) {
#if defined(PACKED)
    for (uint i = 2u * gl_LocalInvocationID.x; i < count; i += 2u * gl_WorkGroupSize.x) {
        ELEMENT low = log_probability(state, load_element(from + i));
        ELEMENT high = POSITIVE_ZERO;
        if (i + 1u < count) high = log_probability(state, load_element(from + i + 1u));
        store_pair(to + i, low, high);
    }
#else
    for (uint i = gl_LocalInvocationID.x; i < count; i += gl_WorkGroupSize.x) {
        replace_element(to + i, log_probability(state, load_element(from + i)));
    }
#endif
}

void main() {
    uint index = push.first_item + group_index();
    if (index >= push.item_end) return; // the whole workgroup
    Item item = item_at(index, tile_blocks(), 1u);
    uint p = first_position(item);
    uint end = position_end(item);
    uint line = push.source_base + item.outer * push.n;
    STATE s = identity();
    if (find_largest != 0u) {
        s.largest = largest_in(line, p, end);
    } else {
        s = load_line(item);
    }
    if (add_up != 0u) {
        s.sum = pair_identity();
        for (uint start = p; start < end; start += TILE) {
            s.sum = pair_combine(s.sum, tile_sum(line + start, min(TILE, end - start), from_ordered_bits(s.largest)));
        }
    }
    if (put_out != 0u) {
        store_outputs(line + p, push.result_base + item.outer * push.n + p, end - p, softmax_line(s));
    } else if (gl_LocalInvocationID.x == 0u) {
        store_state(state_index(item), s);
    }
}
