// Copies rows of 16-bit elements to rows of another pitch, where an odd pitch would
// make two lanes of a scan share a word. Each invocation writes whole words, one after
// the other; the word at either end keeps what lies outside the result.
#version 450
#extension GL_GOOGLE_include_directive : require
#include "texels.glsl"
#include "work.glsl"

layout(set = 0, binding = 0) readonly buffer SourceBlock { uint at[]; } source;
layout(set = 0, binding = 1) buffer ResultBlock { uint at[]; } result;
layout(set = 0, binding = 2) uniform utextureBuffer source_words;
layout(set = 0, binding = 3) uniform utextureBuffer result_words;

layout(push_constant) uniform PushBlock {
    uint first_item; // of this dispatch
    uint item_end;
    uint words_per_item;
    uint word_end; // of the result
    uint width; // elements to copy of each row of the source
    uint source_pitch;
    uint result_pitch;
    uint shift; // column of the result that the source's first column goes to
    uint source_base;
    uint result_base;
    uint result_count; // elements: rows * result_pitch
} push;

// The next element of the result, and its row and column.
uint next, row, column;

// The 16 bits for the next element; zero beside the copied columns.
uint element() {
    uint from_column = column - push.shift; // wraps, then exceeds width
    bool copied = from_column < push.width;
    uint from = push.source_base + row * push.source_pitch + (copied ? from_column : 0u);
    uint bits = WORD_AT(source, from >> 1) >> (16u * (from & 1u)) & 0xffffu;
    next++;
    column++;
    if (column == push.result_pitch) {
        column = 0u;
        row++;
    }
    return copied ? bits : 0u;
}

void main() {
    uint index = push.first_item + lane_index();
    if (index >= push.item_end) return;
    uint word = push.result_base / 2u + index * push.words_per_item;
    uint end = min(word + push.words_per_item, push.word_end);
    next = max(word * 2u, push.result_base) - push.result_base;
    row = next / push.result_pitch;
    column = next % push.result_pitch;
    for (; word < end; word++) {
        uint bits = WORD_AT(result, word);
        if (word * 2u >= push.result_base) bits = (bits & 0xffff0000u) | element();
        if (next < push.result_count) bits = (bits & 0xffffu) | element() << 16;
        result.at[word] = bits;
    }
}
