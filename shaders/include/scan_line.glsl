// Walking a line whose elements are neighbours in memory (inner is 1), four
// positions at a time. `line` is the index of the line's first element.
//
// For 16-bit elements position 0 starts a word: forward the line starts at an even
// index, in reverse it ends at one.
#ifndef VKOPS_SCAN_LINE_GLSL
#define VKOPS_SCAN_LINE_GLSL

#define QUADS
#define SOURCE_WORDS
#include "scan.glsl"

// The quad in memory that holds positions p to p+3.
uint quad_at(uint line, uint p) { return reverse_scan != 0u ? line + push.n - 4u - p : line + p; }

// The elements at positions p to p+3.
Quad load_positions(uint line, uint p) {
    Quad q = load_quad(quad_at(line, p));
    if (reverse_scan != 0u) return reversed(q);
    return q;
}

#ifndef NO_RESULT
void store_positions(uint line, uint p, Quad y) {
    if (reverse_scan != 0u) y = reversed(y);
    store_quad(quad_at(line, p), y);
}
#endif

// The same for the last 1 to 3 positions of a line; the rest of the quad is not
// in it and is left alone.
Quad load_last_positions(uint line, uint p, uint count) {
    Quad q;
    q.a = load_element(line + along(p));
    q.b = q.a;
    q.c = q.a;
    q.d = q.a;
    if (count > 1u) q.b = load_element(line + along(p + 1u));
    if (count > 2u) q.c = load_element(line + along(p + 2u));
    return q;
}

#ifndef NO_RESULT
void store_last_positions(uint line, uint p, Quad y, uint count) {
    if (reverse_scan != 0u) {
        store_last(quad_at(line, p), reversed(y), count);
    } else {
        store_first(quad_at(line, p), y, count);
    }
}
#endif

#endif
