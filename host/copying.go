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
	shareOut(len(src), leastCopy, func(lo, hi int) { copy(dst[lo:], src[lo:hi]) })
}

// shareOut has a few cores do [0, n) in parts of at least some size.
func shareOut(n, least int, do func(lo, hi int)) {
	copiers := min(n/least, maxCopiers, runtime.GOMAXPROCS(0))
	if copiers < 2 {
		do(0, n)
		return
	}
	share := (n/copiers + 63) &^ 63 // whole cache lines
	var others sync.WaitGroup
	for at := share; at < n; at += share {
		others.Add(1)
		go func() {
			defer others.Done()
			do(at, min(at+share, n))
		}()
	}
	do(0, share)
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
