#version 450
#extension GL_EXT_samplerless_texture_functions : require
// dst[i] = four words of a + two words of b + a word of c, each a texel.
layout(local_size_x = 64) in;
layout(binding = 0) uniform utextureBuffer a;
layout(binding = 1) uniform utextureBuffer b;
layout(binding = 3) uniform utextureBuffer c;
layout(binding = 2) writeonly buffer Destination { uvec4 dst[]; };

void main() {
    uint i = gl_GlobalInvocationID.x;
    if (i < dst.length()) dst[i] = texelFetch(a, int(i)) + texelFetch(b, int(i)).xyxy + texelFetch(c, int(i)).x;
}
