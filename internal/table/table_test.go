package table

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestColumnsAreAligned(t *testing.T) {
	table := New("name", ">bytes", "note")
	table.Row("a", "12345")
	table.Row("\u00e9\u00e9\u00e9\u00e9\u00e9\u00e9", "7", "x", "left out")
	var b strings.Builder
	n, err := table.WriteTo(&b)
	require.NoError(t, err)
	require.Equal(t, strings.Join([]string{
		"name    bytes  note",
		"a       12345",
		"\u00e9\u00e9\u00e9\u00e9\u00e9\u00e9      7  x",
		"",
	}, "\n"), b.String())
	require.EqualValues(t, b.Len(), n)
}

func TestColumnsFindRoomBelow(t *testing.T) {
	table := New("op", ">size", ">time", ">copy")
	table.Row("log1p", "12", "3", "4")
	table.Fit(17, 1)
	var b strings.Builder
	_, err := table.WriteTo(&b)
	require.NoError(t, err)
	require.Equal(t, "op     size  time\nlog1p    12     3\n\nop     copy\nlog1p     4\n", b.String())

	table.Fit(3, 1) // nothing fits: one column beside the key
	b.Reset()
	_, err = table.WriteTo(&b)
	require.NoError(t, err)
	require.Equal(t, 3, strings.Count(b.String(), "log1p"))
}
