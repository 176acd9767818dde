// Copies quads of words: what the speed of other kernels is measured against.
#version 450
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_samplerless_texture_functions : require
#include "stretch.glsl"

layout(set = 0, binding = 0) uniform utextureBuffer source_vectors;
layout(set = 0, binding = 1) buffer ResultBlock { uvec4 at[]; } result;

void main() {
    uint index = push.first_item + lane_index();
    if (index >= push.item_end) return;
    uint q = quad_start(index);
    for (uint k = 0u; k < push.quads_per_item; k++, q += quad_step()) result.at[q] = texelFetch(source_vectors, int(q));
}
