// The targets of an NLL, signed integers of 32 or 64 bits in words, compared as 64
// bits; and the report of one that is out of range.
#ifndef VKOPS_TARGET_GLSL
#define VKOPS_TARGET_GLSL

layout(set = 0, binding = 4) readonly buffer TargetsBlock { uint at[]; } targets;
#ifndef NO_STATUS
// found, position (low, high), value (low, high), and the smallest position in the
// window whose target is out of range, or all ones.
layout(set = 0, binding = 5) buffer StatusBlock { uint at[]; } status;
#endif
#define CANDIDATE 5u

layout(constant_id = 1) const uint target_words = 1u;
layout(constant_id = 2) const uint ignoring = 0u;

layout(push_constant) uniform PushBlock {
    uint first_item;
    uint item_end;
    uint samples; // of the window
    uint samples_per_item;
    uint classes;
    uint depth;
    uint first_d; // d of the window's first sample
    uint source_base; // the input at [n, 0, 0] for n of the window's first sample
    uint target_base;
    uint result_base;
    uint ignore_low, ignore_high;
    uint window_low, window_high; // nll_gather: the elements that are bound, from source_base on
    uint window_count;
    uint first_tile;
} push;

uvec2 load_target(uint position) {
    uint i = push.target_base + position;
    if (target_words == 2u) return uvec2(targets.at[2u * i], targets.at[2u * i + 1u]);
    uint word = targets.at[i];
    return uvec2(word, uint(int(word) >> 31));
}

bool is_ignored(uvec2 target) { return ignoring != 0u && target == uvec2(push.ignore_low, push.ignore_high); }

bool out_of_range(uvec2 target) { return target.y != 0u || target.x >= push.classes; }

#endif
