// Last pass of the reductions: the sum or the mean from the last levels of the tree, and
// the report of a target that is out of range in the last window. One invocation. Twin:
// cpuref/nll.go.
#version 450
#extension GL_GOOGLE_include_directive : require
#define READ_ONLY_STATES
#define OWN_PUSH
#include "nll_nodes.glsl"
#include "work.glsl"

#if defined(DTYPE_F16) || defined(DTYPE_BF16)
#include "pack16.glsl"
layout(set = 0, binding = 1) writeonly buffer ResultBlock { uint at; } result;
#else
layout(set = 0, binding = 1) writeonly buffer ResultBlock { REAL at; } result;
#endif

layout(push_constant) uniform PushBlock {
    uint first_item;
    uint item_end;
    uint nodes; // of the lowest level
    uint node_base; // states
    uint classes;
    uint target_base;
    uint ignore_low, ignore_high;
    uint window_low, window_high;
} push;

#include "target.glsl"
#include "nll_report.glsl"

void main() {
    if (lane_index() != 0u) return;
    Sums root = no_sums();
    for (uint at = 0u; at < push.nodes; at += GROUP) root = add(root, fold(push.node_base + 2u * at, min(GROUP, push.nodes - at)));
    REAL y = mean != 0u ? mean_value(root.losses, root.weights) : sum_value(root.losses);
#if defined(DTYPE_F16) || defined(DTYPE_BF16)
    result.at = store16(y);
#else
    result.at = y;
#endif
    report_first_bad();
}
