// Scan states in a buffer of words, so that no float there is touched by a
// driver. The header that defines STATE comes first. With READ_ONLY_STATES states
// cannot be stored, and any buffer may be bound where none are read; with
// COHERENT_STATES workgroups of one dispatch see each other's, and with STATES_WORDS they
// are loaded through texels.
#ifndef VKOPS_STATES_GLSL
#define VKOPS_STATES_GLSL

#ifndef STATES_BINDING
#define STATES_BINDING 4
#endif

// Never specialized: tells the planner how large a state is.
layout(constant_id = 31) const uint state_size = STATE_WORDS;

#if defined(COHERENT_STATES)
layout(set = 0, binding = STATES_BINDING) coherent buffer StatesBlock { uint at[]; } states;
#elif defined(READ_ONLY_STATES)
layout(set = 0, binding = STATES_BINDING) readonly buffer StatesBlock { uint at[]; } states;
#else
layout(set = 0, binding = STATES_BINDING) buffer StatesBlock { uint at[]; } states;
#endif

#ifdef STATES_WORDS
#include "texels.glsl"
layout(set = 0, binding = 10) uniform utextureBuffer states_words;
#define STATE_WORD(i) WORD_AT(states, i)
#else
#define STATE_WORD(i) states.at[i]
#endif

STATE load_state(uint i) {
    uint words[STATE_WORDS];
    for (uint w = 0u; w < STATE_WORDS; w++) words[w] = STATE_WORD(i * state_size + w);
    return state_from(words);
}

#ifndef READ_ONLY_STATES
void store_state(uint i, STATE s) {
    uint words[STATE_WORDS];
    state_words(s, words);
    for (uint w = 0u; w < STATE_WORDS; w++) states.at[i * state_size + w] = words[w];
}
#endif

#endif
