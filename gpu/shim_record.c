//go:build linux && cgo

#include <string.h>

#include "shim.h"

enum { COPY_REGIONS = 256, DISPATCH_WORDS = 7, BINDING_WORDS = 5 };

static const VkFlags work_stages = VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT | VK_PIPELINE_STAGE_TRANSFER_BIT;
static const VkFlags work_writes = VK_ACCESS_SHADER_WRITE_BIT | VK_ACCESS_TRANSFER_WRITE_BIT;
static const VkFlags work_accesses = VK_ACCESS_SHADER_READ_BIT | VK_ACCESS_SHADER_WRITE_BIT
    | VK_ACCESS_TRANSFER_READ_BIT | VK_ACCESS_TRANSFER_WRITE_BIT;

vkops_status vkops_create_descriptor_pool(const vkops_device* d, uint32_t sets, uint32_t storage, uint32_t texels,
    uint64_t faults, uint64_t* pool) {
    VkDescriptorPoolSize sizes[] = {{VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, storage},
        {VK_DESCRIPTOR_TYPE_UNIFORM_TEXEL_BUFFER, texels}};
    VkDescriptorPoolCreateInfo info = {.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO, .maxSets = sets,
        .poolSizeCount = 2, .pPoolSizes = sizes};
    VKOPS_TRY(vkCreateDescriptorPool, d->vkCreateDescriptorPool(d->device, &info, NULL, pool));
    return (vkops_status){VK_SUCCESS, 0};
}

vkops_status vkops_allocate_command_buffer(const vkops_device* d, uint64_t command_pool, uint64_t faults,
    VkCommandBuffer* buffer) {
    VkCommandBufferAllocateInfo info = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
        .commandPool = command_pool, .level = VK_COMMAND_BUFFER_LEVEL_PRIMARY, .commandBufferCount = 1};
    VKOPS_TRY(vkAllocateCommandBuffers, d->vkAllocateCommandBuffers(d->device, &info, buffer));
    return (vkops_status){VK_SUCCESS, 0};
}

vkops_status vkops_reset(const vkops_device* d, uint64_t command_pool, uint64_t descriptor_pool, uint64_t faults) {
    VKOPS_TRY(vkResetCommandPool, d->vkResetCommandPool(d->device, command_pool, 0));
    if (descriptor_pool) VKOPS_TRY(vkResetDescriptorPool, d->vkResetDescriptorPool(d->device, descriptor_pool, 0));
    return (vkops_status){VK_SUCCESS, 0};
}

typedef struct {
    const vkops_device* d;
    VkCommandBuffer commands;
    uint64_t descriptor_pool, query_pool;
    const uint64_t* bound; // the latest dispatch's operands, whose pipeline and set are still bound
} recorder;

static void barrier(const recorder* r, VkFlags from, VkFlags from_access, VkFlags to, VkFlags to_access) {
    VkMemoryBarrier memory = {.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER, .srcAccessMask = from_access,
        .dstAccessMask = to_access};
    r->d->vkCmdPipelineBarrier(r->commands, from, to, 0, 1, &memory, 0, NULL, 0, NULL);
}

static const uint64_t* bindings_of(const uint64_t* dispatch) {
    return dispatch + DISPATCH_WORDS - 1 + ((dispatch[4] >> 32) + 7) / 8;
}

static vkops_status bind_buffers(const recorder* r, const uint64_t* dispatch, uint64_t faults) {
    const vkops_device* d = r->d;
    uint32_t count = (uint32_t)dispatch[5];
    const uint64_t* binding = bindings_of(dispatch);
    if (r->bound && r->bound[1] == dispatch[1] && r->bound[2] == dispatch[2] && r->bound[5] == dispatch[5]
        && !memcmp(bindings_of(r->bound), binding, count * BINDING_WORDS * sizeof *binding))
        return (vkops_status){VK_SUCCESS, 0};

    VkDescriptorSet set;
    VkDescriptorSetAllocateInfo allocate = {.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO,
        .descriptorPool = r->descriptor_pool, .descriptorSetCount = 1, .pSetLayouts = &dispatch[2]};
    VKOPS_TRY(vkAllocateDescriptorSets, d->vkAllocateDescriptorSets(d->device, &allocate, &set));
    VkDescriptorBufferInfo buffers[VKOPS_MAX_BINDINGS];
    VkWriteDescriptorSet writes[VKOPS_MAX_BINDINGS];
    for (uint32_t i = 0; i < count; i++, binding += BINDING_WORDS) {
        buffers[i] = (VkDescriptorBufferInfo){binding[1], binding[2], binding[3]};
        writes[i] = (VkWriteDescriptorSet){.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET, .dstSet = set,
            .dstBinding = (uint32_t)binding[0], .descriptorCount = 1,
            .descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, .pBufferInfo = &buffers[i]};
        if (binding[4]) {
            writes[i].descriptorType = VK_DESCRIPTOR_TYPE_UNIFORM_TEXEL_BUFFER;
            writes[i].pTexelBufferView = &binding[4];
        }
    }
    d->vkUpdateDescriptorSets(d->device, count, writes, 0, NULL);
    d->vkCmdBindDescriptorSets(r->commands, VK_PIPELINE_BIND_POINT_COMPUTE, dispatch[1], 0, 1, &set, 0, NULL);
    return (vkops_status){VK_SUCCESS, 0};
}

