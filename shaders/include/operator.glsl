// The scan operator that this translation unit is for: -DOP_CUMSUM or
// -DOP_LOGCUMSUMEXP.
#ifndef VKOPS_OPERATOR_GLSL
#define VKOPS_OPERATOR_GLSL

#if defined(OP_CUMSUM)

#include "cumsum.glsl"
#define HAS_MODES // exclusive and reverse scans

#elif defined(OP_LOGCUMSUMEXP)

#include "logcumsumexp.glsl"

#else
#error no operator chosen
#endif

#endif
