// Loads of vectors go through uniform texel buffers, whose fetches a software device
// makes for all lanes at once; loads from storage buffers it makes lane by lane. The
// name says what a texel is: x_vectors has four words in one, x_word_pairs two, x_words
// one.
#ifndef VKOPS_TEXELS_GLSL
#define VKOPS_TEXELS_GLSL

#extension GL_EXT_samplerless_texture_functions : require

// Set where every quad lies at a multiple of four elements, and where all texels of
// two and four words are within the device's limit.
layout(constant_id = 1) const uint vector_access = 0u;

// Set where all texels of the buffers are within the device's limit: single elements are
// loaded as texels then.
layout(constant_id = 12) const uint word_access = 0u;

#endif
