// Elementwise work in quads. An item is a lane's share of quads, the same number for
// all: neighbours, which suits CPUs, or interleaved with those of the other lanes of
// its workgroup, which suits GPUs. What is left goes to a second dispatch.
#ifndef VKOPS_STRETCH_GLSL
#define VKOPS_STRETCH_GLSL

#include "work.glsl"

layout(constant_id = 2) const uint interleaved = 0u;

layout(push_constant) uniform PushBlock {
    uint first_item;
    uint item_end;
    uint first_quad;
    uint quads_per_item;
    uint left; // elements after the last quad of the last item, which may be another dispatch's
    uint last_item;
} push;

// The first of an item's quads, and how far apart they are.
uint quad_start(uint item) {
    if (interleaved == 0u) return push.first_quad + item * push.quads_per_item;
    uint lane = item % gl_WorkGroupSize.x;
    return push.first_quad + (item - lane) * push.quads_per_item + lane;
}

uint quad_step() { return interleaved == 0u ? 1u : gl_WorkGroupSize.x; }

#endif
