//go:build linux && cgo

package gpu

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestDispatchSizes(t *testing.T) {
	d := openDevice(t, Options{})
	add := newPipeline(t, d, addDesc(t, 7))
	for _, n := range []int{1, 15, 16, 17, 63, 64, 65, 255, 256, 257, 4095, 4096, 4097, 1<<20 - 1, 1 << 20, 1<<20 + 1} {
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			src := newBuffer(t, d, int64(4*n), UploadMemory)
			dst := newBuffer(t, d, int64(4*n), DownloadMemory)
			write(t, src, func(i int) uint32 { return uint32(i) * 2654435761 })
			p := newProgram(t, d)
			addTo(p, add, dst, src, 5)
			require.NoError(t, p.End())
			run(t, d, p)
			for i, got := range read(t, dst) {
				if want := uint32(i)*2654435761 + 12; got != want {
					t.Fatalf("element %d is %d, want %d", i, got, want)
				}
			}
		})
	}
}

func TestChainedDispatchesSeeEachOther(t *testing.T) {
	d := openDevice(t, Options{})
	add := newPipeline(t, d, addDesc(t, 0))
	const n, links = 100003, 50
	a, b := newBuffer(t, d, 4*n, UploadMemory), newBuffer(t, d, 4*n, DownloadMemory)
	write(t, a, func(i int) uint32 { return uint32(i) })
	p := newProgram(t, d)
	for range links {
		addTo(p, add, b, a, 1)
		p.Barrier()
		addTo(p, add, a, b, 1)
		p.Barrier()
	}
	require.NoError(t, p.End())
	// Programs chain too: each submission sees the one before.
	for range 3 {
		_, err := d.Submit(p)
		require.NoError(t, err)
	}
	run(t, d, p)
	for i, got := range read(t, a) {
		if want := uint32(i + 4*2*links); got != want {
			t.Fatalf("element %d is %d, want %d", i, got, want)
		}
	}
}

func TestFoldedGrid(t *testing.T) {
	d := openDevice(t, Options{})
	add := newPipeline(t, d, addDesc(t, 0))
	const n = 64 * 3 * 5 * 7
	src, dst := newBuffer(t, d, 4*n, UploadMemory), newBuffer(t, d, 4*n, DownloadMemory)
	write(t, src, func(i int) uint32 { return uint32(i) })
	p := newProgram(t, d)
	p.Dispatch(add, [3]uint32{3, 5, 7}, []byte{0xff, 0xff, 0, 0, 1, 0, 0, 0}, whole(1, dst), whole(0, src))
	require.NoError(t, p.End())
	run(t, d, p)
	for i, got := range read(t, dst) {
		require.Equal(t, uint32(i+1), got)
	}
}

func TestBindingOffsets(t *testing.T) {
	d := openDevice(t, Options{})
	add := newPipeline(t, d, addDesc(t, 0))
	step := int64(max(d.Info().Caps.OffsetAlignment, 4))
	src, dst := newBuffer(t, d, 8*step, UploadMemory), newBuffer(t, d, 8*step, DownloadMemory)
	write(t, src, func(i int) uint32 { return uint32(i) })
	p := newProgram(t, d)
	p.Fill(dst, 0, dst.Size(), 0xabcdabcd)
	p.Barrier()
	p.Dispatch(add, [3]uint32{1, 1, 1}, []byte{1, 0, 0, 0, 100, 0, 0, 0},
		Binding{0, src, 3 * step, 4}, Binding{1, dst, 5 * step, 4})
	require.NoError(t, p.End())
	run(t, d, p)
	for i, got := range read(t, dst) {
		want := uint32(0xabcdabcd)
		if int64(i) == 5*step/4 {
			want = uint32(3*step/4 + 100)
		}
		require.Equal(t, want, got, "word %d", i)
	}
}

func TestCopyFillAndRect(t *testing.T) {
	d := openDevice(t, Options{})
	const rows, pitch, rowBytes, dstPitch = 700, 13 * 4, 5 * 4, 6 * 4
	src := newBuffer(t, d, rows*pitch, UploadMemory)
	middle := newBuffer(t, d, rows*pitch, DeviceMemory)
	rect := newBuffer(t, d, 8+rows*dstPitch, DownloadMemory)
	packed := newBuffer(t, d, rows*rowBytes, DownloadMemory)
	write(t, src, func(i int) uint32 { return uint32(i) })
	p := newProgram(t, d)
	p.Copy(middle, 0, src, 0, src.Size())
	p.Fill(rect, 0, rect.Size(), 77)
	p.Barrier()
	p.CopyRect(rect, 8, dstPitch, middle, 4, pitch, rowBytes, rows)
	p.CopyRect(packed, 0, rowBytes, middle, 4, pitch, rowBytes, rows)
	require.NoError(t, p.End())
	run(t, d, p)
	got := read(t, rect)
	require.Equal(t, []uint32{77, 77}, got[:2])
	for row := range rows {
		line := got[2+row*dstPitch/4:][:dstPitch/4]
		first := uint32(1 + row*pitch/4)
		require.Equal(t, []uint32{first, first + 1, first + 2, first + 3, first + 4, 77}, line, "row %d", row)
	}
	for i, word := range read(t, packed) {
		require.Equal(t, uint32(1+i/5*pitch/4+i%5), word)
	}
}

