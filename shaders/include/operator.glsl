// The scan operator that this translation unit is for: -DOP_CUMSUM or
// -DOP_LOGCUMSUMEXP.
#if defined(OP_CUMSUM)
#include "cumsum.glsl"
#elif defined(OP_LOGCUMSUMEXP)
#include "logcumsumexp.glsl"
#else
#error no operator chosen
#endif
