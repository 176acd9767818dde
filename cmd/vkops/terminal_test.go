package main

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestWrapped(t *testing.T) {
	text := "   features         float64 int64 int16 storage16 timestamps unified"
	require.Equal(t, "   features         float64 int64 int16\n                    storage16 timestamps\n                    unified", wrapped(text, 40, 20))
	require.Equal(t, text, wrapped(text, 0, 20), "no terminal, no limit")
	require.Equal(t, text, wrapped(text, 30, 20), "nothing fits so narrow a terminal")
	require.Equal(t, "short\n"+text[:40], wrapped("short\n"+text[:40], 40, 4))
	long := "a/path/without/any/space/that/is/longer/than/the/line.npy"
	require.Equal(t, long+"\n  end", wrapped(long+" end", 40, 2), "words stay whole")
}

// The line of a bar fits every terminal from 50 columns on.
func TestBarsFit(t *testing.T) {
	for columns := 50; columns < 300; columns++ {
		label, bar := barLayout(columns)
		require.LessOrEqual(t, label+bar+42, columns-1, "%d columns", columns)
		require.GreaterOrEqual(t, bar, 3)
	}
	label, bar := barLayout(200)
	require.Equal(t, []int{32, 20}, []int{label, bar})
}

// What goes to a file or a pipe has neither colours nor bars.
func TestNoTerminalNoColours(t *testing.T) {
	var out bytes.Buffer
	require.Equal(t, "text", paint(&out, red, "text"))
	bar := newProgress(&out, 3)
	bar.step("one")
	bar.reach(3, "three")
	bar.end()
	require.Empty(t, out.String())
	require.False(t, shown(&out))
	require.Zero(t, widthOf(&out))
}

func TestLists(t *testing.T) {
	require.Equal(t, "a, b; no c, no d", yesNo([]string{"a", "b", "c", "d"}, map[string]bool{"a": true, "b": true}))
	require.Equal(t, "no a", yesNo([]string{"a"}, nil))
	require.Equal(t, "a", yesNo([]string{"a"}, map[string]bool{"a": true}))
}
