//go:build linux && cgo

package gpu

import (
	"fmt"

	vk "github.com/vulkan-go/vulkan"
)

// texelFormats are the formats of texels, by their bytes.
var texelFormats = map[uint32]vk.Format{4: vk.FormatR32Uint, 8: vk.FormatR32g32Uint, 16: vk.FormatR32g32b32a32Uint}

// texelView is a part of a buffer that a program sees as texels.
type texelView struct {
	buffer       uint64
	offset, size int64
	texelBytes   uint32
}

// binding finds a binding of the pipeline.
func (p *Pipeline) binding(index uint32) (BindingDesc, bool) {
	for _, b := range p.desc.Bindings {
		if b.Index == index {
			return b, true
		}
	}
	return BindingDesc{}, false
}

// viewsOf gives the views of what is bound as texels, and 0 for storage buffers.
func (p *Program) viewsOf(pipeline *Pipeline, bind []Binding) ([]uint64, error) {
	views := make([]uint64, len(bind))
	for i, b := range bind {
		desc, _ := pipeline.binding(b.Index)
		if desc.TexelBytes == 0 {
			continue
		}
		texel := int64(desc.TexelBytes)
		// A binding without a whole texel gets one in the buffer's padding.
		texels := min(max(b.Size/texel, 1), int64(p.device.info.Caps.MaxTexelElements))
		var err error
		if views[i], err = p.view(texelView{b.Buffer.handle, b.Offset, texels * texel, desc.TexelBytes}); err != nil {
			return nil, err
		}
	}
	return views, nil
}

// view finds or makes a view, which lives until Reset or Free.
func (p *Program) view(v texelView) (uint64, error) {
	if handle, ok := p.views[v]; ok {
		return handle, nil
	}
	d := p.device
	var view vk.BufferView
	err := d.faults.check("vkCreateBufferView", func() int32 {
		info := vk.BufferViewCreateInfo{SType: vk.StructureTypeBufferViewCreateInfo, Buffer: asHandle[vk.Buffer](v.buffer),
			Format: texelFormats[v.texelBytes], Offset: vk.DeviceSize(v.offset), Range: vk.DeviceSize(v.size)}
		defer info.Free()
		return int32(vk.CreateBufferView(d.handle, &info, nil, &view))
	})
	if err != nil {
		return 0, fmt.Errorf("gpu: program: %w", d.failed(err))
	}
	if p.views == nil {
		p.views = map[texelView]uint64{}
	}
	p.views[v] = handleBits(view)
	return p.views[v], nil
}

// destroyViews is called when the device no longer runs the program.
func (p *Program) destroyViews() {
	for _, view := range p.views {
		vk.DestroyBufferView(p.device.handle, asHandle[vk.BufferView](view), nil)
	}
	clear(p.views)
}
