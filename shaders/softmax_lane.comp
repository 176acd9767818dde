// Passes of LogSoftmax over lines whose elements are neighbours. Each lane walks lines,
// or tiles of them, of its own. Twin: cpuref/softmax.go.
#version 450
#extension GL_GOOGLE_include_directive : require
#include "scan_line.glsl"
#include "softmax_passes.glsl"

Quad rotated(Quad q) { return Quad(q.b, q.c, q.d, q.a); }

// The elements at positions p to p+3, or to the end.
Quad load_some(uint line, uint p, uint count) {
    if (count == 4u) return load_positions(line, p);
    return load_last_positions(line, p, count);
}

KEY largest_in(uint line, uint p, uint end) {
    KEY largest = key_of_negative_infinity();
    for (; p < end; p += 4u) {
        Quad q = load_some(line, p, min(4u, end - p)); // where there are fewer the first is repeated
        largest = largest_of(largest_of(largest_of(largest_of(largest, q.a), q.b), q.c), q.d);
    }
    return largest;
}

Pair sum_of(uint line, uint p, uint end, REAL largest) {
    Pair sum = pair_identity();
    while (p < end) {
        uint tile_end = min(p + TILE, end);
        Pair tile = pair_identity();
        while (p < tile_end) {
            uint group_end = min(p + GROUP, tile_end);
            Pair group = pair_identity();
            while (p < group_end) {
                uint run_end = min(p + RUN, group_end);
                Pair run = pair_identity();
                for (; p < run_end; p += 4u) {
                    uint count = min(4u, run_end - p);
                    Quad q = load_some(line, p, count);
                    for (uint k = 0u; k < count; k++, q = rotated(q)) run = softmax_take(run, softmax_term(q.a, largest));
                }
                p = run_end;
                group = pair_combine(group, run);
            }
            tile = pair_combine(tile, group);
        }
        sum = pair_combine(sum, tile);
    }
    return sum;
}

void store_outputs(uint line, uint to, uint p, uint end, SoftmaxLine state) {
    for (; p < end; p += 4u) {
        uint count = min(4u, end - p);
        Quad q = load_some(line, p, count);
        for (uint k = 0u; k < 4u; k++, q = rotated(q)) q.a = log_probability(state, q.a);
        if (count == 4u) {
            store_positions(to, p, q);
        } else {
            store_last_positions(to, p, q, count);
        }
    }
}

void main() {
    uint index = push.first_item + lane_index();
    if (index >= push.item_end) return;
    Item item = item_at(index, tile_blocks(), 1u);
    uint p = first_position(item);
    uint end = position_end(item);
    uint line = push.source_base + item.outer * push.n;
    STATE s = identity();
    if (find_largest != 0u) {
        s.largest = largest_in(line, p, end);
    } else {
        s = load_line(item);
    }
    if (add_up != 0u) s.sum = sum_of(line, p, end, from_ordered_bits(s.largest));
    if (put_out != 0u) {
        store_outputs(line, push.result_base + item.outer * push.n, p, end, softmax_line(s));
    } else {
        store_state(state_index(item), s);
    }
}
