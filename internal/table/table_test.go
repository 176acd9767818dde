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
