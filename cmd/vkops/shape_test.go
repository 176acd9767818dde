package main

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// FuzzShape holds --shape to shapes whose elements can be counted.
func FuzzShape(f *testing.F) {
	for _, s := range []string{"4096x4096", "0", "", "x", "1x", "-1", "+1", "0x10", "1_0", "9223372036854775807x0", "4294967296x4294967296",
		"4611686018427387904x2", "4611686018427387905", "99999999999999999999", "1e3", " 1", strings.Repeat("1x", 100) + "1"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		shape, err := parseShape(s)
		if err != nil {
			return
		}
		n, err := shape.Elements()
		require.NoError(t, err)
		require.GreaterOrEqual(t, n, int64(0))
		require.Len(t, shape, 1+strings.Count(s, "x"))
		for _, d := range shape {
			require.GreaterOrEqual(t, d, 0)
		}
		again, err := parseShape(strings.ReplaceAll(strings.Trim(fmt.Sprint([]int(shape)), "[]"), " ", "x"))
		require.NoError(t, err)
		require.Equal(t, shape, again)
	})
}
