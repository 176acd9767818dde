package plan_test

import (
	"context"
	"fmt"
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"vkops/gpu"
	"vkops/host/plan"
	"vkops/tensor"
)

// rig runs plans on one device.
type rig struct {
	device    *gpu.Device
	limits    plan.Limits
	pipelines map[string]*gpu.Pipeline
}

// rigs opens every Vulkan device. Without one the test fails, unless
// VKOPS_TEST_NO_DEVICE=1 says that this is meant.
func rigs(t *testing.T) []*rig {
	infos, err := gpu.Devices()
	if os.Getenv("VKOPS_TEST_NO_DEVICE") == "1" && err != nil {
		t.Skipf("NO DEVICE IS TESTED: %v", err)
	}
	require.NoError(t, err)
	require.NotEmpty(t, infos, "no Vulkan device")
	var all []*rig
	for _, info := range infos {
		d, err := gpu.Open(gpu.Options{Device: fmt.Sprint(info.Index), CacheDir: t.TempDir()})
		require.NoError(t, err)
		t.Cleanup(func() { require.NoError(t, d.Close()) })
		all = append(all, &rig{d, plan.Limits{Caps: info.Caps, SoftwareDevice: info.Type == gpu.CPU}, map[string]*gpu.Pipeline{}})
	}
	return all
}

func (r *rig) pipeline(kernel string, spec []plan.NameValue) (*gpu.Pipeline, error) {
	key := fmt.Sprint(kernel, spec)
	if p := r.pipelines[key]; p != nil {
		return p, nil
	}
	desc, err := plan.PipelineDesc(kernel, spec)
	if err != nil {
		return nil, err
	}
	p, err := r.device.Pipeline(desc)
	r.pipelines[key] = p
	return p, err
}

// upload makes a buffer that holds data, with some room behind it.
func (r *rig) upload(t *testing.T, data []byte) *gpu.Buffer {
	b, err := r.device.NewBuffer(int64(len(data)+31)/16*16, gpu.UploadMemory)
	require.NoError(t, err)
	clear(b.Mapped()[copy(b.Mapped(), data):])
	require.NoError(t, b.Flush(0, b.Size()))
	return b
}

// run executes a plan and gives the output and, if there is one, the status. With
// inPlace the output is written over the first input.
func (r *rig) run(t *testing.T, p *plan.Plan, inPlace bool, inputs ...tensor.Dense) (tensor.Dense, []uint32) {
	buffers := map[plan.Role]*gpu.Buffer{}
	for i, in := range inputs {
		buffers[plan.Input0+plan.Role(i)] = r.upload(t, in.Data)
	}
	out, err := tensor.NewDense(p.Output)
	require.NoError(t, err)
	if inPlace {
		buffers[plan.Output] = buffers[plan.Input0]
	} else {
		buffers[plan.Output] = r.upload(t, out.Data)
	}
	for i, size := range p.Scratch {
		buffers[plan.Scratch0+plan.Role(i)] = r.upload(t, make([]byte, size))
	}
	prog, err := r.device.NewProgram()
	require.NoError(t, err)
	require.NoError(t, p.Record(prog, r.pipeline, func(role plan.Role) *gpu.Buffer { return buffers[role] }))
	require.NoError(t, prog.End(), "%s", p)
	done, err := r.device.Submit(prog)
	require.NoError(t, err)
	require.NoError(t, done.Wait(context.Background()))
	result := buffers[plan.Output]
	require.NoError(t, result.Invalidate(0, result.Size()))
	copy(out.Data, result.Mapped())
	var status []uint32
	if p.Status >= 0 {
		b := buffers[plan.Scratch0+plan.Role(p.Status)]
		require.NoError(t, b.Invalidate(0, b.Size()))
		status = append(status, tensor.ValuesOf[uint32](b.Mapped())...)
	}
	prog.Free()
	for _, b := range buffers {
		b.Free()
	}
	return out, status
}