func TestCopyRectContiguousIsOneCopy(t *testing.T) {
	d := openDevice(t, Options{})
	src, dst := newBuffer(t, d, 1<<20, UploadMemory), newBuffer(t, d, 1<<20, DownloadMemory)
	write(t, src, func(i int) uint32 { return uint32(i) })
	p := newProgram(t, d)
	p.CopyRect(dst, 0, 4, src, 0, 4, 4, 1<<18)
	require.NoError(t, p.End())
	require.Len(t, p.words, 6)
	run(t, d, p)
	for i, word := range read(t, dst) {
		require.Equal(t, uint32(i), word)
	}
}

func TestOddSizesAreBoundToWholeWords(t *testing.T) {
	d := openDevice(t, Options{})
	b := newBuffer(t, d, 5, DownloadMemory)
	require.Len(t, b.Mapped(), 5)
	require.Equal(t, 16, cap(b.Mapped()))
	p := newProgram(t, d)
	p.Fill(b, 0, 16, 0x04030201)
	require.NoError(t, p.End())
	run(t, d, p)
	require.NoError(t, b.Invalidate(0, 5))
	require.Equal(t, []byte{1, 2, 3, 4, 1}, b.Mapped())
}

func TestEmptyProgramAndEmptyBuffer(t *testing.T) {
	d := openDevice(t, Options{})
	b := newBuffer(t, d, 0, DeviceMemory)
	p := newProgram(t, d)
	p.Copy(b, 0, b, 0, 0)
	p.Fill(b, 0, 0, 1)
	require.NoError(t, p.End())
	run(t, d, p)
	require.Zero(t, b.Size())
	require.Empty(t, b.Mapped())
}

func TestTimestamps(t *testing.T) {
	d := openDevice(t, Options{})
	require.NotZero(t, d.Info().Caps.TimestampBits)
	add := newPipeline(t, d, addDesc(t, 0))
	src, dst := newBuffer(t, d, 4<<20, UploadMemory), newBuffer(t, d, 4<<20, DeviceMemory)
	p := newProgram(t, d)
	for round := range 3 {
		require.Equal(t, 0, p.Timestamp())
		for range round + 1 {
			addTo(p, add, dst, src, 1)
			p.Barrier()
		}
		require.Equal(t, 1, p.Timestamp())
		require.NoError(t, p.End())
		run(t, d, p)
		times, err := p.Timestamps()
		require.NoError(t, err)
		require.Len(t, times, 2)
		require.Zero(t, times[0])
		require.Greater(t, times[1], int64(1000))
		require.Less(t, times[1], int64(1e10))
		require.NoError(t, p.Reset())
	}
}

