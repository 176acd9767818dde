// A tile of a line as a workgroup's block: inner is 1.
#ifndef VKOPS_SCAN_TILE_GLSL
#define VKOPS_SCAN_TILE_GLSL

#include "scan_workgroup.glsl"

uint run_start(uint r) { return r * RUN; }
uint run_step() { return 1u; }
uint run_length(Block block, uint r) { return block.count > r * RUN ? min(RUN, block.count - r * RUN) : 0u; }

// Whether the tile starts its line; the kernel sets it.
bool tile_starts_line;
bool run_starts_line(uint r) { return r == 0u && tile_starts_line; }

uint runs_in(Block tile) { return (tile.count + RUN - 1u) / RUN; }

Block tile_of(Item item) {
    uint start = item.tile * TILE;
    uint line = item.outer * push.n + along(start);
    tile_starts_line = starts_line(item.tile);
    return Block(min(TILE, push.n - start), push.source_base + line, push.result_base + line);
}

// The item of this workgroup; false where it has none.
bool workgroup_item(out Item item) {
    uint index = push.first_item + group_index();
    item = item_at(index, push.tiles, 1u);
    return index < push.item_end;
}

#endif
