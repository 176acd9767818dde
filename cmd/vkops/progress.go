package main

import (
	"io"
	"time"

	"github.com/schollz/progressbar/v3"
)

// progress shows on a terminal how far a long command is, and when it will be done.
// Where the writer is no terminal it prints nothing.
type progress struct{ bar *progressbar.ProgressBar }

func newProgress(w io.Writer, total int) *progress {
	return &progress{progressbar.NewOptions(total,
		progressbar.OptionSetWriter(w),
		progressbar.OptionSetVisibility(isTerminal(w)),
		progressbar.OptionThrottle(100*time.Millisecond),
		progressbar.OptionSetWidth(20),
		progressbar.OptionShowCount(),
		progressbar.OptionClearOnFinish(),
		progressbar.OptionSetRenderBlankState(true),
	)}
}

// longestLabel keeps the line within a narrow terminal.
const longestLabel = 32

// step counts one more piece of work; label says what is being done.
func (p *progress) step(label string) {
	if r := []rune(label); len(r) > longestLabel {
		label = string(r[:longestLabel])
	}
	p.bar.Describe(label)
	_ = p.bar.Add(1) // fails only beyond the total
}

// end removes the line.
func (p *progress) end() { _ = p.bar.Finish() }
