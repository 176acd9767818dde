package main

import (
	"fmt"
	"io"
	"time"

	"github.com/schollz/progressbar/v3"
)

// progress shows on a terminal how far a long command is, and when it will be done.
// Where the writer is no terminal, or one that cannot rewrite a line, it prints nothing.
type progress struct {
	bar   *progressbar.ProgressBar
	label int // columns of the label
	done  int
}

func newProgress(w io.Writer, total int) *progress {
	label, width := barLayout(widthOf(w))
	return &progress{label: label, bar: progressbar.NewOptions(total,
		progressbar.OptionSetWriter(w),
		progressbar.OptionSetVisibility(shown(w)),
		progressbar.OptionThrottle(100*time.Millisecond),
		progressbar.OptionSetWidth(width),
		progressbar.OptionShowCount(),
		progressbar.OptionClearOnFinish(),
		progressbar.OptionSetRenderBlankState(true),
	)}
}

// barLayout gives the columns of label and bar that make a line fit a terminal: beside
// them stand at most 42 characters, the percentage, the count and the two times.
func barLayout(columns int) (label, bar int) {
	const beside, longestLabel, longestBar = 42, 32, 20
	left := max(0, columns-1-beside)
	bar = min(longestBar, max(3, left/3))
	return min(longestLabel, max(0, left-bar)), bar
}

// shown reports whether anybody sees the line.
func shown(w io.Writer) bool { return isTerminal(w) && !isDumb() }

// step counts one more piece of work; label says what is being done.
func (p *progress) step(label string) { p.reach(p.done+1, label) }

// reach says that so many pieces are done.
func (p *progress) reach(done int, label string) {
	p.done = min(done, p.bar.GetMax())
	if r := []rune(label); len(r) > p.label {
		label = string(r[:p.label])
	}
	p.bar.Describe(fmt.Sprintf("%-*s", p.label, label)) // padded, so that the bar stands still
	_ = p.bar.Set(p.done)                               // fails only beyond the total
}

// end removes the line.
func (p *progress) end() { _ = p.bar.Finish() }
