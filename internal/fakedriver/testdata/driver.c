// A Vulkan driver that forwards to a real one and lies about what it is. FAKE_REAL names the real library,
// FAKE_SAYS holds the lies: "name=value" separated by commas. See fakedriver.go.
#define VK_NO_PROTOTYPES
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <vulkan/vulkan.h>

#define EXPORT __attribute__((visibility("default")))

static void* real(void) {
    static void* library;
    if (!library) library = dlopen(getenv("FAKE_REAL"), RTLD_NOW | RTLD_LOCAL);
    return library;
}

static PFN_vkVoidFunction real_function(VkInstance instance, const char* name) {
    PFN_vkGetInstanceProcAddr get = (PFN_vkGetInstanceProcAddr)dlsym(real(), "vk_icdGetInstanceProcAddr");
    return get(instance, name);
}

static VkInstance newest; // device-level lookups need one
#define REAL(f) ((PFN_##f)real_function(newest, #f))

// The text after "name=" up to the next comma, or NULL.
static const char* lie(const char* name, char text[128]) {
    const char* all = getenv("FAKE_SAYS");
    size_t length = strlen(name);
    for (; all && *all; all = strchr(all, ',') ? strchr(all, ',') + 1 : NULL)
        if (!strncmp(all, name, length) && all[length] == '=') {
            snprintf(text, 128, "%.*s", (int)strcspn(all + length + 1, ","), all + length + 1);
            return text;
        }
    return NULL;
}

#define SAY(field, name) \
    do { \
        char said[128]; \
        if (lie(name, said)) (field) = strtoull(said, NULL, 0); \
    } while (0)

static void change_properties(VkPhysicalDeviceProperties* p) {
    char text[128];
    if (lie("name", text)) snprintf(p->deviceName, sizeof p->deviceName, "%s", text);
    VkPhysicalDeviceLimits* l = &p->limits;
    SAY(p->deviceType, "type");
    SAY(p->apiVersion, "api");
    SAY(l->maxStorageBufferRange, "range");
    SAY(l->minStorageBufferOffsetAlignment, "alignment");
    SAY(l->nonCoherentAtomSize, "atom");
    SAY(l->maxComputeSharedMemorySize, "shared");
    SAY(l->maxPushConstantsSize, "push");
    SAY(l->maxComputeWorkGroupInvocations, "invocations");
    SAY(l->maxPerStageDescriptorStorageBuffers, "buffers");
    SAY(l->maxMemoryAllocationCount, "allocations");
    for (int i = 0; i < 3; i++) {
        SAY(l->maxComputeWorkGroupCount[i], "groups");
        SAY(l->maxComputeWorkGroupSize[i], "size");
    }
}

static VKAPI_ATTR void VKAPI_CALL properties(VkPhysicalDevice d, VkPhysicalDeviceProperties* p) {
    REAL(vkGetPhysicalDeviceProperties)(d, p);
    change_properties(p);
}

static VKAPI_ATTR void VKAPI_CALL properties2(VkPhysicalDevice d, VkPhysicalDeviceProperties2* p) {
    REAL(vkGetPhysicalDeviceProperties2)(d, p);
    change_properties(&p->properties);
    for (VkBaseOutStructure* s = p->pNext; s; s = s->pNext) {
        if (s->sType == VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SUBGROUP_PROPERTIES)
            SAY(((VkPhysicalDeviceSubgroupProperties*)s)->subgroupSize, "subgroup");
        if (s->sType == VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MAINTENANCE_3_PROPERTIES)
            SAY(((VkPhysicalDeviceMaintenance3Properties*)s)->maxMemoryAllocationSize, "allocation");
        if (s->sType == VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MAINTENANCE_4_PROPERTIES)
            SAY(((VkPhysicalDeviceMaintenance4Properties*)s)->maxBufferSize, "maxbuffer");
        if (s->sType == VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_EXTERNAL_MEMORY_HOST_PROPERTIES_EXT)
            SAY(((VkPhysicalDeviceExternalMemoryHostPropertiesEXT*)s)->minImportedHostPointerAlignment, "import");
    }
}

static VKAPI_ATTR void VKAPI_CALL features2(VkPhysicalDevice d, VkPhysicalDeviceFeatures2* f) {
    REAL(vkGetPhysicalDeviceFeatures2)(d, f);
    SAY(f->features.shaderFloat64, "float64");
    SAY(f->features.shaderInt64, "int64");
    SAY(f->features.shaderInt16, "int16");
    for (VkBaseOutStructure* s = f->pNext; s; s = s->pNext)
        if (s->sType == VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_16BIT_STORAGE_FEATURES)
            SAY(((VkPhysicalDevice16BitStorageFeatures*)s)->storageBuffer16BitAccess, "storage16");
}

