// Walking two neighbouring columns (inner above 1), one row after the other. The
// planner passes column pairs as items; where inner is odd the last pair holds its
// column twice, which stores the same value twice. For 16-bit elements a pair is a
// word, and inner must be even.
#ifndef VKOPS_SCAN_COLUMNS_GLSL
#define VKOPS_SCAN_COLUMNS_GLSL

#include "scan.glsl"

struct StatePair {
    STATE a, b;
};

struct ElementPair {
    ELEMENT a, b;
};

struct Columns {
    uint first, second; // index of each column's position 0, from the view's base
    uint stride;        // added for the next position; wraps where it goes down
};

uint column_pairs() { return (push.inner + 1u) / 2u; }

// The item of a pair: `column` is the first of the two.
Item pair_item(uint index, uint tile_blocks) {
    Item item = item_at(index, tile_blocks, column_pairs());
    item.column *= 2u;
    return item;
}

Item second_of(Item item) {
    item.column = min(item.column + 1u, push.inner - 1u);
    return item;
}

// The columns of an item from position p on.
Columns columns_from(Item item, uint p) {
    uint row = (item.outer * push.n + along(p)) * push.inner;
    return Columns(row + item.column, row + second_of(item).column, reverse_scan != 0u ? 0u - push.inner : push.inner);
}

void advance(inout Columns c) {
    c.first += c.stride;
    c.second += c.stride;
}

ElementPair load_row(Columns c) {
    uint i = push.source_base + c.first;
#if defined(PACKED)
    uint word = source.at[i >> 1];
    return ElementPair(load16(word & 0xffffu), load16(word >> 16));
#else
    return ElementPair(source.at[i], source.at[push.source_base + c.second]);
#endif
}

#ifndef NO_RESULT
void store_row(Columns c, ElementPair y) {
    uint i = push.result_base + c.first;
#if defined(PACKED)
    store_pair(i, y.a, y.b);
#else
    result.at[i] = y.a;
    result.at[push.result_base + c.second] = y.b;
#endif
}
#endif

StatePair identities() { return StatePair(identity(), identity()); }

StatePair combine_pairs(StatePair x, StatePair y) { return StatePair(combine(x.a, y.a), combine(x.b, y.b)); }

#endif
