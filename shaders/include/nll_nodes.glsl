// Two levels of the tree of an NLL's sums at once. Its nodes lie one after the other, two
// states each, in a buffer that is seen as states and as texels.
#ifndef VKOPS_NLL_NODES_GLSL
#define VKOPS_NLL_NODES_GLSL

#define STATES_BINDING 3
#include "nll_sums.glsl"
#include "states.glsl"
#include "texels.glsl"

layout(set = 0, binding = 7) uniform utextureBuffer states_vectors;

STATE state_of(uvec4 v) {
    uint words[STATE_WORDS];
#if REAL_WORDS == 2
    words[2] = v.z;
    words[3] = v.w;
#endif
    words[0] = v.x;
    words[1] = v.y;
    return state_from(words);
}

// The sums of a node from its first state, whose index is even.
Sums load_sums(uint i) {
    if (vector_access == 0u) return Sums(load_state(i), load_state(i + 1u));
#if REAL_WORDS == 2
    return Sums(state_of(texelFetch(states_vectors, int(i))), state_of(texelFetch(states_vectors, int(i + 1u))));
#else
    uvec4 v = texelFetch(states_vectors, int(i >> 1));
    return Sums(state_of(v), state_of(v.zwxy));
#endif
}

// The sums of up to 256 nodes, and of the groups of 16 that they form.
Sums fold(uint first, uint count) {
    Sums all = no_sums();
    for (uint at = 0u; at < count; at += 16u) {
        Sums some = no_sums();
        uint end = min(at + 16u, count);
        for (uint k = at; k < end; k++) some = add(some, load_sums(first + 2u * k));
        all = add(all, some);
    }
    return all;
}

#endif
