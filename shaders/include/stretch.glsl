// Elementwise work in quads. An item is a lane's share of quads: neighbours, which
// suits CPUs, or interleaved with those of the other lanes of its workgroup, which
// suits GPUs.
#ifndef VKOPS_STRETCH_GLSL
#define VKOPS_STRETCH_GLSL

#include "work.glsl"

layout(constant_id = 2) const uint interleaved = 0u;

layout(push_constant) uniform PushBlock {
    uint first_item;
    uint item_end;
    uint quads; // whole ones
    uint quads_per_item;
    uint left; // elements after the last whole quad; item 0 sees to them
} push;

// The k-th quad of an item.
uint quad_of(uint item, uint k) {
    if (interleaved == 0u) return item * push.quads_per_item + k;
    uint lane = item % gl_WorkGroupSize.x;
    return (item - lane) * push.quads_per_item + k * gl_WorkGroupSize.x + lane;
}

#endif
