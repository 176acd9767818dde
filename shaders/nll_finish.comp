// Last pass of the reductions: the sum or the mean from the two states of the
// tree's root. One invocation. Twin: cpuref/nll.go.
#version 450
#extension GL_GOOGLE_include_directive : require
#define STATES_BINDING 3
#define READ_ONLY_STATES
#include "nll.glsl"
#include "states.glsl"
#include "work.glsl"

#if defined(DTYPE_F16) || defined(DTYPE_BF16)
#include "pack16.glsl"
layout(set = 0, binding = 1) writeonly buffer ResultBlock { uint at; } result;
#else
layout(set = 0, binding = 1) writeonly buffer ResultBlock { REAL at; } result;
#endif

layout(constant_id = 5) const uint mean = 0u;

layout(push_constant) uniform PushBlock {
    uint first_item;
    uint item_end;
    uint root; // index of the first of the two states
} push;

void main() {
    if (lane_index() != 0u) return;
    STATE losses = load_state(push.root);
    REAL y = mean != 0u ? mean_value(losses, load_state(push.root + 1u)) : sum_value(losses);
#if defined(DTYPE_F16) || defined(DTYPE_BF16)
    result.at = store16(y);
#else
    result.at = y;
#endif
}
