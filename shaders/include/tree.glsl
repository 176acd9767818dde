// One level of the carry tree above the tiles: nodes of a level and their parents,
// up to 16 nodes each. A level's states lie one after the other by
// (outer * nodes + node) * inner + column, from the level's base on.
#ifndef VKOPS_TREE_GLSL
#define VKOPS_TREE_GLSL

#define STATES_BINDING 0
#include "operator.glsl"
#include "states.glsl"
#include "work.glsl"

layout(push_constant) uniform PushBlock {
    uint first_item; // of this dispatch: an item is a parent of a line
    uint item_end;
    uint inner;
    uint nodes;   // of a line, on the level below
    uint parents; // of a line
    uint node_base;
    uint parent_base;
} push;

// The nodes below a parent: states `first`, `first + push.inner`, ...
struct Family {
    uint parent;
    uint first, count;
};

Family family_at(uint index) {
    uint column = index % push.inner;
    uint rest = index / push.inner;
    uint parent = rest % push.parents;
    uint outer = rest / push.parents;
    return Family(push.parent_base + index, push.node_base + (outer * push.nodes + parent * 16u) * push.inner + column,
                  min(16u, push.nodes - parent * 16u));
}

#endif
