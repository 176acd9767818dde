// What the kernels that read and write the scanned tensor share: its view
// [outer, n, inner] within the bound ranges, and how positions along the scan map
// to memory.
//
// A dispatch may see only a window of the tensor: some of the outer indices, or
// some tiles of every line. n and tiles are those of the window; states are
// indexed by tiles of the whole line.
#ifndef VKOPS_SCAN_GLSL
#define VKOPS_SCAN_GLSL

#include "scan_modes.glsl"
#include "elements.glsl"
#include "states.glsl"
#include "work.glsl"

#define RUN 16u
#define GROUP 256u
#define TILE 4096u

// Set where states hold the carry of every tile; else walks start at the start of a line.
layout(constant_id = 15) const uint carried = 0u;

layout(push_constant) uniform PushBlock {
    uint first_item;     // of this dispatch
    uint item_end;       // of this dispatch
    uint n;              // positions of a line
    uint inner;
    uint tiles;          // of a line
    uint tiles_per_item; // neighbours that one lane walks
    uint first_tile;     // the window's first tile within the line
    uint line_tiles;     // of a line, in the states
    uint source_base;    // element at [0, 0, 0]
    uint result_base;
#ifdef PUSH_LINES
    uint lines;          // of the window
    uint lines_per_item; // that one workgroup takes, or one lane
    uint ticket;         // word of the states where tickets are drawn; flags follow it
#endif
#ifdef OP_SOFTMAX
    uint positions; // that count, of the n
    uint root;      // the first state of the tree's root
#endif
} push;

struct Item {
    uint outer, tile, column;
};

// Columns (or blocks of them) are neighbours, then come tiles, then outer indices.
Item item_at(uint index, uint tile_blocks, uint column_blocks) {
    uint rest = index / column_blocks;
    return Item(rest / tile_blocks, rest % tile_blocks, index % column_blocks);
}

uint state_index(Item item) {
    return (item.outer * push.line_tiles + push.first_tile + item.tile) * push.inner + item.column;
}

// Whether position 0 of the tile is position 0 of the line.
bool starts_line(uint tile) { return push.first_tile + tile == 0u; }

STATE starting_carry(Item item) {
    if (carried != 0u) return load_state(state_index(item));
    return identity();
}

// Offset, in lines' strides, of position p from the start of a line in memory.
uint along(uint p) { return reverse_scan != 0u ? push.n - 1u - p : p; }

#endif
