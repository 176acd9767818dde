package main

import (
	"io"
	"os"

	"golang.org/x/term"
)

// isTerminal reports whether a person sees what is written.
func isTerminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

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
func (c *cli) paint(how colour, text string) string {
	if !isTerminal(c.stdout) || os.Getenv("NO_COLOR") != "" || os.Getenv("TERM") == "dumb" {
		return text
	}
	return string(how) + text + "\x1b[0m"
}
