// The C side of package gpu: every Vulkan call that takes an array or a chain of structures, and the hot paths
// (record, submit, wait), each one crossing of plain values. The binding serves the rest.
#ifndef VKOPS_SHIM_H
#define VKOPS_SHIM_H

#ifdef VKOPS_SYSTEM_VULKAN
// abi_test.go compiles the shim so, to have the system's header check the declarations.
#define VK_NO_PROTOTYPES
#define VK_USE_64_BIT_PTR_DEFINES 0
#include <vulkan/vulkan.h>
#else
#include "vulkan_functions.h"
#endif

#define VKOPS_INSTANCE_CALLS(X) \
    X(vkEnumerateInstanceVersion) X(vkEnumerateInstanceExtensionProperties) X(vkEnumerateInstanceLayerProperties) \
    X(vkCreateInstance) X(vkCreateDebugUtilsMessengerEXT) X(vkEnumerateDeviceExtensionProperties) X(vkCreateDevice)

#define VKOPS_DEVICE_CALLS(X) \
    X(vkCreateDescriptorSetLayout) X(vkCreatePipelineLayout) X(vkCreateShaderModule) X(vkCreateComputePipelines) \
    X(vkGetPipelineCacheData) X(vkCreateDescriptorPool) X(vkResetDescriptorPool) X(vkAllocateDescriptorSets) \
    X(vkAllocateCommandBuffers) X(vkResetCommandPool) X(vkBeginCommandBuffer) X(vkEndCommandBuffer) \
    X(vkQueueSubmit) X(vkWaitForFences) X(vkGetFenceStatus) X(vkResetFences) X(vkGetQueryPoolResults) \
    X(vkFlushMappedMemoryRanges) X(vkInvalidateMappedMemoryRanges) \
    X(vkCreateBuffer) X(vkAllocateMemory) X(vkBindBufferMemory) X(vkGetMemoryHostPointerPropertiesEXT)

#define VKOPS_DEVICE_VOID_CALLS(X) \
    X(vkDestroyShaderModule) X(vkUpdateDescriptorSets) X(vkCmdBindPipeline) X(vkCmdBindDescriptorSets) \
    X(vkCmdPushConstants) X(vkCmdDispatch) X(vkCmdPipelineBarrier) X(vkCmdCopyBuffer) X(vkCmdFillBuffer) \
    X(vkCmdResetQueryPool) X(vkCmdWriteTimestamp) X(vkDestroyBuffer) X(vkGetBufferMemoryRequirements) X(vkFreeMemory)

enum {
#define VKOPS_ENUM(f) VKOPS_CALL_##f,
    VKOPS_INSTANCE_CALLS(VKOPS_ENUM) VKOPS_DEVICE_CALLS(VKOPS_ENUM)
#undef VKOPS_ENUM
    VKOPS_CALL_COUNT
};

// The Vulkan name of a call, as VKOPS_CALL_vkCreateInstance gives "vkCreateInstance".
const char* vkops_call_name(int call);

// What came of a shim function: the first failing call's result and which call it was, else VK_SUCCESS (or a positive
// code of the last call). Functions take `faults`: calls that have to fail instead of being made, as out of memory (bit
// `call`) or as a lost device (bit `call + VKOPS_LOST`).
typedef struct {
    VkResult result;
    int32_t call;
} vkops_status;

enum { VKOPS_LOST = 32 };
_Static_assert((int)VKOPS_CALL_COUNT <= (int)VKOPS_LOST, "two bits of 64 for each call");

static inline VkResult vkops_fault(uint64_t faults, int call) {
    if (faults >> (call + VKOPS_LOST) & 1) return VK_ERROR_DEVICE_LOST;
    return faults >> call & 1 ? VK_ERROR_OUT_OF_HOST_MEMORY : VK_SUCCESS;
}

