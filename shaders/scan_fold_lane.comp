// The way up the carry tree above the tiles: the aggregate of a node from those of
// the up to 16 nodes below it. Twin: odometer in cpuref/scan_carries.go.
#version 450
#extension GL_GOOGLE_include_directive : require
#include "tree.glsl"

void main() {
    uint index = push.first_item + lane_index();
    if (index >= push.item_end) return;
    Family family = family_at(index);
    STATE s = identity();
    for (uint k = 0u; k < family.count; k++) s = combine(s, load_state(family.first + k * push.inner));
    store_state(family.parent, s);
}
