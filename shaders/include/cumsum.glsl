// CumSum as the scan skeletons see it. Twin: cpuref/cumsum.go.
//
// Floats: a Pair; 16-bit elements run as float. Integers wrap.
#ifndef VKOPS_CUMSUM_GLSL
#define VKOPS_CUMSUM_GLSL

#if defined(DTYPE_I32)

#define ELEMENT uint
#define STATE uint
#define STATE_WORDS 1

STATE identity() { return 0u; }
STATE combine(STATE a, STATE b) { return a + b; }
ELEMENT inclusive(STATE s) { return s; }
ELEMENT exclusive(STATE s) { return s; }
ELEMENT first_inclusive(ELEMENT x) { return x; }
void state_words(STATE s, out uint words[STATE_WORDS]) { words[0] = s; }
STATE state_from(uint words[STATE_WORDS]) { return words[0]; }

#define TERM ELEMENT
TERM pre(ELEMENT x) { return x; }
STATE take(STATE s, TERM t) { return combine(s, t); }

#elif defined(DTYPE_I64)

#include "int64.glsl"

#define ELEMENT uvec2
#define STATE uvec2
#define STATE_WORDS 2

STATE identity() { return uvec2(0u); }
STATE combine(STATE a, STATE b) { return add64(a, b); }
ELEMENT inclusive(STATE s) { return s; }
ELEMENT exclusive(STATE s) { return s; }
ELEMENT first_inclusive(ELEMENT x) { return x; }
void state_words(STATE s, out uint words[STATE_WORDS]) {
    words[0] = s.x;
    words[1] = s.y;
}
STATE state_from(uint words[STATE_WORDS]) { return uvec2(words[0], words[1]); }

#define TERM ELEMENT
TERM pre(ELEMENT x) { return x; }
STATE take(STATE s, TERM t) { return combine(s, t); }

#else

#include "pair.glsl"

#define ELEMENT REAL
#define STATE Pair
#define STATE_WORDS PAIR_WORDS

STATE identity() { return pair_identity(); }
STATE combine(STATE a, STATE b) { return pair_combine(a, b); }
ELEMENT inclusive(STATE s) { return pair_value(s); }
ELEMENT exclusive(STATE s) { return pair_value_or_zero(s); }

// What a skeleton stores for the first element of a line instead of
// inclusive(take(identity(), pre(x))), inclusive scans only: the element itself,
// so that a subnormal survives on devices that flush them in sums. Storing it
// once more after the walk over the first run costs nothing measurable.
ELEMENT first_inclusive(ELEMENT x) { return canonical(x); }

void state_words(STATE s, out uint words[STATE_WORDS]) { pair_words(s, words); }
STATE state_from(uint words[STATE_WORDS]) { return pair_from(words); }

#define TERM ELEMENT
TERM pre(ELEMENT x) { return x; }
STATE take(STATE s, TERM t) { return pair_take(s, t); }

#endif

#endif
