package heap

import (
	"testing"

	"github.com/stretchr/testify/require"
)

var kept []byte

func TestWhatIsTakenIsSeen(t *testing.T) {
	runs := 0
	take := func(n int) func() { return func() { runs++; kept = make([]byte, n) } }
	require.GreaterOrEqual(t, Allocated(1<<20, take(8<<20)), uint64(8<<20))
	require.Equal(t, 5, runs, "measured again")
	require.Less(t, Allocated(4<<20, take(1<<10)), uint64(4<<20))
}
