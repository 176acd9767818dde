// The sums of some samples: one of losses and, for the mean, one of weights. They are
// two neighbouring states, like a tree with inner 2.
#ifndef VKOPS_NLL_SUMS_GLSL
#define VKOPS_NLL_SUMS_GLSL

#include "nll.glsl"

#define RUN 16u
#define GROUP 256u

// Set where the weights are summed too.
layout(constant_id = 5) const uint mean = 0u;

struct Sums {
    STATE losses, weights;
};

Sums no_sums() { return Sums(identity(), identity()); }

void take_terms(inout Sums s, REAL loss, REAL weight) {
    s.losses = take(s.losses, loss);
    if (mean != 0u) s.weights = take(s.weights, weight);
}

Sums add(Sums a, Sums b) {
    if (mean != 0u) a.weights = combine(a.weights, b.weights);
    return Sums(combine(a.losses, b.losses), a.weights);
}

#endif
