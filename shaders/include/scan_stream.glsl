// Some rows, neighbours in memory and whole quads together, as one stream: its elements
// are turned so that each row has quads of its own, and outputs are turned back.
#ifndef VKOPS_SCAN_STREAM_GLSL
#define VKOPS_SCAN_STREAM_GLSL

#include "choose.glsl"

// The element that is `by` after the first one becomes the first.
Quad turned(Quad q, uint by) {
    bool one = (by & 1u) != 0u;
    bool two = (by & 2u) != 0u;
    q = Quad(choose(one, q.b, q.a), choose(one, q.c, q.b), choose(one, q.d, q.c), choose(one, q.a, q.d));
    return Quad(choose(two, q.c, q.a), choose(two, q.d, q.b), choose(two, q.a, q.c), choose(two, q.b, q.d));
}

// The first `count` elements of one quad, the others of another.
Quad joined(Quad one, Quad other, uint count) {
    return Quad(choose(count > 0u, one.a, other.a), choose(count > 1u, one.b, other.b), choose(count > 2u, one.c, other.c),
                choose(count > 3u, one.d, other.d));
}

// Where the stream starts in source and result, its length, and the next of its positions.
uint stream_from, stream_to, stream_length, stream_at;

// The quad that holds the next position, turned so that it is the first element.
Quad ahead;

// Outputs whose quad is not full yet.
Quad waiting;

uint phase() { return stream_at & 3u; }

// The quad in memory that holds positions p to p+3 of the stream.
uint stream_quad(uint p) { return reverse_scan != 0u ? stream_length - 4u - p : p; }

Quad load_stream(uint p) {
    Quad q = load_quad(stream_from + stream_quad(p));
    if (reverse_scan != 0u) return reversed(q);
    return q;
}

void store_stream(uint p, Quad q) {
    if (reverse_scan != 0u) q = reversed(q);
    store_quad(stream_to + stream_quad(p), q);
}

void start_row() {
    if (rows_together > 1u) ahead = turned(load_stream(stream_at - phase()), phase());
}

// The next four elements. The stream's last quad is loaded again instead of one after it.
Quad next_elements() {
    if (rows_together == 1u) return load_stream(stream_at);
    Quad after = turned(load_stream(min(stream_at - phase() + 4u, stream_length - 4u)), phase());
    Quad x = joined(ahead, after, 4u - phase());
    ahead = after;
    return x;
}

// Takes the next `count` outputs, fewer than four at the end of a row only.
void next_outputs(Quad y, uint count) {
    if (rows_together == 1u) {
        store_stream(stream_at, y);
    } else {
        Quad rest = turned(y, 0u - phase());
        Quad whole = joined(waiting, rest, phase());
        bool full = phase() + count > 3u;
        if (full) store_stream(stream_at - phase(), whole);
        waiting = joined(rest, whole, choose(full, 4u, 0u));
    }
    stream_at += count;
}

#endif
