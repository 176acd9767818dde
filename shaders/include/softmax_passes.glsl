// What the kernels of softmax have in common. Lines are walked up to three times: for
// the largest element, for the sum, for the outputs. A dispatch does all that, or one
// part for tiles of lines; then the tree of states brings the parts together.
#ifndef VKOPS_SOFTMAX_PASSES_GLSL
#define VKOPS_SOFTMAX_PASSES_GLSL

layout(constant_id = 8) const uint find_largest = 0u;
layout(constant_id = 9) const uint add_up = 0u;
layout(constant_id = 10) const uint put_out = 0u;

// The state of a line, from the tree's root.
STATE load_line(Item item) { return load_state(push.root + item.outer * push.inner + item.column); }

// Shares of a line.
uint tile_blocks() { return (push.tiles + push.tiles_per_item - 1u) / push.tiles_per_item; }

uint first_position(Item item) { return item.tile * push.tiles_per_item * TILE; }

uint position_end(Item item) {
    uint first = first_position(item);
    return push.tiles_per_item * TILE < push.positions - first ? first + push.tiles_per_item * TILE : push.positions;
}

#endif
