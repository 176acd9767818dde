// The way down the carry tree above the tiles: in the up to 16 nodes below a node,
// replaces the aggregates by carries, given the node's own carry. The root's is the
// identity. Twin: odometer in cpuref/scan_carries.go.
#version 450
#extension GL_GOOGLE_include_directive : require
#include "tree.glsl"

layout(constant_id = 1) const uint root = 0u;

void main() {
    uint index = push.first_item + lane_index();
    if (index >= push.item_end) return;
    Family family = family_at(index);
    STATE carry = identity();
    if (root == 0u) carry = load_state(family.parent);
    for (uint k = 0u; k < family.count; k++) {
        uint node = family.first + k * push.inner;
        STATE aggregate = load_state(node);
        store_state(node, carry);
        carry = combine(carry, aggregate);
    }
}
