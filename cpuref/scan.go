package cpuref

import "vkops/tensor"

// scan runs op along the axis of a view. Neighbouring lines form a strip, which is
// walked side by side.
type scan[E, S any] struct {
	operator[E, S]
	dst, src []E
	view     tensor.View
	reverse  bool
	lines    int // of a full strip
	depth    int // of the odometers
}

// newScan is ready to run. dst and src hold v.Elements() elements each, and are
// either the same slice or do not overlap.
func newScan[E, S any](op operator[E, S], dst, src []E, v tensor.View, reverse bool) *scan[E, S] {
	return &scan[E, S]{operator: op, dst: dst, src: src, view: v, reverse: reverse, depth: depth(v.N)}
}

// run splits the work over threads by strips, and by tiles where strips are few.
func (s *scan[E, S]) run(threads int) {
	if s.view.Elements() == 0 {
		return
	}
	const work = 1 << 14 // elements that outweigh handing out a chunk
	if s.short != nil && s.view.Inner == 1 && s.view.N <= radix {
		parallel(s.view.Outer, work/s.view.N, threads, s.runShort)
		return
	}
	s.lines = s.stripLines(threads)
	strips := s.view.Outer * int64(s.stripsPerOuter())
	if threads > 1 && strips < 4*int64(threads) && s.view.N >= 4*tileSize {
		walkers := s.newWalkers(threads)
		for strip := range strips {
			s.runTiles(int(strip), threads, walkers)
		}
		return
	}
	grain := max(1, work/(s.view.N*int64(s.lines)))
	walkers := s.newWalkers(int(min(int64(threads), (strips+grain-1)/grain)))
	parallel(strips, grain, threads, func(lo, hi int64) {
		w := <-walkers
		for strip := lo; strip < hi; strip++ {
			w.start(int(strip))
			w.reset(s.identity)
			w.walkLines(0, int(s.view.N), nil)
		}
		walkers <- w
	})
}

// runShort runs lines [lo, hi) of a view whose lines follow each other.
func (s *scan[E, S]) runShort(lo, hi int64) {
	n := int(s.view.N)
	for at := int(lo) * n; at < int(hi)*n; {
		all := span{at, 1, min(groupSize/n*n, int(hi)*n-at)}
		at += all.n
		if s.reverse {
			all.start, all.step = at-1, -1
		}
		s.short(s.dst, s.src, all, n)
	}
}

// newWalkers are walkers for all threads to take and to put back.
func (s *scan[E, S]) newWalkers(threads int) chan *walker[E, S] {
	walkers := make(chan *walker[E, S], threads)
	for range threads {
		walkers <- s.newWalker()
	}
	return walkers
}

// runTiles walks one strip with all threads: aggregates of the tiles, then their
// carries, then the outputs, as the kernels do. It goes by blocks of tiles that
// are still in the cache when they are read again.
func (s *scan[E, S]) runTiles(strip, threads int, walkers chan *walker[E, S]) {
	const (
		chunk = 8       // tiles that outweigh handing them out
		limit = 1 << 19 // states of groups to hold
	)
	n := int(s.view.N)
	count := (n + tileSize - 1) / tileSize
	perTile := s.lines * radix * groupStates
	block := min(count, threads*8*chunk, max(threads, limit/perTile))
	grain := min(chunk, block/threads)
	groups := make([]S, block*perTile)
	tiles := make([]S, block*s.lines) // aggregates, then carries
	carries := newOdometers[S](s.lines, s.depth)
	for i := range carries {
		carries[i].reset(s.identity, s.identity)
	}
	for first := 0; first < count; first += block {
		block := min(block, count-first)
		each := func(do func(w *walker[E, S], p, end int, groups, tile []S)) {
			parallel(int64(block), int64(grain), threads, func(lo, hi int64) {
				w := <-walkers
				w.start(strip)
				for i := int(lo); i < int(hi); i++ {
					p := (first + i) * tileSize
					do(w, p, min(p+tileSize, n), groups[i*perTile:], tiles[i*s.lines:][:s.lines])
				}
				walkers <- w
			})
		}
		each((*walker[E, S]).foldTile)
		s.toCarries(carries, tiles[:block*s.lines])
		each(func(w *walker[E, S], p, end int, groups, tile []S) {
			w.reset(tile...)
			w.walkLines(p, end, groups)
		})
	}
}

// stripsPerOuter is how many strips an outer index has.
func (s *scan[E, S]) stripsPerOuter() int { return (int(s.view.Inner) + s.lines - 1) / s.lines }
