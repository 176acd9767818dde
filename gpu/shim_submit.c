//go:build linux && cgo

#include <sched.h>
#include <time.h>

#include "shim.h"

vkops_status vkops_submit(const vkops_device* d, VkCommandBuffer commands, uint64_t fence, int used, uint64_t faults) {
    VkSubmitInfo info = {.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO, .commandBufferCount = 1, .pCommandBuffers = &commands};
    if (used) VKOPS_TRY(vkResetFences, d->vkResetFences(d->device, 1, &fence));
    VKOPS_TRY(vkQueueSubmit, d->vkQueueSubmit(d->queue, 1, &info, fence));
    return (vkops_status){VK_SUCCESS, 0};
}

static uint64_t now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

// Lets other threads of this processor go first each time: the driver's may be among them.
static VkResult poll_fence(const vkops_device* d, uint64_t fence, uint64_t nanoseconds) {
    VkResult result = d->vkGetFenceStatus(d->device, fence);
    for (uint64_t end = now() + nanoseconds; result == VK_NOT_READY && now() < end;) {
        sched_yield();
        result = d->vkGetFenceStatus(d->device, fence);
    }
    return result;
}

vkops_status vkops_wait(const vkops_device* d, uint64_t fence, uint64_t polling, uint64_t sleeping, uint64_t faults) {
    int call = sleeping ? VKOPS_CALL_vkWaitForFences : VKOPS_CALL_vkGetFenceStatus;
    VkResult result = vkops_fault(faults, call);
    if (result < 0) return (vkops_status){result, call};
    result = VK_NOT_READY;
    if (polling || !sleeping) result = poll_fence(d, fence, polling);
    if (result == VK_NOT_READY && sleeping) result = d->vkWaitForFences(d->device, 1, &fence, 1, sleeping);
    return (vkops_status){result == VK_NOT_READY ? VK_TIMEOUT : result, call};
}

vkops_status vkops_query_results(const vkops_device* d, uint64_t query_pool, uint32_t count, uint64_t* ticks,
    uint64_t faults) {
    VKOPS_TRY(vkGetQueryPoolResults, d->vkGetQueryPoolResults(d->device, query_pool, 0, count, count * sizeof *ticks,
        ticks, sizeof *ticks, VK_QUERY_RESULT_64_BIT));
    return (vkops_status){VK_SUCCESS, 0};
}

vkops_status vkops_flush(const vkops_device* d, uint64_t memory, uint64_t offset, uint64_t size, uint64_t faults) {
    VkMappedMemoryRange range = {.sType = VK_STRUCTURE_TYPE_MAPPED_MEMORY_RANGE, .memory = memory, .offset = offset,
        .size = size};
    VKOPS_TRY(vkFlushMappedMemoryRanges, d->vkFlushMappedMemoryRanges(d->device, 1, &range));
    return (vkops_status){VK_SUCCESS, 0};
}

vkops_status vkops_invalidate(const vkops_device* d, uint64_t memory, uint64_t offset, uint64_t size, uint64_t faults) {
    VkMappedMemoryRange range = {.sType = VK_STRUCTURE_TYPE_MAPPED_MEMORY_RANGE, .memory = memory, .offset = offset,
        .size = size};
    VKOPS_TRY(vkInvalidateMappedMemoryRanges, d->vkInvalidateMappedMemoryRanges(d->device, 1, &range));
    return (vkops_status){VK_SUCCESS, 0};
}
