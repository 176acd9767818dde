// Looking back along the carry tree, in one dispatch: workgroups publish the
// aggregates of their tiles, and find the carry into their own from those before it.
//
// On each level of the tree at most 15 siblings lie before a node. They are awaited
// and loaded by as many threads, then folded in order by one. The tile that ends a
// node of 16 publishes the node's aggregate for the levels above.
//
// Nothing is waited for without end: after poll_limit polls a workgroup makes what is
// missing itself, a node from its children, a tile from the source, and publishes it.
// The bits are the same whoever makes them, so it does no harm if two do.
//
// All waits are by whole workgroups between barriers: on lavapipe a wait by one thread
// leaves its subgroup dead.
#ifndef VKOPS_LOOKBACK_GLSL
#define VKOPS_LOOKBACK_GLSL

layout(constant_id = 8) const uint poll_limit = 1024u;
// Set by tests only: tiles are taken in reverse; every so many-th tile is published
// only so many polls late, or never.
layout(constant_id = 9) const uint hostile_order = 0u;
layout(constant_id = 10) const uint hostile_period = 0u;
layout(constant_id = 11) const uint hostile_delay = 0u;
#define NEVER 0xffffffffu

#define NONE 0xffffffffu

shared STATE siblings[16];
shared uint shared_word; // from one thread to all

// The tile that this workgroup draws: lines after lines, so that whatever a tile waits
// for was drawn before it.
uint draw() {
    if (gl_LocalInvocationID.x == 0u) shared_word = atomicAdd(states.at[push.ticket], 1u);
    barrier();
    uint ticket = shared_word;
    barrier();
    uint last = push.lines * push.tiles - 1u;
    return hostile_order != 0u && ticket <= last ? last - ticket : ticket;
}

// Nodes of a line on a level.
uint level_nodes(uint level) { return ((push.line_tiles - 1u) >> (4u * level)) + 1u; }

// Where a node's state is, level after level.
uint node_index(uint outer, uint level, uint node) {
    uint base = 0u;
    for (uint l = 0u; l < level; l++) base += push.lines * level_nodes(l);
    return base + outer * level_nodes(level) + node;
}

// By one thread.
void publish(uint index, STATE s) {
    store_state(index, s);
    memoryBarrierBuffer();
    atomicExchange(states.at[push.ticket + 1u + index], 1u);
}

bool is_published(uint index) { return atomicOr(states.at[push.ticket + 1u + index], 0u) != 0u; }

bool is_hostile(uint tile) { return hostile_period != 0u && tile % hostile_period == hostile_period - 1u; }

// What is left of poll_limit.
uint polls_left = poll_limit;

// Brings the states of `count` nodes from `first` on to `siblings`. If one is still
// missing when no polls are left, gives the first that is, else count.
uint gather(uint first, uint count) {
    uint missing;
    for (;;) {
        if (gl_LocalInvocationID.x == 0u) shared_word = count;
        barrier();
        for (uint k = gl_LocalInvocationID.x; k < count; k += gl_WorkGroupSize.x) {
            if (!is_published(first + k)) atomicMin(shared_word, k);
        }
        barrier();
        missing = shared_word;
        barrier();
        if (missing == count || polls_left == 0u) break;
        polls_left--;
    }
    if (missing == count) {
        memoryBarrierBuffer();
        for (uint k = gl_LocalInvocationID.x; k < count; k += gl_WorkGroupSize.x) siblings[k] = load_state(first + k);
        barrier();
    }
    return missing;
}

// How far this workgroup has come: up the tree to publish the nodes that its tile
// ends, then down for the carry, in its thread 0.
struct LookBack {
    bool climbing;
    uint level; // next; levels count down to NONE
    STATE carry;
};

// The highest level on which something lies before a tile; NONE before the first.
uint top_level(uint tile) { return tile == 0u ? NONE : uint(findMSB(tile)) / 4u; }

// Whether a tile ends a node above `level` that others look back to.
bool ends_node(uint tile, uint level) { return (tile >> (4u * level) & 15u) == 15u && level_nodes(level) > 16u; }

LookBack start_of_look_back(uint tile, bool climbs) {
    return climbs ? LookBack(true, 0u, identity()) : LookBack(false, top_level(tile), identity());
}

// Goes on until the carry is known, or until a tile is missing and no polls are left:
// then it gives that tile.
uint look_back(inout LookBack at, uint outer, uint tile) {
    bool mending = false; // making a missing node
    uint level, node, count;
    while (true) {
        if (!mending) {
            if (at.climbing && !ends_node(tile, at.level)) {
                at.climbing = false;
                at.level = top_level(tile);
            }
            if (at.level == NONE) return NONE;
            level = at.level;
            node = (tile >> (4u * level)) & ~15u;
            count = at.climbing ? 16u : (tile >> (4u * level)) & 15u;
        }
        uint missing = gather(node_index(outer, level, node), count);
        if (missing < count) {
            node += missing;
            if (level == 0u) return node;
            mending = true;
            level--;
            node *= 16u;
            count = min(16u, level_nodes(level) - node);
            continue;
        }
        bool up = mending || at.climbing;
        if (gl_LocalInvocationID.x == 0u) {
            STATE s = up ? identity() : at.carry;
            for (uint k = 0u; k < count; k++) s = combine(s, siblings[k]);
            if (up) {
                publish(node_index(outer, level + 1u, node / 16u), s);
            } else {
                at.carry = s;
            }
        }
        if (!mending) at.level += at.climbing ? 1u : NONE; // down to NONE
        mending = false;
    }
}

// Gives thread 0's state to all.
STATE share(STATE s) {
    if (gl_LocalInvocationID.x == 0u) siblings[0] = s;
    barrier();
    return siblings[0];
}

#endif
