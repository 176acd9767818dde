// Package table prints rows of text as aligned columns.
package table

import (
	"io"
	"strings"
	"unicode/utf8"
)

// Table collects rows. Columns whose name starts with '>' are aligned to the
// right; the '>' is not printed.
type Table struct {
	rows  [][]string
	right []bool
}

// New starts a table with these column names.
func New(columns ...string) *Table {
	t := &Table{right: make([]bool, len(columns))}
	head := make([]string, len(columns))
	for i, c := range columns {
		head[i], t.right[i] = strings.CutPrefix(c, ">")
	}
	t.rows = append(t.rows, head)
	return t
}

// Row adds a row; missing cells are empty, surplus ones are left out.
func (t *Table) Row(cells ...string) {
	row := make([]string, len(t.right))
	copy(row, cells)
	t.rows = append(t.rows, row)
}

// WriteTo prints the table with two spaces between columns.
func (t *Table) WriteTo(w io.Writer) (int64, error) {
	widths := make([]int, len(t.right))
	for _, row := range t.rows {
		for i, cell := range row {
			widths[i] = max(widths[i], utf8.RuneCountInString(cell))
		}
	}
	var b strings.Builder
	for _, row := range t.rows {
		var line strings.Builder
		for i, cell := range row {
			pad := strings.Repeat(" ", widths[i]-utf8.RuneCountInString(cell))
			if i > 0 {
				line.WriteString("  ")
			}
			if t.right[i] {
				line.WriteString(pad + cell)
			} else {
				line.WriteString(cell + pad)
			}
		}
		b.WriteString(strings.TrimRight(line.String(), " ") + "\n")
	}
	n, err := io.WriteString(w, b.String())
	return int64(n), err
}
