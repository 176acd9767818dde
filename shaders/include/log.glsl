// Pieces of the logarithm from exact operations. Twin: cpuref/real.go.
#ifndef VKOPS_LOG_GLSL
#define VKOPS_LOG_GLSL

#include "coefficients.glsl"
#include "exact.glsl"

#include "one_element.glsl"
#include "log_pieces.glsl"
#if REAL_WORDS == 1
#include "four_elements.glsl"
#include "log_pieces.glsl"
#endif

#endif
