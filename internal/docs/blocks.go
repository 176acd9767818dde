// Package docs reads the commands and programs of Markdown documents, so that tests
// can run them, and finds exported names without a comment.
package docs

import (
	"fmt"
	"strings"
)

// Block is a fenced block of a Markdown document.
type Block struct {
	// Language is the first word behind the fence: "sh", "go", "text".
	Language string
	// Line is the number of the block's first line, from 1.
	Line int
	Text string
}

// Blocks lists the fenced blocks of a document. An error names a fence without a
// language or without an end, and code that is only indented, which no test would see.
func Blocks(document string) ([]Block, error) {
	var blocks []Block
	var open *Block
	indent, blank := "", true
	for i, line := range strings.Split(document, "\n") {
		text := strings.TrimLeft(line, " ")
		switch {
		case open != nil && text == "```":
			blocks = append(blocks, *open)
			open = nil
		case open != nil:
			open.Text += strings.TrimPrefix(line, indent) + "\n"
		case strings.HasPrefix(text, "```"):
			language, _, _ := strings.Cut(strings.TrimPrefix(text, "```"), " ")
			if language == "" {
				return nil, fmt.Errorf("line %d: a fence without a language", i+1)
			}
			indent = line[:len(line)-len(text)]
			open = &Block{Language: language, Line: i + 2}
		case blank && strings.HasPrefix(line, "    ") && text != "":
			return nil, fmt.Errorf("line %d: indented code; use a fence with a language", i+1)
		}
		blank = text == ""
	}
	if open != nil {
		return nil, fmt.Errorf("line %d: a fence without an end", open.Line-1)
	}
	return blocks, nil
}
