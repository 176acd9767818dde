//go:build linux

package resident

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// keep holds what the leaking function under test never gives back.
var keep [][]byte

func touched(bytes int) []byte {
	b := make([]byte, bytes)
	for i := range b {
		b[i] = 1
	}
	return b
}

func TestGrowthSeesALeak(t *testing.T) {
	defer func() { keep = nil }()
	median, each, err := Growth(1<<19, func() { keep = append(keep, touched(1<<20)) })
	require.NoError(t, err)
	assert.Len(t, each, most)
	assert.InDelta(t, 1<<20, median, 1<<18, "each time %d", each)
}

func TestGrowthWaitsForTheWarmUp(t *testing.T) {
	defer func() { keep = nil }()
	calls := 0
	median, each, err := Growth(1<<20, func() {
		if calls++; calls < 12 || calls == 13 {
			keep = append(keep, touched(16<<20))
		}
	})
	require.NoError(t, err)
	assert.Less(t, median, int64(1<<20), "each time %d", each)
}
