// Which work item an invocation or a workgroup has. Items are counted through
// all three dimensions of the grid, since one dimension may hold as few as
// 65,535 workgroups. The planner never starts 2^32 invocations at once.
#ifndef VKOPS_WORK_GLSL
#define VKOPS_WORK_GLSL

layout(local_size_x_id = 0) in;

// The index of this workgroup in the grid.
uint group_index() {
    return (gl_WorkGroupID.z * gl_NumWorkGroups.y + gl_WorkGroupID.y) * gl_NumWorkGroups.x + gl_WorkGroupID.x;
}

// The index of this invocation in the grid.
uint lane_index() { return group_index() * gl_WorkGroupSize.x + gl_LocalInvocationID.x; }

#endif
