//go:build linux && cgo

#include "shim.h"

#define HOST_ALLOCATION VK_EXTERNAL_MEMORY_HANDLE_TYPE_HOST_ALLOCATION_BIT_EXT

static vkops_status import_memory(const vkops_device* d, uint64_t address, uint64_t size, uint32_t types,
    uint64_t faults, uint64_t* memory) {
    void* pointer = (void*)(uintptr_t)address;
    VkMemoryHostPointerPropertiesEXT offered = {.sType = VK_STRUCTURE_TYPE_MEMORY_HOST_POINTER_PROPERTIES_EXT};
    VKOPS_TRY(vkGetMemoryHostPointerPropertiesEXT,
        d->vkGetMemoryHostPointerPropertiesEXT(d->device, HOST_ALLOCATION, pointer, &offered));
    types &= offered.memoryTypeBits;
    if (!types) return (vkops_status){VK_INCOMPLETE, VKOPS_CALL_vkGetMemoryHostPointerPropertiesEXT};
    VkImportMemoryHostPointerInfoEXT import = {.sType = VK_STRUCTURE_TYPE_IMPORT_MEMORY_HOST_POINTER_INFO_EXT,
        .handleType = HOST_ALLOCATION, .pHostPointer = pointer};
    VkMemoryAllocateInfo allocate = {.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO, .pNext = &import,
        .allocationSize = size, .memoryTypeIndex = (uint32_t)__builtin_ctz(types)};
    VKOPS_TRY(vkAllocateMemory, d->vkAllocateMemory(d->device, &allocate, NULL, memory));
    return (vkops_status){VK_SUCCESS, 0};
}

static vkops_status bind(const vkops_device* d, uint64_t buffer, uint64_t memory, uint64_t offset, uint64_t faults) {
    VKOPS_TRY(vkBindBufferMemory, d->vkBindBufferMemory(d->device, buffer, memory, offset));
    return (vkops_status){VK_SUCCESS, 0};
}

vkops_status vkops_import_buffer(const vkops_device* d, uint64_t address, uint64_t size, uint64_t lead,
    uint32_t allowed_types, uint64_t faults, uint64_t* memory, uint64_t* buffer) {
    VkExternalMemoryBufferCreateInfo external = {.sType = VK_STRUCTURE_TYPE_EXTERNAL_MEMORY_BUFFER_CREATE_INFO,
        .handleTypes = HOST_ALLOCATION};
    VkBufferCreateInfo create = {.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO, .pNext = &external, .size = size - lead,
        .usage = VKOPS_BUFFER_USAGE};
    VKOPS_TRY(vkCreateBuffer, d->vkCreateBuffer(d->device, &create, NULL, buffer));
    VkMemoryRequirements needs;
    d->vkGetBufferMemoryRequirements(d->device, *buffer, &needs);
    vkops_status status = {VK_INCOMPLETE, VKOPS_CALL_vkBindBufferMemory};
    if (lead % needs.alignment == 0 && lead + needs.size <= size)
        status = import_memory(d, address, size, allowed_types & needs.memoryTypeBits, faults, memory);
    if (status.result == VK_SUCCESS) {
        status = bind(d, *buffer, *memory, lead, faults);
        if (status.result < 0) d->vkFreeMemory(d->device, *memory, NULL);
    }
    if (status.result != VK_SUCCESS) d->vkDestroyBuffer(d->device, *buffer, NULL);
    return status;
}
