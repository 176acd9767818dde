// Puts the log-probabilities that the labels choose in the order of the samples, from
// the states of their lines. A dispatch sees a window of the scores, [outer, n, inner];
// samples are its lines. Twin: cpuref/crossentropy.go.
#version 450
#extension GL_GOOGLE_include_directive : require
#define STATES_BINDING 3
#define READ_ONLY_STATES
#define NO_STATUS
#define OWN_PUSH
#include "softmax.glsl"
#include "elements.glsl"
#include "states.glsl"
#include "work.glsl"

layout(push_constant) uniform PushBlock {
    uint first_item;
    uint item_end;
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

// What is stored for a sample whose label is in the window.
bool find(uint position, out ELEMENT y) {
    y = POSITIVE_ZERO;
    uvec2 target = load_target(position);
    if (is_ignored(target) || out_of_range(target)) return false;
    uint in_window = target.x - push.first_class; // what lies before wraps
    if (in_window >= push.positions) return false;
    uint outer = position / push.columns;
    uint column = position % push.columns;
    ELEMENT x = load_element(push.source_base + (outer * push.n + in_window) * push.inner + column);
    y = log_probability(softmax_line(load_state(push.root + outer * push.inner + column)), x);
    return true;
}

void main() {
    uint index = push.first_item + lane_index();
    if (index >= push.item_end) return;
    ELEMENT y;
#if defined(PACKED)
    // An item is a word of the result.
    for (uint half_word = 0u; half_word < 2u; half_word++) {
        uint position = index * 2u + half_word - push.result_base; // what lies before wraps
        if (position < push.samples && find(position, y)) replace_element(index * 2u + half_word, y);
    }
#else
    if (find(index, y)) replace_element(push.result_base + index, y);
#endif
}
