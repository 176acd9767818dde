// From the runs of samples to the tiles: the sums of a tile from those of its 256 runs.
// Each lane has a tile. Twin: cpuref/nll.go.
#version 450
#extension GL_GOOGLE_include_directive : require
#include "nll_nodes.glsl"
#include "work.glsl"

layout(push_constant) uniform PushBlock {
    uint first_item;
    uint item_end;
    uint nodes;
    uint node_base; // states
    uint parent_base;
} push;

void main() {
    uint index = push.first_item + lane_index();
    if (index >= push.item_end) return;
    uint first = index * GROUP;
    Sums s = fold(push.node_base + first * 2u, min(GROUP, push.nodes - first));
    uint parent = push.parent_base + index * 2u;
    store_state(parent, s.losses);
    store_state(parent + 1u, s.weights);
}
