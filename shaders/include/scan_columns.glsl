// Walking neighbouring columns (inner above 1) side by side, row after row. Each
// lane has a block of columns; blocks of neighbouring lanes are neighbours, so that
// a subgroup touches a stretch of every row. Wide stretches matter on CPUs, where a
// row is a new page and cache line.
//
// For 16-bit elements two columns share a word; inner and the block are even. With
// vector_access both are multiples of four.
#ifndef VKOPS_SCAN_COLUMNS_GLSL
#define VKOPS_SCAN_COLUMNS_GLSL

#define QUADS
#include "scan.glsl"

layout(constant_id = 5) const uint block_columns = 1u;
// Set where no block reaches past the last column.
layout(constant_id = 6) const uint whole_blocks = 0u;

// The columns of this lane from `column` on, `live` of them.
uint column;
uint live;

// A row of the block.
ELEMENT row[block_columns];

// The states of the columns: aggregates so far of the nodes that the walk is in,
// and carries into them.
STATE run_aggregate[block_columns];
STATE group_aggregate[block_columns];
STATE tile_aggregate[block_columns];

uint column_blocks() { return (push.inner + block_columns - 1u) / block_columns; }

// The item of this lane, whose column is the block's first.
Item block_item(uint index, uint tile_blocks) {
    Item item = item_at(index, tile_blocks, column_blocks());
    item.column *= block_columns;
    column = item.column;
    live = min(block_columns, push.inner - column);
    return item;
}

bool is_live(uint v) { return whole_blocks != 0u || v < live; }

// What is added to an index for the next position; wraps where it goes down.
uint stride() { return reverse_scan != 0u ? 0u - push.inner : push.inner; }

// The index of the block's first element at position p, from [0, 0, 0].
uint block_index(Item item, uint p) { return (item.outer * push.n + along(p)) * push.inner + item.column; }

void load_row(uint i) {
    if (vector_access != 0u) {
        for (uint v = 0u; v < block_columns; v += 4u) {
            if (!is_live(v)) continue;
            Quad q = load_quad(i + v);
            row[v] = q.a;
            row[v + 1u] = q.b;
            row[v + 2u] = q.c;
            row[v + 3u] = q.d;
        }
        return;
    }
#if defined(PACKED)
    for (uint v = 0u; v < block_columns; v += 2u) {
        if (!is_live(v)) continue;
        uint word = source.at[(i + v) >> 1];
        row[v] = load16(word & 0xffffu);
        row[v + 1u] = load16(word >> 16);
    }
#else
    for (uint v = 0u; v < block_columns; v++) {
        if (is_live(v)) row[v] = source.at[i + v];
    }
#endif
}

#ifndef NO_RESULT
void store_row(uint i) {
    if (vector_access != 0u) {
        for (uint v = 0u; v < block_columns; v += 4u) {
            if (is_live(v)) store_quad(i + v, Quad(row[v], row[v + 1u], row[v + 2u], row[v + 3u]));
        }
        return;
    }
#if defined(PACKED)
    for (uint v = 0u; v < block_columns; v += 2u) {
        if (is_live(v)) store_pair(i + v, row[v], row[v + 1u]);
    }
#else
    for (uint v = 0u; v < block_columns; v++) {
        if (is_live(v)) result.at[i + v] = row[v];
    }
#endif
}
#endif

#endif
