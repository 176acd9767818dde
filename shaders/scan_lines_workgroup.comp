// The only pass over short lines: a workgroup takes as many whole lines as fit in its
// block, side by side as rows (inner is 1) or as columns of whole outer indices. Every
// line has 16 groups at most, and no carry comes into it. Twin: walkLines in
// cpuref/scan_outputs.go.
#version 450
#extension GL_GOOGLE_include_directive : require
#define READ_ONLY_STATES
#define PUSH_LINES
#define GROUPS 32 // 15 lines of 257 to 272 elements have two groups each
#include "scan_workgroup.glsl"

uint line_runs() { return (push.n + RUN - 1u) / RUN; }

uint run_start(uint r) {
    uint line = r / line_runs();
    uint position = r % line_runs() * RUN;
    return (line / push.inner * push.n + position) * push.inner + line % push.inner;
}

uint run_step() { return push.inner; }

uint run_length(Block block, uint r) {
    uint lines = block.count / push.n;
    return r < lines * line_runs() ? min(RUN, push.n - r % line_runs() * RUN) : 0u;
}

bool run_starts_line(uint r) { return r % line_runs() == 0u; }

// Replaces the runs' aggregates by their carries.
void spread_lines(uint lines) {
    uint line_groups = (line_runs() + 15u) / 16u;
    barrier();
    if (line_groups > 1u) {
        for (uint g = gl_LocalInvocationID.x; g < lines * line_groups; g += gl_WorkGroupSize.x) {
            uint run = g / line_groups * line_runs();
            uint end = run + min(g % line_groups * 16u + 16u, line_runs());
            STATE s = identity();
            for (uint r = run + g % line_groups * 16u; r < end; r++) s = combine(s, run_states[r]);
            group_states[g] = s;
        }
        barrier();
    }
    for (uint g = gl_LocalInvocationID.x; g < lines * line_groups; g += gl_WorkGroupSize.x) {
        uint run = g / line_groups * line_runs();
        uint end = run + min(g % line_groups * 16u + 16u, line_runs());
        STATE s = identity();
        for (uint before = g - g % line_groups; before < g; before++) s = combine(s, group_states[before]);
        for (uint r = run + g % line_groups * 16u; r < end; r++) {
            STATE aggregate = run_states[r];
            run_states[r] = s;
            s = combine(s, aggregate);
        }
    }
    barrier();
}

void main() {
    uint index = push.first_item + group_index();
    if (index >= push.item_end) return; // the whole workgroup
    uint line = index * push.lines_per_item;
    uint lines = min(push.lines_per_item, push.lines - line);
    uint first = reverse_scan != 0u ? (line + lines) * push.n - 1u : line * push.n;
    Block block = Block(lines * push.n, push.source_base + first, push.result_base + first);
    load_terms(block);
    fold_runs(block);
    spread_lines(lines);
    store_outputs(block);
}
