package cpuref

import "vkops/tensor"

// scan runs op along the axis of a view. Neighbouring lines form a strip, which
// is walked side by side so that whole cache lines of a row are used.
type scan[E, S any] struct {
	operator[E, S]
	dst, src []E
	view     tensor.View
	reverse  bool
	direct   bool  // runs lie in memory in scan order
	columns  int64 // lines of a full strip
	depth    int   // of the odometers
}

// newScan is ready to run. dst and src hold v.Elements() elements each, and are
// either the same slice or do not overlap.
func newScan[E, S any](op operator[E, S], dst, src []E, v tensor.View, reverse bool) *scan[E, S] {
	return &scan[E, S]{
		operator: op, dst: dst, src: src, view: v, reverse: reverse,
		direct:  v.Inner == 1 && !reverse,
		columns: stripColumns[E](v.Inner),
		depth:   depth(v.N),
	}
}

// run splits the work over threads by strips, and by tiles where strips are few.
func (s *scan[E, S]) run(threads int) {
	if s.view.Elements() == 0 {
		return
	}
	strips := s.view.Outer * s.stripsPerOuter()
	if threads > 1 && strips < 4*int64(threads) && s.view.N >= 4*tileSize {
		for strip := range strips {
			s.runTiles(strip, threads)
		}
		return
	}
	const work = 1 << 14 // elements that outweigh handing out a chunk
	parallel(strips, work/(s.view.N*s.columns), threads, func(lo, hi int64) {
		w := s.newWalker()
		for strip := lo; strip < hi; strip++ {
			w.start(strip)
			w.reset(s.identity)
			w.walkLines(0, s.view.N, nil)
		}
	})
}

// runTiles walks one strip with all threads: aggregates of the tiles, then their
// carries, then the outputs, as the kernels do. It goes by blocks of tiles that
// are still in the cache when they are read again.
func (s *scan[E, S]) runTiles(strip int64, threads int) {
	const (
		chunk = 8       // tiles that outweigh handing them out
		limit = 1 << 19 // states of groups to hold
	)
	count := (s.view.N + tileSize - 1) / tileSize
	perTile := s.columns * radix * groupStates
	block := min(count, int64(threads)*8*chunk, max(int64(threads), limit/perTile))
	grain := min(chunk, block/int64(threads))
	groups := make([]S, block*perTile)
	tiles := make([]S, block*s.columns) // aggregates, then carries
	walkers := make(chan *walker[E, S], threads)
	for range threads {
		w := s.newWalker()
		w.start(strip)
		walkers <- w
	}
	carries := make([]odometer[S], s.columns)
	for i := range carries {
		carries[i].reset(s.depth, s.identity, s.identity)
	}
	for first := int64(0); first < count; first += block {
		each := func(do func(w *walker[E, S], p, end int64, groups, tile []S)) {
			parallel(min(block, count-first), grain, threads, func(lo, hi int64) {
				w := <-walkers
				for i := lo; i < hi; i++ {
					p := (first + i) * tileSize
					do(w, p, min(p+tileSize, s.view.N), groups[i*perTile:], tiles[i*s.columns:])
				}
				walkers <- w
			})
		}
		each((*walker[E, S]).foldTile)
		s.toCarries(carries, tiles[:min(block, count-first)*s.columns])
		each(func(w *walker[E, S], p, end int64, groups, tile []S) {
			w.reset(tile...)
			w.walkLines(p, end, groups)
		})
	}
}

// stripsPerOuter is how many strips an outer index has.
func (s *scan[E, S]) stripsPerOuter() int64 { return (s.view.Inner + s.columns - 1) / s.columns }
