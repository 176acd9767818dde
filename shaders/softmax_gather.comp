// Puts the log-probabilities that the labels choose in the order of the samples, from
// the states of their lines. A dispatch sees a window of the scores, [outer, n, inner];
// samples are its lines. Twin: cpuref/crossentropy.go.
#version 450
#extension GL_GOOGLE_include_directive : require
#define STATES_BINDING 3
#define READ_ONLY_STATES
#define NO_STATUS
#define OWN_PUSH
#define SOURCE_WORDS
#define STATES_WORDS
#define TARGET_WORDS
#include "softmax.glsl"
#include "elements.glsl"
#include "states.glsl"
#include "work.glsl"

layout(push_constant) uniform PushBlock {
    uint first_item;
    uint item_end;
    uint first_word; // of the result, of 32 bits, or 64 for elements of that size
    uint word_end;
    uint words_per_item;
    uint samples;
    uint columns; // samples of an outer index
    uint n;
    uint inner;
    uint classes;
    uint first_class; // of the window
    uint positions;   // classes in the window
    uint source_base;
    uint target_base;
    uint result_base;
    uint root; // the first of the lines' states
    uint ignore_low, ignore_high;
} push;

#include "target.glsl"

// What is stored for a sample whose label is in the window. Loads are made for every
// sample, as in sample_at of nll_samples.glsl.
bool find(uint position, out ELEMENT y) {
    uvec2 target = load_target(position);
    uint in_window = target.x - push.first_class; // what lies before wraps
    bool found = !is_ignored(target) && !out_of_range(target) && in_window < push.positions;
    uint outer = position / push.columns;
    uint column = position - outer * push.columns;
    ELEMENT x = load_element(push.source_base + (outer * push.n + (found ? in_window : 0u)) * push.inner + column);
    y = log_probability(softmax_line(load_state(push.root + outer * push.inner + column)), x);
    return found;
}

#if defined(PACKED)
#define SAMPLES_PER_WORD 2u
#else
#define SAMPLES_PER_WORD 1u
#endif

void main() {
    uint item = push.first_item + group_index();
    if (item >= push.item_end) return;
    uint first = push.first_word + item * push.words_per_item;
    uint end = min(first + push.words_per_item, push.word_end);
    for (uint word = first + gl_LocalInvocationID.x; word < end; word += gl_WorkGroupSize.x) {
        for (uint part = 0u; part < SAMPLES_PER_WORD; part++) {
            uint at = word * SAMPLES_PER_WORD + part;
            uint position = at - push.result_base; // what lies before wraps
            ELEMENT y;
            if (position < push.samples && find(position, y)) replace_element(at, y);
        }
    }
}
