// The loss of every sample: the result of the reduction `none`. An item is a number
// of neighbouring samples, even for 16-bit elements. Twin: cpuref/nll.go.
#version 450
#extension GL_GOOGLE_include_directive : require
#include "nll_samples.glsl"

// What is stored for a sample.
ELEMENT stored(Sample s) { return s.kept ? canonical(s.loss) : POSITIVE_ZERO; }

void main() {
    uint index = push.first_item + lane_index();
    if (index >= push.item_end) return;
    uint position = index * push.samples_per_item;
    uint end = min(position + push.samples_per_item, push.samples);
    Place place = place_of(position);
    while (position < end) {
        ELEMENT y = stored(sample_at(position, place));
#if defined(PACKED)
        // result_base is even, so two samples are a word.
        ELEMENT next = POSITIVE_ZERO;
        if (position + 1u < end) {
            place = next_place(place);
            next = stored(sample_at(position + 1u, place));
        }
        store_pair(push.result_base + position, y, next);
        position += 2u;
#else
        replace_element(push.result_base + position, y);
        position++;
#endif
        place = next_place(place);
    }
}
