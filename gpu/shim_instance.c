//go:build linux && cgo

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "shim.h"

#define LENGTH(array) (sizeof(array) / sizeof((array)[0]))

const char* vkops_call_name(int call) {
    static const char* const names[] = {
#define NAME(f) #f,
        VKOPS_INSTANCE_CALLS(NAME) VKOPS_DEVICE_CALLS(NAME)
#undef NAME
    };
    return call >= 0 && call < VKOPS_CALL_COUNT ? names[call] : "";
}

void* vkops_load(char* message, size_t message_size) {
    // Never closed: drivers leave threads and thread-local destructors behind.
    void* library = dlopen("libvulkan.so.1", RTLD_NOW | RTLD_LOCAL);
    void* get_proc = library ? dlsym(library, "vkGetInstanceProcAddr") : NULL;
    if (!get_proc) {
        const char* reason = dlerror();
        snprintf(message, message_size, "%s", reason ? reason : "no vkGetInstanceProcAddr in libvulkan.so.1");
    }
    return get_proc;
}

enum { MESSAGES = 64, MESSAGE_SIZE = 2048 };

struct vkops_messages {
    pthread_mutex_t lock;
    uint64_t written, taken;
    char text[MESSAGES][MESSAGE_SIZE];
};

// Runs on any thread, also while Go holds its locks: it only copies bytes.
static VkBool32 on_message(
#ifdef VKOPS_SYSTEM_VULKAN
    VkDebugUtilsMessageSeverityFlagBitsEXT severity,
#else
    VkFlags severity,
#endif
    VkFlags types, const VkDebugUtilsMessengerCallbackDataEXT* data, void* user) {
    (void)severity, (void)types;
    vkops_messages* m = user;
    pthread_mutex_lock(&m->lock);
    snprintf(m->text[m->written++ % MESSAGES], MESSAGE_SIZE, "%s", data->pMessage ? data->pMessage : "");
    pthread_mutex_unlock(&m->lock);
    return 0;
}

int vkops_take_message(vkops_messages* m, char* text, size_t size) {
    int found = 0;
    pthread_mutex_lock(&m->lock);
    if (m->written - m->taken > MESSAGES) m->taken = m->written - MESSAGES;
    if (m->taken < m->written) {
        snprintf(text, size, "%s", m->text[m->taken++ % MESSAGES]);
        found = 1;
    }
    pthread_mutex_unlock(&m->lock);
    return found;
}

static int has_extension(const VkExtensionProperties* list, uint32_t count, const char* name) {
    for (uint32_t i = 0; i < count; i++)
        if (!strcmp(list[i].extensionName, name)) return 1;
    return 0;
}

static VkResult instance_extensions(void* get_proc, const char* layer, VkExtensionProperties** list, uint32_t* count) {
    PFN_vkEnumerateInstanceExtensionProperties enumerate = (PFN_vkEnumerateInstanceExtensionProperties)
        ((PFN_vkGetInstanceProcAddr)get_proc)(NULL, "vkEnumerateInstanceExtensionProperties");
    VkResult r = enumerate(layer, count, NULL);
    if (r < 0) return r;
    *list = calloc(*count + 1, sizeof **list);
    if (!*list) return VK_ERROR_OUT_OF_HOST_MEMORY;
    return enumerate(layer, count, *list);
}

static const char validation_layer[] = "VK_LAYER_KHRONOS_validation";

static VkResult find_validation_layer(void* get_proc) {
    PFN_vkEnumerateInstanceLayerProperties enumerate = (PFN_vkEnumerateInstanceLayerProperties)
        ((PFN_vkGetInstanceProcAddr)get_proc)(NULL, "vkEnumerateInstanceLayerProperties");
    uint32_t count = 0;
    VkResult r = enumerate(&count, NULL);
    if (r < 0) return r;
    VkLayerProperties* list = calloc(count + 1, sizeof *list);
    if (!list) return VK_ERROR_OUT_OF_HOST_MEMORY;
    r = enumerate(&count, list);
    VkResult found = r < 0 ? r : VK_ERROR_LAYER_NOT_PRESENT;
    for (uint32_t i = 0; r >= 0 && i < count; i++)
        if (!strcmp(list[i].layerName, validation_layer)) found = VK_SUCCESS;
    free(list);
    return found;
}

static vkops_status create_messenger(PFN_vkGetInstanceProcAddr get_proc, const VkDebugUtilsMessengerCreateInfoEXT* info,
    uint64_t faults, vkops_instance* out) {
    PFN_vkCreateDebugUtilsMessengerEXT create =
        (PFN_vkCreateDebugUtilsMessengerEXT)get_proc(out->instance, "vkCreateDebugUtilsMessengerEXT");
    if (!create) return (vkops_status){VK_ERROR_LAYER_NOT_PRESENT, VKOPS_CALL_vkCreateDebugUtilsMessengerEXT};
    VKOPS_TRY(vkCreateDebugUtilsMessengerEXT, create(out->instance, info, NULL, &out->messenger));
    return (vkops_status){VK_SUCCESS, 0};
}

