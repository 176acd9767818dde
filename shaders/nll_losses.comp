// The loss of every sample: the result of the reduction `none`. Neighbouring lanes have
// neighbouring quads of samples. Twin: cpuref/nll.go.
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
    uint index = push.first_item + group_index();
    if (index >= push.item_end) return;
    uint step = gl_WorkGroupSize.x * 4u;
    uint end = min((index + 1u) * push.samples_per_item, push.samples);
    uint position = index * push.samples_per_item + gl_LocalInvocationID.x * 4u;
    Place place = place_of(position);
    // The test comes last: a software device walks a loop once more for one that comes first.
    if (position + 4u <= end) do {
        Targets t = load_targets(position);
        Quad y;
        for (uint k = 0u; k < 4u; k++) {
            y = Quad(y.b, y.c, y.d, stored(position + k, t.a, place));
            t = Targets(t.b, t.c, t.d, t.a);
        }
        store_quad(push.result_base + position, y);
        position += step;
        place = later_place(place, step - 4u);
    } while (position + 4u <= end);
    if (position < end) { // the last ones of all
        Quad y = Quad(POSITIVE_ZERO, POSITIVE_ZERO, POSITIVE_ZERO, POSITIVE_ZERO);
        uint count = end - position;
        for (uint k = 0u; k < count; k++) {
            ELEMENT value = stored(position + k, load_target(position + k), place);
            y.a = k == 0u ? value : y.a;
            y.b = k == 1u ? value : y.b;
            y.c = k == 2u ? value : y.c;
        }
        store_first(push.result_base + position, y, count);
    }
    report_bad();
}
