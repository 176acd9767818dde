// The targets of an NLL, signed integers of 32 or 64 bits in words, compared as 64
// bits; and the report of one that is out of range.
#ifndef VKOPS_TARGET_GLSL
#define VKOPS_TARGET_GLSL

layout(set = 0, binding = 4) readonly buffer TargetsBlock { uint at[]; } targets;
#ifdef TARGET_QUADS
#include "texels.glsl"
layout(set = 0, binding = 7) uniform utextureBuffer targets_vectors;
#endif
#ifdef TARGET_WORDS
#include "texels.glsl"
layout(set = 0, binding = 7) uniform utextureBuffer targets_words;
#define TARGET_WORD(i) WORD_AT(targets, i)
#else
#define TARGET_WORD(i) targets.at[i]
#endif
#ifndef NO_STATUS
// found, position (low, high), value (low, high), and the smallest position in the
// window whose target is out of range, or all ones.
layout(set = 0, binding = 5) buffer StatusBlock { uint at[]; } status;
#endif
#define CANDIDATE 5u

layout(constant_id = 6) const uint target_words = 1u;
layout(constant_id = 2) const uint ignoring = 0u;

#ifndef OWN_PUSH
layout(push_constant) uniform PushBlock {
    uint first_item;
    uint item_end;
    uint samples; // of the window
    uint samples_per_item;
    uint classes;
    uint depth;
    uint first_d; // d of the window's first sample
    uint first_row; // the row of the input at source_base, from that of the window's first sample on
    uint source_base;
    uint target_base;
    uint result_base;
    uint ignore_low, ignore_high;
    uint window_low, window_high; // nll_gather: the elements that are bound, from source_base on
    uint window_count;
    uint first_state; // of the window's groups
} push;
#endif

uvec2 load_target(uint position) {
    uint i = push.target_base + position;
    if (target_words == 2u) return uvec2(TARGET_WORD(2u * i), TARGET_WORD(2u * i + 1u));
    uint word = TARGET_WORD(i);
    return uvec2(word, uint(int(word) >> 31));
}

#ifdef TARGET_QUADS
// Those of four neighbours.
struct Targets {
    uvec2 a, b, c, d;
};

uvec2 extended(uint word) { return uvec2(word, uint(int(word) >> 31)); }

// The targets of a position that is a multiple of four, as the window's start is.
Targets load_targets(uint position) {
    if (vector_access == 0u) {
        return Targets(load_target(position), load_target(position + 1u), load_target(position + 2u), load_target(position + 3u));
    }
    uint i = push.target_base + position;
    if (target_words == 2u) {
        uvec4 low = texelFetch(targets_vectors, int(i >> 1));
        uvec4 high = texelFetch(targets_vectors, int((i >> 1) + 1u));
        return Targets(low.xy, low.zw, high.xy, high.zw);
    }
    uvec4 words = texelFetch(targets_vectors, int(i >> 2));
    return Targets(extended(words.x), extended(words.y), extended(words.z), extended(words.w));
}
#endif

bool is_ignored(uvec2 target) { return ignoring != 0u && target == uvec2(push.ignore_low, push.ignore_high); }

bool out_of_range(uvec2 target) { return target.y != 0u || target.x >= push.classes; }

#endif
