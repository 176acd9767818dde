// Command generate writes the files made from the table of coefficients. It runs
// in internal/coefficients, as go generate does.
package main

import (
	"fmt"
	"os"

	"vkops/internal/coefficients"
)

func main() {
	for path, text := range coefficients.Files() {
		if err := os.WriteFile("../../"+path, text, 0o644); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
	}
}
