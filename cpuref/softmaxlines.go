package cpuref

import (
	"math"
	"unsafe"

	"vkops/tensor"
)

// softmaxWalk finds what the elements of each line share. Neighbouring lines form a
// strip, which is walked side by side so that whole cache lines of a row are used.
type softmaxWalk[E any, T real] struct {
	src     []E
	view    tensor.View
	widen   func(*[radix]T, []E) []T
	columns int64 // lines of a full strip
	direct  bool  // runs are neighbours in memory
}

// stripColumns is how many lines a full strip has: a cache line of elements.
func stripColumns[E any](inner int64) int64 {
	var zero E
	return max(1, min(inner, 64/int64(unsafe.Sizeof(zero))))
}

func newSoftmax[E any, T real](src []E, v tensor.View, widen func(*[radix]T, []E) []T) *softmaxWalk[E, T] {
	return &softmaxWalk[E, T]{src, v, widen, stripColumns[E](v.Inner), v.Inner == 1}
}

// softmaxStrip is a strip and what a goroutine needs to walk it.
type softmaxStrip[E any, T real] struct {
	*softmaxWalk[E, T]
	first       int64 // line of the view, counted as outer*inner + column
	base, width int64 // index of the first element, lines
	buffer      []E   // a run of each line, line after line
}

func (s *softmaxWalk[E, T]) strip(i int64) *softmaxStrip[E, T] {
	perOuter := (s.view.Inner + s.columns - 1) / s.columns
	outer, column := i/perOuter, i%perOuter*s.columns
	return &softmaxStrip[E, T]{
		softmaxWalk: s, first: outer*s.view.Inner + column, base: outer*s.view.N*s.view.Inner + column,
		width: min(s.columns, s.view.Inner-column), buffer: make([]E, s.columns*radix),
	}
}

// lines calls do for every strip, or for parts [lo, hi) of its axis, with the state
// of its lines. Threads share the strips, or the tiles of each where strips are few.
func (s *softmaxWalk[E, T]) lines(threads int, do func(w *softmaxStrip[E, T], lo, hi int64, lines []softmaxLine[T])) {
	v := s.view
	if v.Elements() == 0 {
		return
	}
	strips := v.Outer * ((v.Inner + s.columns - 1) / s.columns)
	if threads > 1 && strips < 4*int64(threads) && v.N >= 4*tileSize {
		for i := range strips {
			lines := s.longLines(i, threads)
			parallel((v.N+tileSize-1)/tileSize, 4, threads, func(lo, hi int64) {
				do(s.strip(i), lo*tileSize, min(hi*tileSize, v.N), lines)
			})
		}
		return
	}
	const work = 1 << 14 // elements that outweigh handing out a chunk
	parallel(strips, work/(v.N*s.columns), threads, func(lo, hi int64) {
		for i := lo; i < hi; i++ {
			do(s.strip(i), 0, v.N, s.longLines(i, 1))
		}
	})
}

// longLines is the state of the lines of a strip.
func (s *softmaxWalk[E, T]) longLines(strip int64, threads int) []softmaxLine[T] {
	tiles := (s.view.N + tileSize - 1) / tileSize
	width := s.strip(strip).width
	each := func(do func(w *softmaxStrip[E, T], tile, lo, hi int64)) {
		parallel(tiles, 4, threads, func(lo, hi int64) {
			w := s.strip(strip)
			for t := lo; t < hi; t++ {
				do(w, t, t*tileSize, min((t+1)*tileSize, s.view.N))
			}
		})
	}
	maxima := make([]T, tiles*width)
	each(func(w *softmaxStrip[E, T], t, lo, hi int64) { w.maxima(lo, hi, maxima[t*width:][:width]) })
	for i := range tiles * width {
		maxima[i%width] = larger(maxima[i%width], maxima[i])
	}
	sums := make([]pair[T], tiles*width) // line after line
	each(func(w *softmaxStrip[E, T], t, lo, hi int64) {
		for c, sum := range w.sums(lo, hi, maxima) {
			sums[int64(c)*tiles+t] = sum
		}
	})
	lines := make([]softmaxLine[T], width)
	for c := range lines {
		lines[c] = softmaxLog(maxima[c], root(sums[int64(c)*tiles:][:tiles], pairIdentity[T](), pairCombine[T]))
	}
	return lines
}

// larger is the larger of a and b, or NaN.
func larger[T real](a, b T) T {
	if b > a || b != b {
		return b
	}
	return a
}

// runs calls do for runs at positions [lo, hi), line after line within each.
func (w *softmaxStrip[E, T]) runs(lo, hi int64, do func(c int64, run []E)) {
	for p := lo; p < hi; p += radix {
		count := min(radix, hi-p)
		if w.direct {
			do(0, w.src[w.base+p:][:count])
			continue
		}
		w.gather(p, count)
		for c := range w.width {
			do(c, w.buffer[c*radix:][:count])
		}
	}
}

func (w *softmaxStrip[E, T]) gather(p, count int64) {
	for i := range count {
		for c, x := range w.src[w.base+(p+i)*w.view.Inner:][:w.width] {
			w.buffer[int64(c)*radix+i] = x
		}
	}
}

// outputs is runs with what do makes of them written to dst.
func (w *softmaxStrip[E, T]) outputs(lo, hi int64, do func(c int64, run []E), dst []E) {
	for p := lo; p < hi; p += radix {
		count := min(radix, hi-p)
		if w.direct {
			out := dst[w.base+p:][:count]
			copy(out, w.src[w.base+p:])
			do(0, out)
			continue
		}
		w.gather(p, count)
		for c := range w.width {
			do(c, w.buffer[c*radix:][:count])
		}
		for i := range count {
			row := dst[w.base+(p+i)*w.view.Inner:][:w.width]
			for c := range row {
				row[c] = w.buffer[int64(c)*radix+i]
			}
		}
	}
}

// maxima is the largest element of each line at positions [lo, hi).
func (w *softmaxStrip[E, T]) maxima(lo, hi int64, largest []T) {
	var wide [radix]T
	for c := range largest {
		largest[c] = T(math.Inf(-1))
	}
	w.runs(lo, hi, func(c int64, run []E) {
		m := largest[c]
		for _, x := range w.widen(&wide, run) {
			m = larger(m, x)
		}
		largest[c] = m
	})
}

// sums folds the tile of each line at positions [lo, hi).
func (w *softmaxStrip[E, T]) sums(lo, hi int64, largest []T) []pair[T] {
	var wide [radix]T
	tile, group := make([]pair[T], w.width), make([]pair[T], w.width)
	for c := range tile {
		tile[c], group[c] = pairIdentity[T](), pairIdentity[T]()
	}
	left := hi - lo
	done := make([]int64, w.width)
	w.runs(lo, hi, func(c int64, run []E) {
		group[c] = pairCombine(group[c], softmaxSum(w.widen(&wide, run), largest[c]))
		if done[c] += int64(len(run)); done[c]%(radix*radix) == 0 || done[c] == left {
			tile[c], group[c] = pairCombine(tile[c], group[c]), pairIdentity[T]()
		}
	})
	return tile
}