#define VKOPS_TRY(call_name, expression)                                                          \
    do {                                                                                          \
        VkResult try_result = vkops_fault(faults, VKOPS_CALL_##call_name);                        \
        if (try_result == VK_SUCCESS) try_result = (expression);                                  \
        if (try_result < 0) return (vkops_status){try_result, VKOPS_CALL_##call_name};            \
    } while (0)

// Validation messages, copied by the driver's threads and collected by Go. Holds the newest.
typedef struct vkops_messages vkops_messages;

typedef struct {
    VkInstance instance;
    VkDebugUtilsMessengerEXT messenger;
    vkops_messages* messages;
} vkops_instance;

// Opens libvulkan.so.1 once for the process. Returns vkGetInstanceProcAddr, or NULL with the reason in message.
void* vkops_load(char* message, size_t message_size);

vkops_status vkops_create_instance(void* get_proc, int validation, uint64_t faults, vkops_instance* out);
// Frees whatever vkops_create_instance made.
void vkops_destroy_instance(void* get_proc, vkops_instance* instance);
// Moves the oldest message into text (cut to size, NUL-terminated). Returns 0 if there is none.
int vkops_take_message(vkops_messages* messages, char* text, size_t size);

// What vkGetPhysicalDeviceProperties2 and its extensions say beside the limits. Arrays are for widths 16, 32, 64.
typedef struct {
    uint8_t uuid[16];
    char driver_name[256], driver_info[256];
    uint64_t max_allocation, max_buffer;
    uint64_t import_alignment; // of host memory that a buffer can be made of; 0 where that is not offered
    uint32_t subgroup_size, min_subgroup_size, max_subgroup_size;
    uint32_t size_control, full_subgroups, float_controls, portability_subset;
    uint32_t denorm_independence, rounding_independence;
    uint32_t preserve_specials[3], preserve_denormals[3], round_to_even[3];
    uint32_t float64, int64, int16, storage16;
    uint32_t has_queue, queue_family, timestamp_bits;
} vkops_physical;

vkops_status vkops_query_physical(void* get_proc, VkInstance instance, VkPhysicalDevice physical, uint64_t faults,
    vkops_physical* out);

typedef struct {
    VkDevice device;
    VkQueue queue;
#define VKOPS_FIELD(f) PFN_##f f;
    VKOPS_DEVICE_CALLS(VKOPS_FIELD) VKOPS_DEVICE_VOID_CALLS(VKOPS_FIELD)
#undef VKOPS_FIELD
} vkops_device;

// Creates the device with one queue of info's family and every feature and extension that info says is there.
vkops_status vkops_create_device(void* get_proc, VkInstance instance, VkPhysicalDevice physical,
    const vkops_physical* info, uint64_t faults, vkops_device* out);

// bindings is pairs of (index, bytes of a texel or 0 for a storage buffer).
vkops_status vkops_create_set_layout(const vkops_device* d, const uint32_t* bindings, uint32_t count, uint64_t faults,
    uint64_t* layout);
vkops_status vkops_create_pipeline_layout(const vkops_device* d, uint64_t set_layout, uint32_t push_bytes,
    uint64_t faults, uint64_t* layout);
// spec is pairs of (constant id, value). subgroup_size 0 leaves the choice to the driver.
vkops_status vkops_create_pipeline(const vkops_device* d, uint64_t cache, uint64_t layout, const void* code,
    size_t code_bytes, const uint32_t* spec, uint32_t spec_count, uint32_t subgroup_size, uint32_t full_subgroups,
    uint64_t faults, uint64_t* pipeline);
// With data NULL stores the size needed in *size, else fills data and stores the size written.
vkops_status vkops_pipeline_cache_data(const vkops_device* d, uint64_t cache, void* data, size_t* size,
    uint64_t faults);

// One operation of the flat array is a header word (the operation) and its operands, 64 bits each.
enum {
    VKOPS_DISPATCH = 1, // pipeline, layout, set layout, x | y << 32, z | push bytes << 32, binding count,
                        // push bytes padded to words, then per binding: index, buffer, offset, size, view (0 for storage)
    VKOPS_BARRIER,
    VKOPS_COPY,      // destination, offset, source, offset, bytes
    VKOPS_COPY_RECT, // destination, offset, pitch, source, offset, pitch, row bytes, rows
    VKOPS_FILL,      // buffer, offset, bytes, value
    VKOPS_TIMESTAMP, // query
};
enum { VKOPS_MAX_BINDINGS = 32 };

// What every buffer may be used for.
#define VKOPS_BUFFER_USAGE \
    (VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_UNIFORM_TEXEL_BUFFER_BIT \
        | VK_BUFFER_USAGE_TRANSFER_SRC_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT)

vkops_status vkops_create_descriptor_pool(const vkops_device* d, uint32_t sets, uint32_t storage, uint32_t texels,
    uint64_t faults, uint64_t* pool);
vkops_status vkops_allocate_command_buffer(const vkops_device* d, uint64_t command_pool, uint64_t faults,
    VkCommandBuffer* buffer);
// Resets both pools (descriptor_pool may be 0).
vkops_status vkops_reset(const vkops_device* d, uint64_t command_pool, uint64_t descriptor_pool, uint64_t faults);
vkops_status vkops_record(const vkops_device* d, VkCommandBuffer commands, uint64_t descriptor_pool,
    uint64_t query_pool, uint32_t queries, const uint64_t* words, size_t count, uint64_t faults);

// Resets the fence first if it has been used before.
vkops_status vkops_submit(const vkops_device* d, VkCommandBuffer commands, uint64_t fence, int used, uint64_t faults);
// Asks again and again for `polling` nanoseconds (0: at most once), then sleeps for `sleeping`. Result VK_SUCCESS or
// VK_TIMEOUT.
vkops_status vkops_wait(const vkops_device* d, uint64_t fence, uint64_t polling, uint64_t sleeping, uint64_t faults);
vkops_status vkops_query_results(const vkops_device* d, uint64_t query_pool, uint32_t count, uint64_t* ticks,
    uint64_t faults);

// Makes a buffer of VKOPS_BUFFER_USAGE out of `size` bytes of host memory at `address`, both multiples of the
// import alignment; the buffer begins `lead` bytes into them. allowed_types are the memory types to choose from. A
// positive result says that the memory cannot be used so. Nothing is left behind unless the result is VK_SUCCESS.
vkops_status vkops_import_buffer(const vkops_device* d, uint64_t address, uint64_t size, uint64_t lead,
    uint32_t allowed_types, uint64_t faults, uint64_t* memory, uint64_t* buffer);

vkops_status vkops_flush(const vkops_device* d, uint64_t memory, uint64_t offset, uint64_t size, uint64_t faults);
vkops_status vkops_invalidate(const vkops_device* d, uint64_t memory, uint64_t offset, uint64_t size, uint64_t faults);

#endif
