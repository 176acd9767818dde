//go:build linux && cgo

#include <stdlib.h>
#include <string.h>

#include "shim.h"

enum { WIDTHS = 3, MAX_EXTENSIONS = 4 };

static const char* const float_controls_extension = "VK_KHR_shader_float_controls";
static const char* const size_control_extension = "VK_EXT_subgroup_size_control";
static const char* const portability_extension = "VK_KHR_portability_subset";
static const char* const host_memory_extension = "VK_EXT_external_memory_host";

// Links a zeroed structure in front of a pNext chain.
#define LINK(chain, structure, type) ((structure).sType = (type), (structure).pNext = (chain), (chain) = &(structure))

// Compute without graphics first: it does not queue behind a desktop's frames and has the longer time limits.
static void choose_queue(PFN_vkGetPhysicalDeviceQueueFamilyProperties query, VkPhysicalDevice physical,
    vkops_physical* out) {
    VkQueueFamilyProperties families[32];
    uint32_t count = 32;
    query(physical, &count, families);
    int best = -1;
    for (uint32_t i = 0; i < count; i++) {
        const VkQueueFamilyProperties* f = &families[i];
        if (!(f->queueFlags & VK_QUEUE_COMPUTE_BIT) || !f->queueCount) continue;
        int score = (f->queueFlags & VK_QUEUE_GRAPHICS_BIT ? 0 : 2) + (f->timestampValidBits ? 4 : 0);
        if (score <= best) continue;
        best = score;
        out->has_queue = 1;
        out->queue_family = i;
        out->timestamp_bits = f->timestampValidBits;
    }
}

static VkResult device_extensions(PFN_vkEnumerateDeviceExtensionProperties enumerate, VkPhysicalDevice physical,
    VkExtensionProperties** list, uint32_t* count) {
    VkResult r = enumerate(physical, NULL, count, NULL);
    if (r < 0) return r;
    *list = calloc(*count + 1, sizeof **list);
    if (!*list) return VK_ERROR_OUT_OF_HOST_MEMORY;
    return enumerate(physical, NULL, count, *list);
}

// Whether storage buffers can be made of host memory.
static int imports_host_memory(PFN_vkGetInstanceProcAddr get, VkInstance instance, VkPhysicalDevice physical) {
    VkPhysicalDeviceExternalBufferInfo info = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_EXTERNAL_BUFFER_INFO,
        .usage = VKOPS_BUFFER_USAGE,
        .handleType = VK_EXTERNAL_MEMORY_HANDLE_TYPE_HOST_ALLOCATION_BIT_EXT};
    VkExternalBufferProperties properties = {.sType = VK_STRUCTURE_TYPE_EXTERNAL_BUFFER_PROPERTIES};
    ((PFN_vkGetPhysicalDeviceExternalBufferProperties)get(instance, "vkGetPhysicalDeviceExternalBufferProperties"))(
        physical, &info, &properties);
    VkFlags features = properties.externalMemoryProperties.externalMemoryFeatures;
    return (features & VK_EXTERNAL_MEMORY_FEATURE_IMPORTABLE_BIT)
        && !(features & VK_EXTERNAL_MEMORY_FEATURE_DEDICATED_ONLY_BIT);
}

