#version 450
// dst[i] = src[i] + value, for a grid of any extent.
layout(local_size_x_id = 0) in;
layout(constant_id = 1) const uint extra = 0;
layout(binding = 0) readonly buffer Source { uint src[]; };
layout(binding = 1) writeonly buffer Destination { uint dst[]; };
layout(push_constant) uniform Push { uint count; uint value; };

void main() {
    uint group = (gl_WorkGroupID.z * gl_NumWorkGroups.y + gl_WorkGroupID.y) * gl_NumWorkGroups.x + gl_WorkGroupID.x;
    uint i = group * gl_WorkGroupSize.x + gl_LocalInvocationIndex;
    if (i < count) dst[i] = src[i] + value + extra;
}