func TestProgramErrors(t *testing.T) {
	d := openDevice(t, Options{})
	other := openDevice(t, Options{})
	add := newPipeline(t, d, addDesc(t, 0))
	a, b := newBuffer(t, d, 1024, DeviceMemory), newBuffer(t, d, 1024, DeviceMemory)
	freed := newBuffer(t, d, 1024, DeviceMemory)
	freed.Free()
	foreign := newBuffer(t, other, 1024, DeviceMemory)
	caps := d.Info().Caps
	one, push := [3]uint32{1, 1, 1}, make([]byte, 8)
	for name, test := range map[string]struct {
		record func(p *Program)
		target error
	}{
		"no pipeline":      {func(p *Program) { p.Dispatch(nil, one, push) }, ErrInvalid},
		"foreign pipeline": {func(p *Program) { p.Dispatch(newPipeline(t, other, addDesc(t, 0)), one, push) }, ErrInvalid},
		"groups": {func(p *Program) {
			p.Dispatch(add, [3]uint32{1, caps.MaxGroups[1] + 1, 1}, push, whole(0, a), whole(1, b))
		}, ErrUnsupported},
		"push size":        {func(p *Program) { p.Dispatch(add, one, push[:4], whole(0, a), whole(1, b)) }, ErrInvalid},
		"binding missing":  {func(p *Program) { p.Dispatch(add, one, push, whole(0, a)) }, ErrInvalid},
		"binding unknown":  {func(p *Program) { p.Dispatch(add, one, push, whole(0, a), whole(2, b)) }, ErrInvalid},
		"binding twice":    {func(p *Program) { p.Dispatch(add, one, push, whole(1, a), whole(1, b)) }, ErrInvalid},
		"binding empty":    {func(p *Program) { p.Dispatch(add, one, push, whole(0, a), Binding{1, b, 0, 0}) }, ErrInvalid},
		"binding too long": {func(p *Program) { p.Dispatch(add, one, push, whole(0, a), Binding{1, b, 0, 1028}) }, ErrInvalid},
		"binding before":   {func(p *Program) { p.Dispatch(add, one, push, whole(0, a), Binding{1, b, -16, 16}) }, ErrInvalid},
		"binding overflow": {func(p *Program) { p.Dispatch(add, one, push, whole(0, a), Binding{1, b, 16, 1<<63 - 1}) }, ErrInvalid},
		"binding offset":   {func(p *Program) { p.Dispatch(add, one, push, whole(0, a), Binding{1, b, 1, 4}) }, ErrInvalid},
		"no buffer":        {func(p *Program) { p.Dispatch(add, one, push, whole(0, a), Binding{1, nil, 0, 4}) }, ErrInvalid},
		"freed buffer":     {func(p *Program) { p.Dispatch(add, one, push, whole(0, a), whole(1, freed)) }, ErrClosed},
		"foreign buffer":   {func(p *Program) { p.Dispatch(add, one, push, whole(0, a), whole(1, foreign)) }, ErrInvalid},
		"copy too long":    {func(p *Program) { p.Copy(a, 0, b, 1000, 25) }, ErrInvalid},
		"copy negative":    {func(p *Program) { p.Copy(a, 0, b, 0, -1) }, ErrInvalid},
		"copy overlap":     {func(p *Program) { p.Copy(a, 0, a, 4, 8) }, ErrInvalid},
		"copy foreign":     {func(p *Program) { p.Copy(a, 0, foreign, 0, 8) }, ErrInvalid},
		"rect pitch":       {func(p *Program) { p.CopyRect(a, 0, 4, b, 0, 16, 8, 2) }, ErrInvalid},
		"rect too long":    {func(p *Program) { p.CopyRect(a, 0, 16, b, 0, 256, 8, 5) }, ErrInvalid},
		"rect overflow":    {func(p *Program) { p.CopyRect(a, 0, 1<<61, b, 0, 1<<61, 8, 1<<61) }, ErrInvalid},
		"fill unaligned":   {func(p *Program) { p.Fill(a, 2, 4, 0) }, ErrInvalid},
		"fill too long":    {func(p *Program) { p.Fill(a, 1024, 4, 0) }, ErrInvalid},
	} {
		t.Run(name, func(t *testing.T) {
			p := newProgram(t, d)
			p.Barrier()
			test.record(p)
			first := p.err
			require.ErrorIs(t, first, test.target)
			p.Copy(a, 0, b, 0, -5)
			err := p.End()
			require.Equal(t, first, err, "the first error counts")
			_, submitErr := d.Submit(p)
			require.Equal(t, err, submitErr)
			require.NoError(t, p.Reset())
			p.Fill(a, 0, 4, 1)
			require.NoError(t, p.End(), "usable again after Reset")
			run(t, d, p)
		})
	}
}

func TestProgramStates(t *testing.T) {
	d := openDevice(t, Options{})
	b := newBuffer(t, d, 16, DeviceMemory)
	p := newProgram(t, d)
	_, err := d.Submit(p)
	require.ErrorIs(t, err, ErrInvalid, "submit before End")
	_, err = p.Timestamps()
	require.ErrorIs(t, err, ErrInvalid, "timestamps before submission")
	require.NoError(t, p.End())
	require.ErrorIs(t, p.End(), ErrInvalid)
	p.Fill(b, 0, 4, 0)
	_, err = d.Submit(p)
	require.ErrorIs(t, err, ErrInvalid, "recorded after End")
	require.NoError(t, p.Reset())
	p.Free()
	p.Free()
	_, err = d.Submit(p)
	require.ErrorIs(t, err, ErrClosed)
	require.ErrorIs(t, p.Reset(), ErrClosed)
	require.ErrorIs(t, p.End(), ErrClosed)
	_, err = p.Timestamps()
	require.ErrorIs(t, err, ErrClosed)
	_, err = d.Submit(nil)
	require.ErrorIs(t, err, ErrInvalid)
	_, err = d.Submit(newProgram(t, openDevice(t, Options{})))
	require.ErrorIs(t, err, ErrInvalid)
}

// TestProgramOfManyBuffers records each of many buffers twice: the program holds each
// once, and lets go of all at Reset, again and again.
func TestProgramOfManyBuffers(t *testing.T) {
	d := openDevice(t, Options{})
	p := newProgram(t, d)
	for range 2 {
		before := d.MemoryInUse().Buffers
		first := newBuffer(t, d, 64, DownloadMemory)
		from := first
		p.Fill(from, 0, 64, 7)
		for range 3 * fewBuffers {
			to, err := d.NewBuffer(64, DeviceMemory)
			require.NoError(t, err)
			p.Barrier()
			p.Copy(to, 0, from, 0, 64)
			if from != first {
				from.Free() // the program keeps it
			}
			from = to
		}
		p.Fill(first, 0, 64, 0)
		p.Barrier()
		p.Copy(first, 0, from, 0, 64)
		from.Free()
		require.NoError(t, p.End())
		run(t, d, p)
		require.Equal(t, uint32(7), read(t, first)[15])
		require.Len(t, p.buffers, 3*fewBuffers+1)
		require.NoError(t, p.Reset())
		first.Free()
		require.Equal(t, before, d.MemoryInUse().Buffers)
	}
}
