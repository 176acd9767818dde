// Loading and storing elements, in the order they have in memory. Indices count
// elements from the start of the bound range. The header that defines ELEMENT
// comes first.
//
// 16-bit elements lie two to a word. No two invocations may write one word, so
// all stores here write whole words, and whoever calls them owns those words.
//
// A kernel that stores no elements defines NO_RESULT; one that loads or stores
// quads defines QUADS, and NO_SOURCE_QUADS where it only stores them. One that
// defines SOURCE_WORDS loads single elements through texels.
#ifndef VKOPS_ELEMENTS_GLSL
#define VKOPS_ELEMENTS_GLSL

#if defined(DTYPE_F16) || defined(DTYPE_BF16)
#define PACKED
#include "pack16.glsl"
#define STORED uint
#else
#define STORED ELEMENT
#endif

layout(set = 0, binding = 0) readonly buffer SourceBlock { STORED at[]; } source;
#ifndef NO_RESULT
layout(set = 0, binding = 1) buffer ResultBlock { STORED at[]; } result;
#endif

#if defined(QUADS) || defined(SOURCE_WORDS)
#include "texels.glsl"
#endif

#if defined(DTYPE_F64)
#define FROM_WORDS packDouble2x32
#elif defined(DTYPE_F32)
#define FROM_WORDS uintBitsToFloat
#else
#define FROM_WORDS
#endif

// What a buffer holds at index i: an element, or the word that two share.
#ifdef SOURCE_WORDS
layout(set = 0, binding = 8) STORED_TEXELS(source);
#define STORED_AT(name, i) (word_access != 0u ? FROM_WORDS(STORED_TEXEL(name, i)) : name.at[i])
#else
#define STORED_AT(name, i) name.at[i]
#endif

// Where element i lies, and what it is of what lies there.
#if defined(PACKED)
uint stored_index(uint i) { return i >> 1; }
ELEMENT element_of(uint word, uint i) { return load16((i & 1u) != 0u ? word >> 16 : word & 0xffffu); }
#else
uint stored_index(uint i) { return i; }
ELEMENT element_of(ELEMENT x, uint i) { return x; }
#endif

STORED load_stored(uint i) { return STORED_AT(source, i); }

ELEMENT load_element(uint i) { return element_of(load_stored(stored_index(i)), i); }

// Four neighbours in memory.
struct Quad {
    ELEMENT a, b, c, d;
};

Quad reversed(Quad q) { return Quad(q.d, q.c, q.b, q.a); }

#ifdef QUADS

#if defined(PACKED)
#define VECTOR uvec2
#elif defined(DTYPE_F64)
#define VECTOR dvec4
#elif defined(DTYPE_F32)
#define VECTOR vec4
#else
#define VECTOR uvec4
#endif
#ifndef NO_SOURCE_QUADS
#if defined(PACKED)
layout(set = 0, binding = 2) uniform utextureBuffer source_word_pairs;
#else
layout(set = 0, binding = 2) uniform utextureBuffer source_vectors;
#endif
#endif
#ifndef NO_RESULT
layout(set = 0, binding = 3) buffer ResultVectorBlock { VECTOR at[]; } result_vectors;
#endif
#endif

#if defined(PACKED)

#if defined(QUADS) && !defined(NO_SOURCE_QUADS)

// Loads elements i to i+3; i is even.
Quad load_quad(uint i) {
    uvec2 words;
    if (vector_access != 0u) {
        words = texelFetch(source_word_pairs, int(i >> 2)).xy;
    } else {
        words = uvec2(load_stored(i >> 1), load_stored((i >> 1) + 1u));
    }
    return Quad(load16(words.x & 0xffffu), load16(words.x >> 16), load16(words.y & 0xffffu), load16(words.y >> 16));
}

#endif

#ifndef NO_RESULT

uint packed_pair(ELEMENT low, ELEMENT high) { return store16(low) | store16(high) << 16; }

// Stores elements i and i+1; i is even.
void store_pair(uint i, ELEMENT low, ELEMENT high) { result.at[i >> 1] = packed_pair(low, high); }

// Changes one element of a word that this invocation has written.
void replace_element(uint i, ELEMENT x) {
    uint word = result.at[i >> 1];
    result.at[i >> 1] = (i & 1u) != 0u ? (word & 0xffffu) | store16(x) << 16 : (word & 0xffff0000u) | store16(x);
}

#ifdef QUADS

void store_quad(uint i, Quad q) {
    if (vector_access != 0u) {
        result_vectors.at[i >> 2] = uvec2(packed_pair(q.a, q.b), packed_pair(q.c, q.d));
        return;
    }
    store_pair(i, q.a, q.b);
    store_pair(i + 2u, q.c, q.d);
}

// Stores the first or the last `count` elements of the quad at i, 1 to 3 of
// them. The word that is half covered gets a zero beside its element: no element
// lies there.
void store_first(uint i, Quad q, uint count) {
    store_pair(i, q.a, count > 1u ? q.b : ELEMENT(0));
    if (count > 2u) store_pair(i + 2u, q.c, ELEMENT(0));
}

void store_last(uint i, Quad q, uint count) {
    if (count > 2u) store_pair(i, ELEMENT(0), q.b);
    store_pair(i + 2u, count > 1u ? q.c : ELEMENT(0), q.d);
}

#endif
#endif

#else

#ifndef NO_RESULT
void replace_element(uint i, ELEMENT x) { result.at[i] = x; }
#endif

#ifdef QUADS
#ifndef NO_SOURCE_QUADS

Quad load_quad(uint i) {
    if (vector_access != 0u) {
#if defined(DTYPE_I64) || defined(DTYPE_F64)
        uvec4 low = texelFetch(source_vectors, int(i >> 1));
        uvec4 high = texelFetch(source_vectors, int((i >> 1) + 1u));
        return Quad(FROM_WORDS(low.xy), FROM_WORDS(low.zw), FROM_WORDS(high.xy), FROM_WORDS(high.zw));
#else
        uvec4 v = texelFetch(source_vectors, int(i >> 2));
        return Quad(FROM_WORDS(v.x), FROM_WORDS(v.y), FROM_WORDS(v.z), FROM_WORDS(v.w));
#endif
    }
    return Quad(load_element(i), load_element(i + 1u), load_element(i + 2u), load_element(i + 3u));
}

#endif

#ifndef NO_RESULT

void store_quad(uint i, Quad q) {
    if (vector_access != 0u) {
#if defined(DTYPE_I64)
        result_vectors.at[i >> 1] = VECTOR(q.a, q.b);
        result_vectors.at[(i >> 1) + 1u] = VECTOR(q.c, q.d);
#else
        result_vectors.at[i >> 2] = VECTOR(q.a, q.b, q.c, q.d);
#endif
        return;
    }
    result.at[i] = q.a;
    result.at[i + 1u] = q.b;
    result.at[i + 2u] = q.c;
    result.at[i + 3u] = q.d;
}

// Stores the first or the last `count` elements of the quad at i, 1 to 3 of them.
void store_first(uint i, Quad q, uint count) {
    result.at[i] = q.a;
    if (count > 1u) result.at[i + 1u] = q.b;
    if (count > 2u) result.at[i + 2u] = q.c;
}

void store_last(uint i, Quad q, uint count) {
    if (count > 2u) result.at[i + 1u] = q.b;
    if (count > 1u) result.at[i + 2u] = q.c;
    result.at[i + 3u] = q.d;
}

#endif
#endif
#endif

#endif