static vkops_status dispatch(recorder* r, const uint64_t* w, uint64_t faults) {
    const vkops_device* d = r->d;
    uint32_t push_bytes = (uint32_t)(w[4] >> 32);
    if (!r->bound || r->bound[0] != w[0]) d->vkCmdBindPipeline(r->commands, VK_PIPELINE_BIND_POINT_COMPUTE, w[0]);
    if (w[5]) {
        vkops_status status = bind_buffers(r, w, faults);
        if (status.result < 0) return status;
    }
    if (push_bytes)
        d->vkCmdPushConstants(r->commands, w[1], VK_SHADER_STAGE_COMPUTE_BIT, 0, push_bytes, w + DISPATCH_WORDS - 1);
    d->vkCmdDispatch(r->commands, (uint32_t)w[3], (uint32_t)(w[3] >> 32), (uint32_t)w[4]);
    r->bound = w;
    return (vkops_status){VK_SUCCESS, 0};
}

static void copy_rect(const recorder* r, const uint64_t* w) {
    VkBufferCopy regions[COPY_REGIONS];
    for (uint64_t row = 0; row < w[7];) {
        uint32_t n = 0;
        for (; n < COPY_REGIONS && row < w[7]; n++, row++)
            regions[n] = (VkBufferCopy){.srcOffset = w[4] + row * w[5], .dstOffset = w[1] + row * w[2], .size = w[6]};
        r->d->vkCmdCopyBuffer(r->commands, w[3], w[0], n, regions);
    }
}

static vkops_status record_all(recorder* r, const uint64_t* w, const uint64_t* end, uint64_t faults) {
    const vkops_device* d = r->d;
    while (w < end) {
        switch (*w++) {
        case VKOPS_DISPATCH: {
            vkops_status status = dispatch(r, w, faults);
            if (status.result < 0) return status;
            w = bindings_of(w) + w[5] * BINDING_WORDS;
            break;
        }
        case VKOPS_BARRIER:
            barrier(r, work_stages, work_writes, work_stages, work_accesses);
            break;
        case VKOPS_COPY: {
            VkBufferCopy region = {.srcOffset = w[3], .dstOffset = w[1], .size = w[4]};
            d->vkCmdCopyBuffer(r->commands, w[2], w[0], 1, &region);
            w += 5;
            break;
        }
        case VKOPS_COPY_RECT:
            copy_rect(r, w);
            w += 8;
            break;
        case VKOPS_FILL:
            d->vkCmdFillBuffer(r->commands, w[0], w[1], w[2], (uint32_t)w[3]);
            w += 4;
            break;
        case VKOPS_TIMESTAMP:
            d->vkCmdWriteTimestamp(r->commands, VK_PIPELINE_STAGE_BOTTOM_OF_PIPE_BIT, r->query_pool, (uint32_t)w[0]);
            w += 1;
            break;
        }
    }
    return (vkops_status){VK_SUCCESS, 0};
}

vkops_status vkops_record(const vkops_device* d, VkCommandBuffer commands, uint64_t descriptor_pool,
    uint64_t query_pool, uint32_t queries, const uint64_t* words, size_t count, uint64_t faults) {
    VkCommandBufferBeginInfo begin = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO,
        .flags = VK_COMMAND_BUFFER_USAGE_SIMULTANEOUS_USE_BIT};
    recorder r = {.d = d, .commands = commands, .descriptor_pool = descriptor_pool, .query_pool = query_pool};
    VKOPS_TRY(vkBeginCommandBuffer, d->vkBeginCommandBuffer(commands, &begin));
    if (queries) d->vkCmdResetQueryPool(commands, query_pool, 0, queries);
    // Orders this program behind every earlier submission and behind what the host wrote.
    barrier(&r, work_stages | VK_PIPELINE_STAGE_HOST_BIT, work_writes | VK_ACCESS_HOST_WRITE_BIT, work_stages,
        work_accesses);
    vkops_status status = record_all(&r, words, words + count, faults);
    if (status.result < 0) return status;
    barrier(&r, work_stages, work_writes, VK_PIPELINE_STAGE_HOST_BIT, VK_ACCESS_HOST_READ_BIT);
    VKOPS_TRY(vkEndCommandBuffer, d->vkEndCommandBuffer(commands));
    return (vkops_status){VK_SUCCESS, 0};
}
