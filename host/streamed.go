package host

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sort"

	"vkops/gpu"
	"vkops/host/plan"
	"vkops/tensor"
)

// Bounds of the chunks in which tensors come to a device without shared memory while
// it works: shorter ones cost more submissions than they save.
const (
	leastChunk   = 1 << 20
	streamedFrom = 4 << 20
)

// streamed runs operators in place on a buffer of the device whose input is still
// coming and whose output is leaving already.
type streamed struct {
	*conveyor
	buffer  *gpu.Buffer
	scratch scratch
}

// streams reports whether a tensor is worth the submissions: it has several chunks.
func (v *vulkan) streams(op tensor.Op, bytes int64) bool {
	return !v.direct && inPlace(op) && bytes >= min(streamedFrom, 2*int64(v.stageBytes))
}

func (v *vulkan) newStreamed(ctx context.Context) *streamed {
	return &streamed{conveyor: v.newConveyor(ctx), scratch: scratch{gpu: v.gpu}}
}

// applyStreamed runs an operator on a tensor that the device has room for.
func (v *vulkan) applyStreamed(ctx context.Context, op tensor.Op, dst, src tensor.Dense) error {
	s := v.newStreamed(ctx)
	err := s.end(s.run(op, dst, src))
	if errors.Is(err, ErrOutOfMemory) && s.sent && overlaps(dst.Data, src.Data) {
		err = fmt.Errorf("%w (%w)", err, errOverwritten)
	}
	return err
}

// end waits for all results and gives the memory back once the device is done with it.
func (s *streamed) end(err error) error {
	err = s.conveyor.end(err)
	s.scratch.free()
	if s.buffer != nil {
		s.buffer.Free()
	}
	return err
}

// run sends an operator on its way; what came before it is done first.
func (s *streamed) run(op tensor.Op, dst, src tensor.Dense) error {
	whole := int64(len(src.Data))
	most := int64(s.v.stageBytes)
	least := min(max(leastChunk, whole/8), most)
	p, err := s.v.prepareStreamed(op, src.Type, least)
	if err != nil {
		return err
	}
	if err := s.reserve(p, whole); err != nil {
		return err
	}
	b := &Buffer{dev: deviceMemory{buf: s.buffer}}
	on := step{call: call{out: b, inputs: []*Buffer{b}}}
	steps := p.plan.Steps
	begin := 0 // what is not submitted yet
	submit := func(end int) error {
		from := begin
		begin = max(begin, end)
		return s.compute(p, on, s.scratch.buffers, from, begin)
	}
	up, down := schedule(steps, chunksOf(steps, whole, least, most))
	for i := range steps {
		for _, c := range up[i] {
			if err := submit(i); err != nil {
				return err
			}
			if err := s.upload(s.buffer, c.at, c.end-c.at, func(stage []byte) { copyBytes(stage, src.Data[c.at:c.end]) }); err != nil {
				return err
			}
			s.v.observe("upload")
		}
		for _, c := range down[i] {
			if err := submit(i + 1); err != nil {
				return err
			}
			if err := s.download(s.buffer, c.at, c.end-c.at, func(stage []byte) { copyBytes(dst.Data[c.at:c.end], stage[:c.end-c.at]) }); err != nil {
				return err
			}
		}
	}
	return submit(len(steps))
}

func (s *streamed) reserve(p *prepared, bytes int64) error {
	if err := s.v.withRoom(s.ctx, func() error { return s.scratch.reserve(p.plan) }); err != nil {
		return err
	}
	if s.buffer != nil && s.buffer.Size() >= bytes {
		return nil
	}
	if s.buffer != nil {
		s.buffer.Free()
	}
	var err error
	s.buffer, err = s.v.newBuffer(s.ctx, (bytes+bufferGrain-1)/bufferGrain*bufferGrain, gpu.DeviceMemory)
	return err
}

// prepareStreamed prepares an operator in place, in windows of about a chunk where
// that is possible.
func (v *vulkan) prepareStreamed(op tensor.Op, in tensor.Type, chunk int64) (*prepared, error) {
	limits := v.limits
	limits.InPlace = true
	window := plan.WindowRange(op, in, chunk, limits)
	if window == 0 {
		return v.prepareFor(op, []tensor.Type{in}, true)
	}
	limits.MaxRange = window
	p, err := v.prepareWithin("streamed ", op, []tensor.Type{in}, limits)
	if err == nil && p.twin != "" { // not in such windows
		return v.prepareFor(op, []tensor.Type{in}, true)
	}
	return p, err
}

// chunk is bytes [at, end) of a tensor.
type chunk struct{ at, end int64 }

// chunksOf cuts a tensor into chunks of at most so many bytes: where windows of the
// plan begin, if they have at least so many.
func chunksOf(steps []plan.Step, whole, least, most int64) []chunk {
	starts := []int64{whole}
	eachTensorRef(steps, func(_ int, r plan.Ref) { starts = append(starts, r.Offset) })
	slices.Sort(starts)
	var chunks []chunk
	for at := int64(0); at < whole; {
		end := min(at+most, whole)
		if i, _ := slices.BinarySearch(starts, at+least); i < len(starts) {
			end = min(end, starts[i])
		}
		chunks = append(chunks, chunk{at, end})
		at = end
	}
	return chunks
}

// schedule lists, for each step, the chunks that have to come before it, because it
// is the first to touch them, and those that leave after it, as it is the last.
func schedule(steps []plan.Step, chunks []chunk) (up, down [][]chunk) {
	first, last := make([]int, len(chunks)), make([]int, len(chunks))
	for i := range chunks {
		first[i], last[i] = len(steps)-1, 0
	}
	eachTensorRef(steps, func(i int, r plan.Ref) {
		from := sort.Search(len(chunks), func(c int) bool { return chunks[c].end > r.Offset })
		for c := from; c < len(chunks) && chunks[c].at < r.Offset+r.Size; c++ {
			first[c], last[c] = min(first[c], i), max(last[c], i)
		}
	})
	up, down = make([][]chunk, len(steps)), make([][]chunk, len(steps))
	for i, c := range chunks {
		up[first[i]] = append(up[first[i]], c)
		down[last[i]] = append(down[last[i]], c)
	}
	return up, down
}

// eachTensorRef calls do for all parts of the input and the output that steps touch.
func eachTensorRef(steps []plan.Step, do func(step int, r plan.Ref)) {
	for i := range steps {
		s := &steps[i]
		refs := []plan.Ref{s.Dst, s.Src}
		if s.Kind == plan.Dispatch {
			refs = refs[:0]
			for _, b := range s.Bind {
				refs = append(refs, b.Ref)
			}
		}
		for _, r := range refs {
			if r.Size > 0 && (r.Role == plan.Input0 || r.Role == plan.Output) {
				do(i, r)
			}
		}
	}
}
