// The samples of an NLL: targets, and the input elements and weights that they
// choose. A dispatch sees a window of samples; positions count from its start.
//
// The input is a tensor [N, classes, depth] and sample n*depth + d has the element
// [n, target, d]. Where it is too large to bind, nll_gather has put the elements in
// the order of the samples.
#ifndef VKOPS_NLL_SAMPLES_GLSL
#define VKOPS_NLL_SAMPLES_GLSL

#include "nll.glsl"
#include "elements.glsl"
#include "work.glsl"
#include "target.glsl"

layout(set = 0, binding = 6) readonly buffer WeightsBlock { STORED at[]; } weights;
#ifdef SOURCE_WORDS
layout(set = 0, binding = 9) STORED_TEXELS(weights);
#endif

layout(constant_id = 3) const uint weighted = 0u;
layout(constant_id = 4) const uint gathered = 0u;

ELEMENT load_weight(uint i) { return element_of(STORED_AT(weights, stored_index(i)), i); }

struct Sample {
    REAL loss;
    REAL weight;
    bool kept; // neither ignored nor out of range
};

// Where a sample's elements lie: that of class k is at start + k*depth.
struct Place {
    uint d, start;
};

Place place_of(uint position) {
    uint n = (push.first_d + position) / push.depth - push.first_row;
    uint d = (push.first_d + position) % push.depth;
    return Place(d, push.source_base + n * push.classes * push.depth + d);
}

Place next_place(Place p) {
    bool last = p.d + 1u == push.depth;
    return Place(last ? 0u : p.d + 1u, p.start + 1u + (last ? (push.classes - 1u) * push.depth : 0u));
}

// The place `by` samples on. The division is seldom needed; a software device divides
// lane by lane.
Place later_place(Place p, uint by) {
    p.d += by;
    p.start += by;
    while (p.d >= push.depth) { // once at most
        uint rows = p.d / push.depth;
        p.d -= rows * push.depth;
        p.start += rows * (push.classes - 1u) * push.depth;
    }
    return p;
}

// The smallest position of a target that is out of range, or all ones. An invocation
// notes those that it sees and reports once.
uint first_bad = 0xffffffffu;

void report_bad() {
    if (first_bad != 0xffffffffu) atomicMin(status.at[CANDIDATE], first_bad);
}

// A target that is out of range counts as ignored. Loads are made for every sample:
// software devices walk both sides of a branch anyway.
Sample sample_at(uint position, uvec2 target, Place place) {
    bool ignored = is_ignored(target);
    bool bad = !ignored && out_of_range(target);
    bool kept = !ignored && !bad;
    first_bad = bad ? min(first_bad, position) : first_bad;
    uint i = gathered != 0u ? push.source_base + position : place.start + target.x * push.depth;
    ELEMENT x = load_element(kept ? i : push.source_base);
    ELEMENT w = ELEMENT(1.0);
    if (weighted != 0u) w = load_weight(kept ? target.x : 0u);
    return Sample(kept ? loss(x, w) : nothing(), kept ? w : nothing(), kept);
}

#endif
