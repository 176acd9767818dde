// How a scan goes along its lines, and what it puts out at each step.
#ifndef VKOPS_SCAN_MODES_GLSL
#define VKOPS_SCAN_MODES_GLSL

#include "operator.glsl"

#ifdef HAS_MODES
layout(constant_id = 2) const uint exclusive_scan = 0u;
layout(constant_id = 3) const uint reverse_scan = 0u;
#else
const uint exclusive_scan = 0u;
const uint reverse_scan = 0u;
#ifndef OP_SOFTMAX
ELEMENT exclusive(STATE s) { return inclusive(s); }
#endif
#endif

#ifndef OP_SOFTMAX
// The output after (inclusive) or before (exclusive) the state takes a term.
ELEMENT step_output(inout STATE s, TERM t) {
    if (exclusive_scan != 0u) {
        ELEMENT y = exclusive(s);
        s = take(s, t);
        return y;
    }
    s = take(s, t);
    return inclusive(s);
}

#endif

#endif
