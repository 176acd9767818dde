package main

import (
	"fmt"
	"strconv"
	"strings"

	"vkops/tensor"
)

// parseShape reads "4096x4096".
func parseShape(s string) (tensor.Shape, error) {
	parts := strings.Split(s, "x")
	shape := make(tensor.Shape, len(parts))
	for i, part := range parts {
		d, err := strconv.ParseUint(part, 10, 63)
		if err != nil || d > 1<<62 {
			return nil, fmt.Errorf("shape %q is not of the form 4096x4096; commas separate shapes", s)
		}
		shape[i] = int(d)
	}
	if _, err := shape.Elements(); err != nil {
		return nil, err
	}
	return shape, nil
}

// joined writes a shape as parseShape reads it.
func joined(shape []int) string {
	parts := make([]string, len(shape))
	for i, d := range shape {
		parts[i] = strconv.Itoa(d)
	}
	return strings.Join(parts, "x")
}
