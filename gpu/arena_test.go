package gpu

import (
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestArena(t *testing.T) {
	for _, skew := range []int64{0, 64, 192} {
		a := newArena(1<<20, skew)
		require.True(t, a.empty())
		require.LessOrEqual(t, a.skew+a.size, int64(1<<20))
		first, ok := a.take(granule, 16)
		require.True(t, ok)
		require.Equal(t, skew, first)
		require.False(t, a.empty())
		_, ok = a.take(1<<20, 16)
		require.False(t, ok)
		_, ok = a.take(granule, 4096)
		require.Equal(t, skew == 0, ok, "a skewed block cannot align to pages")
	}
}

// TestArenaRandom compares with a plain map of which byte granule is taken.
func TestArenaRandom(t *testing.T) {
	seed := uint64(time.Now().UnixNano())
	t.Log("seed", seed)
	r := rand.New(rand.NewPCG(seed, 0))
	const granules = 400
	a := newArena(granules*granule, 0)
	taken := make([]bool, granules)
	var live []span
	for range 20000 {
		if len(live) > 0 && r.IntN(5) < 2 {
			i := r.IntN(len(live))
			s := live[i]
			live[i] = live[len(live)-1]
			live = live[:len(live)-1]
			a.put(s.offset, s.size)
			for g := s.offset / granule; g < (s.offset+s.size)/granule; g++ {
				taken[g] = false
			}
		} else {
			alignment := int64(1) << r.IntN(12)
			size := granule * int64(1+r.IntN(20))
			offset, ok := a.take(size, alignment)
			require.Equal(t, fits(taken, size, alignment), ok)
			if !ok {
				continue
			}
			require.Zero(t, offset%max(alignment, granule))
			for g := offset / granule; g < (offset+size)/granule; g++ {
				require.False(t, taken[g])
				taken[g] = true
			}
			live = append(live, span{offset, size})
		}
		for i := 1; i < len(a.free); i++ {
			require.Less(t, a.free[i-1].offset+a.free[i-1].size, a.free[i].offset, "neighbours are merged")
		}
		require.Equal(t, len(live) == 0, a.empty())
	}
}

func fits(taken []bool, size, alignment int64) bool {
	step := max(alignment/granule, 1)
	for start := int64(0); start+size/granule <= int64(len(taken)); start += step {
		free := true
		for g := range size / granule {
			free = free && !taken[start+g]
		}
		if free {
			return true
		}
	}
	return false
}

func TestAtomRange(t *testing.T) {
	for _, test := range [][6]int64{ // offset, size, atom, block; start, length
		{0, 1, 64, 1000, 0, 64},
		{63, 1, 64, 1000, 0, 64},
		{63, 2, 64, 1000, 0, 128},
		{64, 64, 64, 1000, 64, 64},
		{990, 10, 64, 1000, 960, 40},
		{5, 7, 1, 1000, 5, 7},
		{256, 300, 256, 1 << 20, 256, 512},
	} {
		start, length := atomRange(test[0], test[1], test[2], test[3])
		require.Equal(t, test[4:], []int64{start, length})
	}
}

func TestTickDurations(t *testing.T) {
	require.Equal(t, []int64{0, 10, 5}, tickDurations([]uint64{100, 110, 105}, 64, 1))
	require.Equal(t, []int64{0, 40}, tickDurations([]uint64{1<<36 - 10, 10}, 36, 2), "a counter of 36 bits wraps")
	require.Equal(t, []int64{0, 20}, tickDurations([]uint64{^uint64(9), 10}, 64, 1))
	require.Equal(t, []int64{0, 833}, tickDurations([]uint64{5, 15}, 32, 83.333))
}
