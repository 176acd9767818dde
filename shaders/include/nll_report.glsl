// After a window of samples: the report of the first target that is out of range,
// unless an earlier window had one.
#ifndef VKOPS_NLL_REPORT_GLSL
#define VKOPS_NLL_REPORT_GLSL

#include "target.glsl"

void report_first_bad() {
    uint position = status.at[CANDIDATE];
    if (position != 0xffffffffu && status.at[0] == 0u) {
        uvec2 target = load_target(position);
        uint low = push.window_low + position;
        status.at[0] = 1u;
        status.at[1] = low;
        status.at[2] = push.window_high + (low < position ? 1u : 0u);
        status.at[3] = target.x;
        status.at[4] = target.y;
    }
    status.at[CANDIDATE] = 0xffffffffu;
}

#endif
