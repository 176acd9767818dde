#version 450
// Uses 32-bit floats, and stores the size of a subgroup.
#extension GL_KHR_shader_subgroup_basic : require
layout(local_size_x = 64) in;
layout(binding = 3) buffer Data { float data[]; };
layout(push_constant) uniform Push { float factor; };

void main() {
    uint i = gl_GlobalInvocationID.x;
    data[i] = i == 0 ? float(gl_SubgroupSize) : data[i] * factor;
}
