// After a window of samples, where another pass does not do it: the report of the first
// target that is out of range. One invocation.
#version 450
#extension GL_GOOGLE_include_directive : require
#include "work.glsl"
#include "nll_report.glsl"

void main() {
    if (lane_index() == 0u) report_first_bad();
}
