// Walking neighbouring columns (inner above 1) side by side, row after row. Each
// lane has a block of columns; blocks of neighbouring lanes are neighbours, so that
// a subgroup touches a stretch of every row. Wide stretches matter on CPUs, where a
// row is a new page and cache line.
//
// For 16-bit elements two columns share a word; inner and the block are even. With
// vector_access both are multiples of four, or some rows at once are.
#ifndef VKOPS_SCAN_COLUMNS_GLSL
#define VKOPS_SCAN_COLUMNS_GLSL

#define QUADS
#define SOURCE_WORDS
#include "choose.glsl"
#include "scan.glsl"

layout(constant_id = 5) const uint block_columns = 1u;
// Set where no block reaches past the last column.
layout(constant_id = 6) const uint whole_blocks = 0u;

// Rows of the block that are loaded at once: above 1 the block is all columns, so that
// these rows are neighbours in memory, whole quads, and every walk is through so many.
layout(constant_id = 14) const uint rows_at_once = 1u;
const uint block_elements = block_columns * rows_at_once;

// The columns of this lane from `column` on, `live` of them.
uint column;
uint live;

// A row of the block, or the rows that are loaded at once, in the order of the walk.
ELEMENT row[block_elements];

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

#ifdef PREFETCH

// How many rows ahead of its use a row is fetched; 0 where the hardware sees to that.
// Rows that lie a page and more apart it does not, and then each row costs a miss of
// every cache on the way: a CPU's lanes wait for it together.
layout(constant_id = 13) const uint rows_ahead = 0u;

#ifndef NO_RESULT
layout(set = 0, binding = 9) STORED_TEXELS(result);
#endif

uint rows_left; // of the walk, this one too; the kernel sets it
uint fetched = 0u;

// Has the row that comes rows_ahead after this one fetched: a word of it, and of where its
// outputs go. Call it once a row, from and to being this row's.
void prefetch(uint from, uint to) {
    if (rows_ahead == 0u || word_access == 0u) return;
    if (rows_left > rows_ahead) {
        from += rows_ahead * stride();
        to += rows_ahead * stride();
        fetched ^= STORED_TEXEL(source, stored_index(from)).x;
#ifndef NO_RESULT
        fetched ^= STORED_TEXEL(result, stored_index(to)).x;
#endif
    }
    rows_left--;
}

// 0, since no line is empty; but a compiler does not know that, and keeps the fetches.
uint nothing_fetched() { return push.n == 0u ? fetched : 0u; }

#endif

// The index of the block's first element at position p, from [0, 0, 0].
uint block_index(Item item, uint p) { return (item.outer * push.n + along(p)) * push.inner + item.column; }

// Where the rows at once lie, given the first one's index, and which of their elements the
// element e of this memory is.
uint rows_start(uint i) { return reverse_scan != 0u ? i - (rows_at_once - 1u) * push.inner : i; }
uint walked(uint e) {
    if (reverse_scan == 0u) return e;
    return (rows_at_once - 1u - e / block_columns) * block_columns + e % block_columns;
}

void load_row(uint i) {
    if (rows_at_once > 1u) {
        for (uint e = 0u; e < block_elements; e += 4u) {
            Quad q = load_quad(rows_start(i) + e);
            row[walked(e)] = q.a;
            row[walked(e + 1u)] = q.b;
            row[walked(e + 2u)] = q.c;
            row[walked(e + 3u)] = q.d;
        }
        return;
    }
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
        uint word = load_stored((i + v) >> 1);
        row[v] = load16(word & 0xffffu);
        row[v + 1u] = load16(word >> 16);
    }
#else
    for (uint v = 0u; v < block_columns; v++) {
        if (is_live(v)) row[v] = load_element(i + v);
    }
#endif
}

#ifndef NO_RESULT
void store_row(uint i) {
    if (rows_at_once > 1u) {
        for (uint e = 0u; e < block_elements; e += 4u) {
            store_quad(rows_start(i) + e, Quad(row[walked(e)], row[walked(e + 1u)], row[walked(e + 2u)], row[walked(e + 3u)]));
        }
        return;
    }
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
