//go:build linux && cgo

#include "shim.h"

vkops_status vkops_submit(const vkops_device* d, VkCommandBuffer commands, uint64_t fence, int used, uint64_t faults) {
    VkSubmitInfo info = {.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO, .commandBufferCount = 1, .pCommandBuffers = &commands};
    if (used) VKOPS_TRY(vkResetFences, d->vkResetFences(d->device, 1, &fence));
    VKOPS_TRY(vkQueueSubmit, d->vkQueueSubmit(d->queue, 1, &info, fence));
    return (vkops_status){VK_SUCCESS, 0};
}

vkops_status vkops_wait(const vkops_device* d, uint64_t fence, uint64_t nanoseconds, uint64_t faults) {
    const uint64_t lost = 1ull << VKOPS_CALL_vkWaitForFences | 1ull << VKOPS_CALL_vkGetFenceStatus;
    int call = nanoseconds ? VKOPS_CALL_vkWaitForFences : VKOPS_CALL_vkGetFenceStatus;
    if (faults & lost & 1ull << call) return (vkops_status){VK_ERROR_DEVICE_LOST, call};
    VkResult result = nanoseconds ? d->vkWaitForFences(d->device, 1, &fence, 1, nanoseconds)
                                  : d->vkGetFenceStatus(d->device, fence);
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
