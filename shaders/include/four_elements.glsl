// The types of a page of arithmetic for four elements side by side, see one_element.glsl.
#undef REALS
#undef INTS
#undef UINTS
#undef BOOLS
#undef KEYS
#define REALS vec4
#define INTS ivec4
#define UINTS uvec4
#define BOOLS bvec4
#define KEYS ivec4
