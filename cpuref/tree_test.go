package cpuref

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"vkops/tensor"
)

// hooks are an operator element by element, as the shaders define it.
type hooks[E, S any] struct {
	identity S
	take     func(S, E) S
	combine  func(S, S) S
	output   func(S) E
	first    func(E) E // inclusive scans
}

// treeScan evaluates the definition of the carry tree level by level, without
// odometers.
func treeScan[E, S any](h hooks[E, S], x []E) []E {
	fold := func(below []S) (above []S) {
		for lo := 0; lo < len(below); lo += 16 {
			s := h.identity
			for _, b := range below[lo:min(lo+16, len(below))] {
				s = h.combine(s, b)
			}
			above = append(above, s)
		}
		return above
	}
	var runs []S
	for lo := 0; lo < len(x); lo += 16 {
		s := h.identity
		for _, e := range x[lo:min(lo+16, len(x))] {
			s = h.take(s, e)
		}
		runs = append(runs, s)
	}
	levels := [][]S{runs}
	for len(levels[len(levels)-1]) > 1 {
		levels = append(levels, fold(levels[len(levels)-1]))
	}
	carries := []S{h.identity}
	for level := len(levels) - 2; level >= 0; level-- {
		below := make([]S, len(levels[level]))
		for i := range below {
			if i%16 == 0 {
				below[i] = carries[i/16]
			} else {
				below[i] = h.combine(below[i-1], levels[level][i-1])
			}
		}
		carries = below
	}
	out := make([]E, len(x))
	for run, s := range carries[:len(runs)] {
		for i := run * 16; i < min(run*16+16, len(x)); i++ {
			if h.first == nil {
				out[i] = h.output(s)
			}
			s = h.take(s, x[i])
			if h.first != nil {
				out[i] = h.output(s)
			}
		}
	}
	if h.first != nil && len(x) > 0 {
		out[0] = h.first(x[0])
	}
	return out
}

// viewScan is treeScan on every line of a view.
func viewScan[E, S any](h hooks[E, S], x []E, v tensor.View, reverse bool) []E {
	out := make([]E, len(x))
	for o := range v.Outer {
		for c := range v.Inner {
			index := func(p int64) int64 {
				if reverse {
					p = v.N - 1 - p
				}
				return (o*v.N+p)*v.Inner + c
			}
			line := make([]E, v.N)
			for p := range v.N {
				line[p] = x[index(p)]
			}
			for p, y := range treeScan(h, line) {
				out[index(int64(p))] = y
			}
		}
	}
	return out
}

var boundarySizes = []int64{0, 1, 2, 15, 16, 17, 255, 256, 257, 4095, 4096, 4097, 16385, 65535, 65536, 65537}

// boundaryViews puts the boundary sizes on each side of the axis.
func boundaryViews() []tensor.View {
	var views []tensor.View
	for _, n := range boundarySizes {
		views = append(views, tensor.View{Outer: 1, N: n, Inner: 1})
		if n <= 4097 {
			views = append(views,
				tensor.View{Outer: 3, N: n, Inner: 1}, tensor.View{Outer: 1, N: n, Inner: 3},
				tensor.View{Outer: n, N: 17, Inner: 1}, tensor.View{Outer: 1, N: 17, Inner: n})
		}
	}
	return append(views,
		tensor.View{Outer: 2, N: 33, Inner: 31}, tensor.View{Outer: 70000, N: 3, Inner: 1},
		tensor.View{Outer: 1, N: 2, Inner: 70000}, tensor.View{Outer: 1, N: 20001, Inner: 17},
		tensor.View{Outer: 2, N: 18, Inner: 1100}, tensor.View{Outer: 1, N: 16500, Inner: 2},
		tensor.View{Outer: 1, N: 550, Inner: 40})
}

// checkScan compares op with the definition, bit for bit, for several numbers of
// threads, apart and in place.
func checkScan[E, S, R any](t *testing.T, op operator[E, S], h hooks[E, R], v tensor.View, reverse bool, x []E) {
	t.Helper()
	want := viewScan(h, x, v, reverse)
	for _, threads := range []int{1, 2, 5} {
		got := make([]E, len(x))
		newScan(op, got, x, v, reverse).run(threads)
		requireSameBits(t, want, got, "%+v reverse %v threads %d", v, reverse, threads)
		copy(got, x)
		newScan(op, got, got, v, reverse).run(threads)
		requireSameBits(t, want, got, "%+v reverse %v threads %d in place", v, reverse, threads)
	}
}

func requireSameBits[E any](t *testing.T, want, got []E, format string, args ...any) {
	t.Helper()
	require.Equal(t, len(want), len(got))
	for i := range want {
		if bitsOf(want[i]) != bitsOf(got[i]) {
			t.Fatalf("%s: element %d is %v (%#x), want %v (%#x)",
				fmt.Sprintf(format, args...), i, got[i], bitsOf(got[i]), want[i], bitsOf(want[i]))
		}
	}
}

func newRandom(t *testing.T) *rand.Rand {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	return rand.New(rand.NewPCG(seed, 1))
}