vkops_status vkops_query_physical(void* get_proc, VkInstance instance, VkPhysicalDevice physical, uint64_t faults,
    vkops_physical* out) {
    PFN_vkGetInstanceProcAddr get = (PFN_vkGetInstanceProcAddr)get_proc;
    memset(out, 0, sizeof *out);
    choose_queue((PFN_vkGetPhysicalDeviceQueueFamilyProperties)get(instance, "vkGetPhysicalDeviceQueueFamilyProperties"),
        physical, out);

    VkExtensionProperties* list = NULL;
    uint32_t count = 0;
    VkResult listed = vkops_fault(faults, VKOPS_CALL_vkEnumerateDeviceExtensionProperties);
    if (listed == VK_SUCCESS)
        listed = device_extensions((PFN_vkEnumerateDeviceExtensionProperties)get(instance, "vkEnumerateDeviceExtensionProperties"),
            physical, &list, &count);
    int driver_properties = 0, maintenance4 = 0, host_memory = 0;
    for (uint32_t i = 0; listed >= 0 && i < count; i++) {
        const char* name = list[i].extensionName;
        out->float_controls |= !strcmp(name, float_controls_extension);
        out->size_control |= !strcmp(name, size_control_extension);
        out->portability_subset |= !strcmp(name, portability_extension);
        driver_properties |= !strcmp(name, "VK_KHR_driver_properties");
        maintenance4 |= !strcmp(name, "VK_KHR_maintenance4");
        host_memory |= !strcmp(name, host_memory_extension);
    }
    free(list);
    if (listed < 0) return (vkops_status){listed, VKOPS_CALL_vkEnumerateDeviceExtensionProperties};

    void* chain = NULL;
    VkPhysicalDeviceSubgroupProperties subgroup = {0};
    VkPhysicalDeviceIDProperties id = {0};
    VkPhysicalDeviceMaintenance3Properties limits = {0};
    VkPhysicalDeviceMaintenance4Properties buffers = {0};
    VkPhysicalDeviceDriverProperties driver = {0};
    VkPhysicalDeviceFloatControlsProperties controls = {0};
    VkPhysicalDeviceSubgroupSizeControlProperties sizes = {0};
    VkPhysicalDeviceExternalMemoryHostPropertiesEXT host = {0};
    LINK(chain, subgroup, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SUBGROUP_PROPERTIES);
    LINK(chain, id, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_ID_PROPERTIES);
    LINK(chain, limits, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MAINTENANCE_3_PROPERTIES);
    if (maintenance4) LINK(chain, buffers, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MAINTENANCE_4_PROPERTIES);
    if (driver_properties) LINK(chain, driver, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DRIVER_PROPERTIES);
    if (out->float_controls) LINK(chain, controls, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FLOAT_CONTROLS_PROPERTIES);
    if (out->size_control) LINK(chain, sizes, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SUBGROUP_SIZE_CONTROL_PROPERTIES);
    if (host_memory) LINK(chain, host, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_EXTERNAL_MEMORY_HOST_PROPERTIES_EXT);
    VkPhysicalDeviceProperties2 properties = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2, .pNext = chain};
    ((PFN_vkGetPhysicalDeviceProperties2)get(instance, "vkGetPhysicalDeviceProperties2"))(physical, &properties);

    chain = NULL;
    VkPhysicalDevice16BitStorageFeatures storage = {0};
    VkPhysicalDeviceSubgroupSizeControlFeatures size_features = {0};
    LINK(chain, storage, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_16BIT_STORAGE_FEATURES);
    if (out->size_control) LINK(chain, size_features, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SUBGROUP_SIZE_CONTROL_FEATURES);
    VkPhysicalDeviceFeatures2 features = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2, .pNext = chain};
    ((PFN_vkGetPhysicalDeviceFeatures2)get(instance, "vkGetPhysicalDeviceFeatures2"))(physical, &features);

    memcpy(out->uuid, id.deviceUUID, sizeof out->uuid);
    memcpy(out->driver_name, driver.driverName, sizeof out->driver_name);
    memcpy(out->driver_info, driver.driverInfo, sizeof out->driver_info);
    out->max_allocation = limits.maxMemoryAllocationSize;
    out->max_buffer = buffers.maxBufferSize;
    if (host_memory && imports_host_memory(get, instance, physical))
        out->import_alignment = host.minImportedHostPointerAlignment;
    out->subgroup_size = subgroup.subgroupSize;
    out->size_control = size_features.subgroupSizeControl
        && sizes.requiredSubgroupSizeStages & VK_SHADER_STAGE_COMPUTE_BIT;
    out->full_subgroups = out->size_control && size_features.computeFullSubgroups;
    out->min_subgroup_size = out->size_control ? sizes.minSubgroupSize : subgroup.subgroupSize;
    out->max_subgroup_size = out->size_control ? sizes.maxSubgroupSize : subgroup.subgroupSize;
    out->denorm_independence = controls.denormBehaviorIndependence;
    out->rounding_independence = controls.roundingModeIndependence;
    // The header names the three widths of each control one after the other.
    memcpy(out->preserve_specials, &controls.shaderSignedZeroInfNanPreserveFloat16, sizeof out->preserve_specials);
    memcpy(out->preserve_denormals, &controls.shaderDenormPreserveFloat16, sizeof out->preserve_denormals);
    memcpy(out->round_to_even, &controls.shaderRoundingModeRTEFloat16, sizeof out->round_to_even);
    out->float64 = features.features.shaderFloat64;
    out->int64 = features.features.shaderInt64;
    out->int16 = features.features.shaderInt16;
    out->storage16 = storage.storageBuffer16BitAccess;
    return (vkops_status){VK_SUCCESS, 0};
}

vkops_status vkops_create_device(void* get_proc, VkInstance instance, VkPhysicalDevice physical,
    const vkops_physical* info, uint64_t faults, vkops_device* out) {
    PFN_vkGetInstanceProcAddr get = (PFN_vkGetInstanceProcAddr)get_proc;
    const char* extensions[MAX_EXTENSIONS];
    uint32_t extension_count = 0;
    if (info->float_controls) extensions[extension_count++] = float_controls_extension;
    if (info->size_control) extensions[extension_count++] = size_control_extension;
    if (info->portability_subset) extensions[extension_count++] = portability_extension;
    if (info->import_alignment) extensions[extension_count++] = host_memory_extension;

    void* chain = NULL;
    VkPhysicalDeviceSubgroupSizeControlFeatures sizes = {
        .subgroupSizeControl = info->size_control, .computeFullSubgroups = info->full_subgroups};
    VkPhysicalDevice16BitStorageFeatures storage = {.storageBuffer16BitAccess = info->storage16};
    if (info->size_control) LINK(chain, sizes, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SUBGROUP_SIZE_CONTROL_FEATURES);
    if (info->storage16) LINK(chain, storage, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_16BIT_STORAGE_FEATURES);
    VkPhysicalDeviceFeatures features = {
        .shaderFloat64 = info->float64, .shaderInt64 = info->int64, .shaderInt16 = info->int16};
    const float priority = 1;
    VkDeviceQueueCreateInfo queue = {.sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO,
        .queueFamilyIndex = info->queue_family, .queueCount = 1, .pQueuePriorities = &priority};
    VkDeviceCreateInfo create = {.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO, .pNext = chain,
        .queueCreateInfoCount = 1, .pQueueCreateInfos = &queue, .enabledExtensionCount = extension_count,
        .ppEnabledExtensionNames = extensions, .pEnabledFeatures = &features};
    memset(out, 0, sizeof *out);
    VKOPS_TRY(vkCreateDevice,
        ((PFN_vkCreateDevice)get(instance, "vkCreateDevice"))(physical, &create, NULL, &out->device));

    // Straight to the driver, past the loader's trampolines.
    PFN_vkGetDeviceProcAddr get_device = (PFN_vkGetDeviceProcAddr)get(instance, "vkGetDeviceProcAddr");
#define LOAD(f) out->f = (PFN_##f)get_device(out->device, #f);
    VKOPS_DEVICE_CALLS(LOAD) VKOPS_DEVICE_VOID_CALLS(LOAD)
#undef LOAD
    return (vkops_status){VK_SUCCESS, 0};
}
