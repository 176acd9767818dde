// The loss of every sample: the result of the reduction `none`. An item is a number
// of neighbouring quads of samples. Twin: cpuref/nll.go.
#version 450
#extension GL_GOOGLE_include_directive : require
#define QUADS
#define NO_SOURCE_QUADS
#define TARGET_QUADS
#define SOURCE_WORDS
#include "nll_samples.glsl"

// What is stored for a sample.
ELEMENT stored(uint position, uvec2 target, inout Place place) {
    Sample s = sample_at(position, target, place);
    place = next_place(place);
    return s.kept ? canonical(s.loss) : POSITIVE_ZERO;
}

void main() {
    uint index = push.first_item + lane_index();
    if (index >= push.item_end) return;
    uint position = index * push.samples_per_item;
    uint end = min(position + push.samples_per_item, push.samples);
    Place place = place_of(position);
    while (position < end) {
        uint count = min(4u, end - position);
        Targets t;
        if (count == 4u) {
            t = load_targets(position);
        } else {
            t.a = load_target(position);
            t.b = count > 1u ? load_target(position + 1u) : t.a;
            t.c = count > 2u ? load_target(position + 2u) : t.a;
            t.d = t.a;
        }
        Quad y = Quad(POSITIVE_ZERO, POSITIVE_ZERO, POSITIVE_ZERO, POSITIVE_ZERO);
        for (uint k = 0u; k < count; k++) {
            ELEMENT value = stored(position + k, t.a, place);
            t = Targets(t.b, t.c, t.d, t.a);
            y.a = k == 0u ? value : y.a;
            y.b = k == 1u ? value : y.b;
            y.c = k == 2u ? value : y.c;
            y.d = k == 3u ? value : y.d;
        }
        if (count == 4u) {
            store_quad(push.result_base + position, y);
        } else {
            store_first(push.result_base + position, y, count);
        }
        position += count;
    }
    report_bad();
}
