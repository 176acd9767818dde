package main

import (
	"io"
	"os"
	"strings"
	"unicode/utf8"

	"golang.org/x/term"
)

// isTerminal reports whether a person sees what is written.
func isTerminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

// isDumb reports whether the terminal can only print.
func isDumb() bool { return os.Getenv("TERM") == "dumb" }

// widthOf is the number of columns of a terminal; 0 is no limit.
func widthOf(w io.Writer) int {
	if !isTerminal(w) {
		return 0
	}
	width, _, err := term.GetSize(int(w.(*os.File).Fd()))
	if err != nil {
		return 0
	}
	return width
}

// colour is a colour of a word that a person should find.
type colour string

const (
	red   colour = "\x1b[31m"
	green colour = "\x1b[32m"
	bold  colour = "\x1b[1m"
)

// paint colours text where it goes to a terminal that wants it (https://no-color.org).
func paint(w io.Writer, how colour, text string) string {
	if !isTerminal(w) || os.Getenv("NO_COLOR") != "" || isDumb() {
		return text
	}
	return string(how) + text + "\x1b[0m"
}

// paint colours text for the standard output.
func (c *cli) paint(how colour, text string) string { return paint(c.stdout, how, text) }

// narrowest is the least width that text is wrapped to; below it the terminal breaks lines.
const narrowest = 40

// wrapped breaks each line at spaces so that it fits the width, and indents what
// follows in it by so many spaces. A width of 0 is no limit.
func wrapped(text string, width, indent int) string {
	if width < narrowest {
		return text
	}
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		lines[i] = wrappedLine(line, width, indent)
	}
	return strings.Join(lines, "\n")
}

func wrappedLine(line string, width, indent int) string {
	if utf8.RuneCountInString(line) <= width {
		return line
	}
	var b strings.Builder
	used := 0
	for i, word := range strings.Split(line, " ") { // spaces in a row stay
		length := utf8.RuneCountInString(word)
		switch {
		case i == 0:
		case used+1+length > width && used > indent:
			b.WriteString("\n" + strings.Repeat(" ", indent))
			used = indent
		default:
			b.WriteByte(' ')
			used++
		}
		b.WriteString(word)
		used += length
	}
	return b.String()
}
