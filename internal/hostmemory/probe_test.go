package hostmemory

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestProbe(t *testing.T) {
	for _, n := range []int64{0, 1, probeFrom - 1, probeFrom} {
		assert.NoError(t, Probe(n), n)
	}
	for _, n := range []int64{1<<46 + 1, math.MaxInt64} {
		assert.ErrorIs(t, Probe(n), ErrOut, n)
	}
}
