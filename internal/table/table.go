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
	rows        [][]string
	right       []bool
	width, keys int
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

// Fit makes the table fit lines of so many characters: columns that find no room
// follow in a second table, with the first columns, of which there are keys, again.
// A width of 0 is no limit.
func (t *Table) Fit(width, keys int) { t.width, t.keys = width, keys }

// WriteTo prints the table with two spaces between columns.
func (t *Table) WriteTo(w io.Writer) (int64, error) {
	widths := make([]int, len(t.right))
	for _, row := range t.rows {
		for i, cell := range row {
			widths[i] = max(widths[i], utf8.RuneCountInString(cell))
		}
	}
	var b strings.Builder
	for i, columns := range t.parts(widths) {
		if i > 0 {
			b.WriteByte('\n')
		}
		t.write(&b, columns, widths)
	}
	n, err := io.WriteString(w, b.String())
	return int64(n), err
}

// parts are the columns of each table that fits.
func (t *Table) parts(widths []int) [][]int {
	var parts [][]int
	var part []int
	used := 0
	for column, width := range widths {
		if t.width > 0 && used+width > t.width && len(part) > t.keys {
			parts = append(parts, part)
			part, used = nil, 0
			for key := range t.keys {
				part = append(part, key)
				used += widths[key] + len(gap)
			}
		}
		part = append(part, column)
		used += width + len(gap)
	}
	return append(parts, part)
}

const gap = "  "

func (t *Table) write(b *strings.Builder, columns, widths []int) {
	for _, row := range t.rows {
		var line strings.Builder
		for at, i := range columns {
			if at > 0 {
				line.WriteString(gap)
			}
			pad := strings.Repeat(" ", widths[i]-utf8.RuneCountInString(row[i]))
			if t.right[i] {
				line.WriteString(pad + row[i])
			} else {
				line.WriteString(row[i] + pad)
			}
		}
		b.WriteString(strings.TrimRight(line.String(), " ") + "\n")
	}
}
