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

// Word i of a buffer of words, as a texel where texels are seen.
#define WORD_AT(name, i) (word_access != 0u ? texelFetch(name##_words, int(i)).x : name.at[i])

// The texels of a buffer of elements that are loaded by themselves: an element of 32 or
// 64 bits, or two of 16.
#if defined(DTYPE_F64) || defined(DTYPE_I64)
#define STORED_TEXELS(name) uniform utextureBuffer name##_word_pairs
#define STORED_TEXEL(name, i) texelFetch(name##_word_pairs, int(i)).xy
#else
#define STORED_TEXELS(name) uniform utextureBuffer name##_words
#define STORED_TEXEL(name, i) texelFetch(name##_words, int(i)).x
#endif

#endif
