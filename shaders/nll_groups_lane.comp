// First pass of the reductions: the sums of every group of samples. Each lane walks a
// group, so that those of a subgroup read near one another. Twin: cpuref/nll.go.
#version 450
#extension GL_GOOGLE_include_directive : require
#define TARGET_QUADS
#define SOURCE_WORDS
#include "nll_sums.glsl"

void take_sample(inout Sums s, uint position, uvec2 target, inout Place place) {
    Sample x = sample_at(position, target, place);
    take_terms(s, x.loss, x.weight);
    place = next_place(place);
}

void main() {
    uint index = push.first_item + lane_index();
    if (index >= push.item_end) return;
    uint position = index * GROUP;
    uint end = min(position + GROUP, push.samples);
    Place place = place_of(position);
    Sums group = no_sums();
    while (position < end) {
        uint run_end = min(position + RUN, end);
        Sums run = no_sums();
        while (position + 4u <= run_end) {
            Targets t = load_targets(position);
            for (uint k = 0u; k < 4u; k++, position++) {
                take_sample(run, position, t.a, place);
                t = Targets(t.b, t.c, t.d, t.a);
            }
        }
        for (; position < run_end; position++) take_sample(run, position, load_target(position), place);
        group = add(group, run);
    }
    store_sums(index, group);
    report_bad();
}
