// First pass of the reductions: the sums of every run of samples. Neighbouring lanes walk
// neighbouring runs, so that cache lines of the input are used up before they are lost.
// Twin: cpuref/nll.go.
#version 450
#extension GL_GOOGLE_include_directive : require
#define TARGET_QUADS
#define SOURCE_WORDS
#define NO_RESULT
#include "nll_samples.glsl"
#include "nll_sums.glsl"

// Two states a run, and a texel of four words each for those who read them.
layout(set = 0, binding = 3) writeonly buffer StatesBlock { uvec4 at[]; } states;

// Losses and weights of a run. They are loaded before they are added, so that the
// loads, which seldom hit a cache, are under way together.
REAL run_losses[RUN];
REAL run_weights[RUN];

void load_sample(uint k, uint position, uvec2 target, inout Place place) {
    Sample x = sample_at(position, target, place);
    run_losses[k] = x.loss;
    run_weights[k] = x.weight;
    place = next_place(place);
}

void store_run(uint run, Sums s) {
    uint losses[STATE_WORDS], weights[STATE_WORDS];
    state_words(s.losses, losses);
    state_words(s.weights, weights);
#if REAL_WORDS == 2
    uint i = push.first_state + run * 2u;
    states.at[i] = uvec4(losses[0], losses[1], losses[2], losses[3]);
    states.at[i + 1u] = uvec4(weights[0], weights[1], weights[2], weights[3]);
#else
    states.at[(push.first_state >> 1) + run] = uvec4(losses[0], losses[1], weights[0], weights[1]);
#endif
}

void main() {
    uint index = push.first_item + group_index();
    if (index >= push.item_end) return;
    uint step = gl_WorkGroupSize.x * RUN;
    uint end = min((index + 1u) * push.samples_per_item, push.samples);
    uint position = index * push.samples_per_item + gl_LocalInvocationID.x * RUN;
    Place place = place_of(position);
    // The test comes last: a software device walks a loop once more for one that comes first.
    if (position + RUN <= end) do {
        for (uint k = 0u; k < RUN; k += 4u) {
            Targets t = load_targets(position + k);
            for (uint j = 0u; j < 4u; j++) {
                load_sample(k + j, position + k + j, t.a, place);
                t = Targets(t.b, t.c, t.d, t.a);
            }
        }
        Sums run = no_sums();
        for (uint k = 0u; k < RUN; k++) take_terms(run, run_losses[k], run_weights[k]);
        store_run(position / RUN, run);
        position += step;
        place = later_place(place, step - RUN);
    } while (position + RUN <= end);
    if (position < end) { // the last run of all
        Sums run = no_sums();
        uint at = position;
        for (; at < end; at++) {
            load_sample(0u, at, load_target(at), place);
            take_terms(run, run_losses[0], run_weights[0]);
        }
        store_run(position / RUN, run);
    }
    report_bad();
}
