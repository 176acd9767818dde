// The outputs of four positions; the terms also go into the run's aggregate, where the kernel
// says that it is needed.
#ifndef VKOPS_SCAN_QUAD_GLSL
#define VKOPS_SCAN_QUAD_GLSL

bool needs_aggregate();

#ifdef SIDE_BY_SIDE
// First the terms and then the logarithms side by side.
Quad scan_quad(inout STATE run, inout STATE s, Quad x) {
    Terms terms = pre(vec4(x.a, x.b, x.c, x.d));
    States sums;
    for (uint k = 0u; k < 4u; k++, terms = rotated(terms)) {
        if (needs_aggregate()) run = take(run, first(terms));
        s = take(s, first(terms));
        sums = appended(sums, s);
    }
    vec4 y = inclusive(sums);
    return Quad(y.x, y.y, y.z, y.w);
}
#else
// A loop, since the time that SwiftShader takes to compile grows exponentially with
// the number of steps in a row; others unroll it.
Quad scan_quad(inout STATE run, inout STATE s, Quad x) {
    for (uint k = 0u; k < 4u; k++) {
        TERM term = pre(x.a);
        if (needs_aggregate()) run = take(run, term);
        x = Quad(x.b, x.c, x.d, step_output(s, term));
    }
    return x;
}
#endif

#endif
