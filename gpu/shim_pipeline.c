//go:build linux && cgo

#include <stdlib.h>

#include "shim.h"

vkops_status vkops_create_set_layout(const vkops_device* d, const uint32_t* bindings, uint32_t count, uint64_t faults,
    uint64_t* layout) {
    VkDescriptorSetLayoutBinding entries[VKOPS_MAX_BINDINGS] = {{0}};
    for (uint32_t i = 0; i < count; i++)
        entries[i] = (VkDescriptorSetLayoutBinding){.binding = bindings[2 * i], .descriptorCount = 1,
            .descriptorType = bindings[2 * i + 1] ? VK_DESCRIPTOR_TYPE_UNIFORM_TEXEL_BUFFER : VK_DESCRIPTOR_TYPE_STORAGE_BUFFER,
            .stageFlags = VK_SHADER_STAGE_COMPUTE_BIT};
    VkDescriptorSetLayoutCreateInfo info = {.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO,
        .bindingCount = count, .pBindings = entries};
    VKOPS_TRY(vkCreateDescriptorSetLayout, d->vkCreateDescriptorSetLayout(d->device, &info, NULL, layout));
    return (vkops_status){VK_SUCCESS, 0};
}

vkops_status vkops_create_pipeline_layout(const vkops_device* d, uint64_t set_layout, uint32_t push_bytes,
    uint64_t faults, uint64_t* layout) {
    VkPushConstantRange range = {.stageFlags = VK_SHADER_STAGE_COMPUTE_BIT, .size = push_bytes};
    VkPipelineLayoutCreateInfo info = {.sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO, .setLayoutCount = 1,
        .pSetLayouts = &set_layout, .pushConstantRangeCount = push_bytes > 0, .pPushConstantRanges = &range};
    VKOPS_TRY(vkCreatePipelineLayout, d->vkCreatePipelineLayout(d->device, &info, NULL, layout));
    return (vkops_status){VK_SUCCESS, 0};
}

static vkops_status create_pipeline(const vkops_device* d, uint64_t cache, uint64_t layout, VkShaderModule module,
    const uint32_t* spec, const VkSpecializationMapEntry* entries, uint32_t spec_count, uint32_t subgroup_size,
    uint32_t full_subgroups, uint64_t faults, uint64_t* pipeline) {
    VkSpecializationInfo constants = {.mapEntryCount = spec_count, .pMapEntries = entries,
        .dataSize = spec_count * 2 * sizeof *spec, .pData = spec};
    VkPipelineShaderStageRequiredSubgroupSizeCreateInfo size = {
        .sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_REQUIRED_SUBGROUP_SIZE_CREATE_INFO,
        .requiredSubgroupSize = subgroup_size};
    VkComputePipelineCreateInfo info = {.sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO,
        .stage = {.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO, .pNext = subgroup_size ? &size : NULL,
            .flags = subgroup_size && full_subgroups ? VK_PIPELINE_SHADER_STAGE_CREATE_REQUIRE_FULL_SUBGROUPS_BIT : 0,
            .stage = VK_SHADER_STAGE_COMPUTE_BIT, .module = module, .pName = "main",
            .pSpecializationInfo = spec_count ? &constants : NULL},
        .layout = layout, .basePipelineIndex = -1};
    VKOPS_TRY(vkCreateComputePipelines, d->vkCreateComputePipelines(d->device, cache, 1, &info, NULL, pipeline));
    return (vkops_status){VK_SUCCESS, 0};
}

vkops_status vkops_create_pipeline(const vkops_device* d, uint64_t cache, uint64_t layout, const void* code,
    size_t code_bytes, const uint32_t* spec, uint32_t spec_count, uint32_t subgroup_size, uint32_t full_subgroups,
    uint64_t faults, uint64_t* pipeline) {
    VkShaderModuleCreateInfo info = {.sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO, .codeSize = code_bytes,
        .pCode = code};
    VkShaderModule module;
    VKOPS_TRY(vkCreateShaderModule, d->vkCreateShaderModule(d->device, &info, NULL, &module));
    vkops_status status = {VK_ERROR_OUT_OF_HOST_MEMORY, VKOPS_CALL_vkCreateComputePipelines};
    VkSpecializationMapEntry* entries = calloc(spec_count + 1, sizeof *entries);
    if (entries) {
        for (uint32_t i = 0; i < spec_count; i++)
            entries[i] = (VkSpecializationMapEntry){spec[2 * i], (2 * i + 1) * sizeof *spec, sizeof *spec};
        status = create_pipeline(d, cache, layout, module, spec, entries, spec_count, subgroup_size, full_subgroups,
            faults, pipeline);
        free(entries);
    }
    d->vkDestroyShaderModule(d->device, module, NULL);
    return status;
}

vkops_status vkops_pipeline_cache_data(const vkops_device* d, uint64_t cache, void* data, size_t* size,
    uint64_t faults) {
    VKOPS_TRY(vkGetPipelineCacheData, d->vkGetPipelineCacheData(d->device, cache, size, data));
    return (vkops_status){VK_SUCCESS, 0};
}