static VKAPI_ATTR void VKAPI_CALL queue_families(VkPhysicalDevice d, uint32_t* count, VkQueueFamilyProperties* list) {
    REAL(vkGetPhysicalDeviceQueueFamilyProperties)(d, count, list);
    for (uint32_t i = 0; list && i < *count; i++) {
        SAY(list[i].queueFlags, "queue");
        SAY(list[i].timestampValidBits, "timestamps");
    }
}

static VKAPI_ATTR void VKAPI_CALL memory(VkPhysicalDevice d, VkPhysicalDeviceMemoryProperties* m) {
    REAL(vkGetPhysicalDeviceMemoryProperties)(d, m);
    SAY(m->memoryTypeCount, "types");
    for (uint32_t i = 0; i < m->memoryTypeCount; i++) SAY(m->memoryTypes[i].propertyFlags, "flags");
    for (uint32_t i = 0; i < m->memoryHeapCount; i++) SAY(m->memoryHeaps[i].size, "heap");
}

static VKAPI_ATTR VkResult VKAPI_CALL extensions(VkPhysicalDevice d, const char* layer, uint32_t* count,
    VkExtensionProperties* list) {
    char text[128];
    if (!lie("extensions", text)) return REAL(vkEnumerateDeviceExtensionProperties)(d, layer, count, list);
    *count = 0;
    return VK_SUCCESS;
}

static VKAPI_ATTR VkResult VKAPI_CALL create_device(VkPhysicalDevice d, const VkDeviceCreateInfo* info,
    const VkAllocationCallbacks* allocator, VkDevice* device) {
    char text[128];
    VkPhysicalDeviceFeatures2 offered = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2};
    features2(d, &offered);
    const VkBool32 *enabled = (const VkBool32*)info->pEnabledFeatures, *has = (const VkBool32*)&offered.features;
    for (size_t i = 0; enabled && i < sizeof offered.features / sizeof *has; i++)
        if (enabled[i] && !has[i]) return VK_ERROR_FEATURE_NOT_PRESENT;
    if (lie("extensions", text) && info->enabledExtensionCount) return VK_ERROR_EXTENSION_NOT_PRESENT;
    if (lie("create", text)) return (VkResult)atoi(text);
    return REAL(vkCreateDevice)(d, info, allocator, device);
}

static VKAPI_ATTR VkResult VKAPI_CALL create_instance(const VkInstanceCreateInfo* info,
    const VkAllocationCallbacks* allocator, VkInstance* instance) {
    VkResult r = ((PFN_vkCreateInstance)real_function(NULL, "vkCreateInstance"))(info, allocator, instance);
    if (r == VK_SUCCESS) newest = *instance;
    return r;
}

static PFN_vkVoidFunction replaced(const char* name) {
    static const struct { const char* name; PFN_vkVoidFunction f; } all[] = {
        {"vkCreateInstance", (PFN_vkVoidFunction)create_instance},
        {"vkGetPhysicalDeviceProperties", (PFN_vkVoidFunction)properties},
        {"vkGetPhysicalDeviceProperties2", (PFN_vkVoidFunction)properties2},
        {"vkGetPhysicalDeviceProperties2KHR", (PFN_vkVoidFunction)properties2},
        {"vkGetPhysicalDeviceFeatures2", (PFN_vkVoidFunction)features2},
        {"vkGetPhysicalDeviceFeatures2KHR", (PFN_vkVoidFunction)features2},
        {"vkGetPhysicalDeviceQueueFamilyProperties", (PFN_vkVoidFunction)queue_families},
        {"vkGetPhysicalDeviceMemoryProperties", (PFN_vkVoidFunction)memory},
        {"vkEnumerateDeviceExtensionProperties", (PFN_vkVoidFunction)extensions},
        {"vkCreateDevice", (PFN_vkVoidFunction)create_device},
    };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (!strcmp(all[i].name, name)) return all[i].f;
    return NULL;
}

EXPORT PFN_vkVoidFunction vk_icdGetInstanceProcAddr(VkInstance instance, const char* name) {
    PFN_vkVoidFunction f = replaced(name);
    return f ? f : real_function(instance, name);
}

EXPORT PFN_vkVoidFunction vk_icdGetPhysicalDeviceProcAddr(VkInstance instance, const char* name) {
    PFN_vkGetInstanceProcAddr get = (PFN_vkGetInstanceProcAddr)dlsym(real(), "vk_icdGetPhysicalDeviceProcAddr");
    PFN_vkVoidFunction f = get ? get(instance, name) : NULL;
    return f && replaced(name) ? replaced(name) : f;
}

EXPORT VkResult vk_icdNegotiateLoaderICDInterfaceVersion(uint32_t* version) {
    if (!real()) return VK_ERROR_INCOMPATIBLE_DRIVER;
    VkResult (*negotiate)(uint32_t*) =
        (VkResult(*)(uint32_t*))dlsym(real(), "vk_icdNegotiateLoaderICDInterfaceVersion");
    return negotiate ? negotiate(version) : VK_ERROR_INCOMPATIBLE_DRIVER;
}
