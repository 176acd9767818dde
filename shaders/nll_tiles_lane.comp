// First pass of the reductions: the sums of every tile of samples. Each lane walks a
// tile. Twin: cpuref/nll.go.
#version 450
#extension GL_GOOGLE_include_directive : require
#include "nll_sums.glsl"

struct Sums {
    STATE losses, weights;
};

Sums no_sums() { return Sums(identity(), identity()); }

Sums add(Sums a, Sums b) {
    if (mean != 0u) a.weights = combine(a.weights, b.weights);
    return Sums(combine(a.losses, b.losses), a.weights);
}

void main() {
    uint index = push.first_item + lane_index();
    if (index >= push.item_end) return;
    uint position = index * TILE;
    uint end = min(position + TILE, push.samples);
    Place place = place_of(position);
    Sums tile = no_sums();
    while (position < end) {
        uint group_end = min(position + RUN * RUN, end);
        Sums group = no_sums();
        while (position < group_end) {
            uint run_end = min(position + RUN, group_end);
            Sums run = no_sums();
            for (; position < run_end; position++, place = next_place(place)) {
                Sample s = sample_at(position, place);
                run.losses = take(run.losses, s.loss);
                if (mean != 0u) run.weights = take(run.weights, s.weight);
            }
            group = add(group, run);
        }
        tile = add(tile, group);
    }
    store_state((push.first_tile + index) * 2u, tile.losses);
    store_state((push.first_tile + index) * 2u + 1u, tile.weights);
}
