// Selections without branches: glslang makes one of ?: wherever an operand is more than a
// name, and the time that SwiftShader takes to compile grows exponentially with the number
// of branches in a row within a loop.
#ifndef VKOPS_CHOOSE_GLSL
#define VKOPS_CHOOSE_GLSL

bool choose(bool which, bool yes, bool no) { return mix(no, yes, which); }
int choose(bool which, int yes, int no) { return mix(no, yes, which); }
uint choose(bool which, uint yes, uint no) { return mix(no, yes, which); }
uvec2 choose(bool which, uvec2 yes, uvec2 no) { return mix(no, yes, bvec2(which)); }
float choose(bool which, float yes, float no) { return mix(no, yes, which); }
#if defined(DTYPE_F64)
double choose(bool which, double yes, double no) { return mix(no, yes, which); }
#endif

#endif
