// The operator that this translation unit is for: -DOP_CUMSUM, -DOP_LOGCUMSUMEXP or,
// where states are only folded, -DOP_SOFTMAX.
#ifndef VKOPS_OPERATOR_GLSL
#define VKOPS_OPERATOR_GLSL

#if defined(OP_CUMSUM)

#include "cumsum.glsl"
#define HAS_MODES // exclusive and reverse scans

#elif defined(OP_LOGCUMSUMEXP)

#include "logcumsumexp.glsl"

#elif defined(OP_SOFTMAX)

#include "softmax.glsl"

#else
#error no operator chosen
#endif

#endif
