package main

import (
	"fmt"
	"io"
	"os"
	"time"
)

// progress is a line on a terminal that says how far a long command is. Where
// the writer is no terminal it prints nothing.
type progress struct {
	w           io.Writer
	done, total int
	printed     time.Time
}

func newProgress(w io.Writer, total int) *progress {
	p := &progress{total: total}
	if f, ok := w.(*os.File); ok {
		if info, err := f.Stat(); err == nil && info.Mode()&os.ModeCharDevice != 0 {
			p.w = w
		}
	}
	return p
}

// step counts one more piece of work; label says what is being done.
func (p *progress) step(label string) {
	p.done++
	if p.w == nil || time.Since(p.printed) < 100*time.Millisecond {
		return
	}
	p.printed = time.Now()
	fmt.Fprintf(p.w, "\r%d of %d  %s\x1b[K", p.done, p.total, label)
}

// end removes the line.
func (p *progress) end() {
	if p.w != nil {
		fmt.Fprint(p.w, "\r\x1b[K")
	}
}
