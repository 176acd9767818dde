package host

import (
	"runtime"
	"sync"

	"vkops/host/plan"
)

// A core reads and writes fewer bytes a second than memory does: copies are shared out,
// a few cores being enough, in parts that are worth starting a goroutine for.
const (
	maxCopiers = 4
	leastCopy  = 1 << 20
)

// copyBytes copies src, which does not overlap dst unless they are the same, to dst.
func copyBytes(dst, src []byte) {
	copiers := min(len(src)/leastCopy, maxCopiers, runtime.GOMAXPROCS(0))
	if copiers < 2 {
		copy(dst, src)
		return
	}
	share := (len(src)/copiers + 63) &^ 63 // whole cache lines
	var others sync.WaitGroup
	for at := share; at < len(src); at += share {
		others.Add(1)
		go func() {
			defer others.Done()
			copy(dst[at:], src[at:min(at+share, len(src))])
		}()
	}
	copy(dst, src[:share])
	others.Wait()
}

// extent is how many bytes lie between the start of a copy's first row and the end of
// its last one.
func extent(pitch int64, s *plan.Step) int64 { return (s.Rows-1)*pitch + s.RowBytes }

// copyRows copies rows whose starts are a pitch apart.
func copyRows(dst []byte, dstPitch int64, src []byte, srcPitch, rowBytes, rows int64) {
	if dstPitch == rowBytes && srcPitch == rowBytes {
		copyBytes(dst[:rowBytes*rows], src[:rowBytes*rows])
		return
	}
	for r := range rows {
		copy(dst[r*dstPitch:r*dstPitch+rowBytes], src[r*srcPitch:])
	}
}