// On failure the caller destroys whatever out holds.
vkops_status vkops_create_instance(void* get_proc, int validation, uint64_t faults, vkops_instance* out) {
    PFN_vkGetInstanceProcAddr get = (PFN_vkGetInstanceProcAddr)get_proc;
    memset(out, 0, sizeof *out);
    PFN_vkEnumerateInstanceVersion version_of = (PFN_vkEnumerateInstanceVersion)get(NULL, "vkEnumerateInstanceVersion");
    uint32_t version = 1u << 22; // a loader without the call is 1.0
    if (version_of) VKOPS_TRY(vkEnumerateInstanceVersion, version_of(&version));
    if (version < (1u << 22 | 1u << 12))
        return (vkops_status){VK_ERROR_INCOMPATIBLE_DRIVER, VKOPS_CALL_vkEnumerateInstanceVersion};

    VkApplicationInfo application = {.sType = VK_STRUCTURE_TYPE_APPLICATION_INFO,
        .pApplicationName = "vkops", .pEngineName = "vkops", .apiVersion = 1u << 22 | 1u << 12};
    VkInstanceCreateInfo info = {.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO, .pApplicationInfo = &application};
    const char* extensions[3];
    info.ppEnabledExtensionNames = extensions;

    VkExtensionProperties* list = NULL;
    uint32_t count = 0;
    VkResult listed = vkops_fault(faults, VKOPS_CALL_vkEnumerateInstanceExtensionProperties);
    if (listed == VK_SUCCESS)
        listed = instance_extensions(get_proc, NULL, &list, &count);
    // Without this flag the loader hides MoltenVK and other drivers that are not fully conformant.
    if (listed >= 0 && has_extension(list, count, "VK_KHR_portability_enumeration")) {
        extensions[info.enabledExtensionCount++] = "VK_KHR_portability_enumeration";
        info.flags |= VK_INSTANCE_CREATE_ENUMERATE_PORTABILITY_BIT_KHR;
    }
    free(list);
    if (listed < 0) return (vkops_status){listed, VKOPS_CALL_vkEnumerateInstanceExtensionProperties};

    const uint32_t enable = VK_VALIDATION_FEATURE_ENABLE_SYNCHRONIZATION_VALIDATION_EXT;
    VkValidationFeaturesEXT features = {.sType = VK_STRUCTURE_TYPE_VALIDATION_FEATURES_EXT,
        .enabledValidationFeatureCount = 1, .pEnabledValidationFeatures = (const void*)&enable};
    VkDebugUtilsMessengerCreateInfoEXT messenger = {.sType = VK_STRUCTURE_TYPE_DEBUG_UTILS_MESSENGER_CREATE_INFO_EXT,
        .messageSeverity = VK_DEBUG_UTILS_MESSAGE_SEVERITY_WARNING_BIT_EXT | VK_DEBUG_UTILS_MESSAGE_SEVERITY_ERROR_BIT_EXT,
        .messageType = VK_DEBUG_UTILS_MESSAGE_TYPE_VALIDATION_BIT_EXT, .pfnUserCallback = on_message};
    const char* layers[] = {validation_layer};
    if (validation) {
        VKOPS_TRY(vkEnumerateInstanceLayerProperties, find_validation_layer(get_proc));
        out->messages = calloc(1, sizeof *out->messages);
        if (!out->messages) return (vkops_status){VK_ERROR_OUT_OF_HOST_MEMORY, VKOPS_CALL_vkCreateInstance};
        pthread_mutex_init(&out->messages->lock, NULL);
        messenger.pUserData = out->messages;
        messenger.pNext = &features;
        info.pNext = &messenger;
        info.ppEnabledLayerNames = layers;
        info.enabledLayerCount = LENGTH(layers);
        extensions[info.enabledExtensionCount++] = "VK_EXT_debug_utils";
        extensions[info.enabledExtensionCount++] = "VK_EXT_validation_features";
    }
    PFN_vkCreateInstance create = (PFN_vkCreateInstance)get(NULL, "vkCreateInstance");
    VKOPS_TRY(vkCreateInstance, create(&info, NULL, &out->instance));
    if (!validation) return (vkops_status){VK_SUCCESS, 0};
    messenger.pNext = NULL;
    return create_messenger(get, &messenger, faults, out);
}

void vkops_destroy_instance(void* get_proc, vkops_instance* instance) {
    PFN_vkGetInstanceProcAddr get = (PFN_vkGetInstanceProcAddr)get_proc;
    if (instance->messenger) {
        PFN_vkDestroyDebugUtilsMessengerEXT destroy =
            (PFN_vkDestroyDebugUtilsMessengerEXT)get(instance->instance, "vkDestroyDebugUtilsMessengerEXT");
        destroy(instance->instance, instance->messenger, NULL);
    }
    if (instance->instance) {
        PFN_vkDestroyInstance destroy = (PFN_vkDestroyInstance)get(instance->instance, "vkDestroyInstance");
        destroy(instance->instance, NULL);
    }
    if (instance->messages) pthread_mutex_destroy(&instance->messages->lock); // the end of the instance may say something
    free(instance->messages);
    memset(instance, 0, sizeof *instance);
}
