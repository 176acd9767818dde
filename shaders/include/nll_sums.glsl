// The sums of a tile of samples: one of losses and, for the mean, one of weights.
// They are two neighbouring states, like a tree with inner 2.
#ifndef VKOPS_NLL_SUMS_GLSL
#define VKOPS_NLL_SUMS_GLSL

#define NO_RESULT
#define STATES_BINDING 3
#include "nll_samples.glsl"
#include "states.glsl"

#define RUN 16u
#define TILE 4096u

// Set where the weights are summed too.
layout(constant_id = 5) const uint mean = 0u;

#endif
