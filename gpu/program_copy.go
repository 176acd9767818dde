//go:build linux && cgo

package gpu

/*
#include "shim.h"
*/
import "C"

import "fmt"

// Copy copies size bytes. Within one buffer the two parts must not overlap.
func (p *Program) Copy(dst *Buffer, dstOff int64, src *Buffer, srcOff, size int64) {
	p.record(func() error {
		if err := p.checkCopy(dst, dstOff, size, src, srcOff, size); err != nil || size == 0 {
			return err
		}
		p.words = append(p.words, C.VKOPS_COPY, dst.handle, uint64(dstOff), src.handle, uint64(srcOff), uint64(size))
		return nil
	})
}

// CopyRect copies rows of rowBytes whose starts are a pitch apart. Within one
// buffer the bytes from the first to the last row must not overlap.
func (p *Program) CopyRect(dst *Buffer, dstOff, dstPitch int64, src *Buffer, srcOff, srcPitch, rowBytes, rows int64) {
	if rowBytes > 0 && rows > 0 && dstPitch == rowBytes && srcPitch == rowBytes && rows <= (1<<62)/rowBytes {
		p.Copy(dst, dstOff, src, srcOff, rowBytes*rows)
		return
	}
	p.record(func() error {
		if rowBytes < 0 || rows < 0 || rows > 1 && (dstPitch < rowBytes || srcPitch < rowBytes) {
			return invalid("copy of %d rows of %d bytes at pitches %d and %d", rows, rowBytes, dstPitch, srcPitch)
		}
		if rows == 0 || rowBytes == 0 {
			return nil
		}
		dstSpan, dstOK := rectSpan(rowBytes, rows, dstPitch)
		srcSpan, srcOK := rectSpan(rowBytes, rows, srcPitch)
		if !dstOK || !srcOK {
			return invalid("copy of %d rows of %d bytes at pitches %d and %d", rows, rowBytes, dstPitch, srcPitch)
		}
		if err := p.checkCopy(dst, dstOff, dstSpan, src, srcOff, srcSpan); err != nil {
			return err
		}
		p.words = append(p.words, C.VKOPS_COPY_RECT, dst.handle, uint64(dstOff), uint64(dstPitch),
			src.handle, uint64(srcOff), uint64(srcPitch), uint64(rowBytes), uint64(rows))
		return nil
	})
}

// rectSpan is the number of bytes from the first row's start to the last row's
// end, and whether it fits an int64.
func rectSpan(rowBytes, rows, pitch int64) (int64, bool) {
	if rows == 1 {
		return rowBytes, true
	}
	const limit = 1 << 62
	if rows-1 > limit/pitch {
		return 0, false
	}
	return (rows-1)*pitch + rowBytes, true
}

func (p *Program) checkCopy(dst *Buffer, dstOff, dstSize int64, src *Buffer, srcOff, srcSize int64) error {
	if err := p.checkRange(dst, dstOff, dstSize, 1); err != nil {
		return fmt.Errorf("copy to: %w", err)
	}
	if err := p.checkRange(src, srcOff, srcSize, 1); err != nil {
		return fmt.Errorf("copy from: %w", err)
	}
	if dst == src && dstOff < srcOff+srcSize && srcOff < dstOff+dstSize {
		return invalid("copy within a buffer from %d to %d overlaps", srcOff, dstOff)
	}
	if err := p.use(dst); err != nil {
		return err
	}
	return p.use(src)
}
