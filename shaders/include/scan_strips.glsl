// Walking columns (inner above 1) on devices that hide latency by many lanes: the
// lanes of a workgroup are on neighbouring columns, and each walks a stretch of rows,
// a node of the tree. A run of 16 rows is loaded at once, so that 16 loads are under
// way. Two columns of 16-bit elements share a word and a lane; inner is then even.
//
// The states' leaves are stretches: first_tile, line_tiles and tiles_per_item count
// those.
#ifndef VKOPS_SCAN_STRIPS_GLSL
#define VKOPS_SCAN_STRIPS_GLSL

#include "scan.glsl"

// Rows: a tile or a group.
layout(constant_id = 5) const uint stretch = TILE;

#if defined(PACKED)
#define COLUMNS 2u
#else
#define COLUMNS 1u
#endif

// The elements of a run, column by column.
ELEMENT run[COLUMNS * RUN];

// The item of this lane, whose column is its first.
Item strip_item(uint index, uint stretches) {
    Item item = item_at(index, stretches, push.inner / COLUMNS);
    item.column *= COLUMNS;
    return item;
}

// The index of the first element of row p, from [0, 0, 0].
uint row_index(Item item, uint p) { return (item.outer * push.n + along(p)) * push.inner + item.column; }

// What is added to an index for the next row; wraps where it goes down.
uint row_step() { return reverse_scan != 0u ? 0u - push.inner : push.inner; }

void load_run(uint from, uint rows) {
    for (uint k = 0u; k < RUN; k++, from += row_step()) {
        if (k >= rows) continue;
#if defined(PACKED)
        uint word = source.at[from >> 1];
        run[k] = load16(word & 0xffffu);
        run[RUN + k] = load16(word >> 16);
#else
        run[k] = source.at[from];
#endif
    }
}

#ifndef NO_RESULT
void store_run(uint to, uint rows) {
    for (uint k = 0u; k < RUN; k++, to += row_step()) {
        if (k >= rows) continue;
#if defined(PACKED)
        store_pair(to, run[k], run[RUN + k]);
#else
        result.at[to] = run[k];
#endif
    }
}
#endif

#endif
