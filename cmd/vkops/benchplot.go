package main

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"vkops/internal/chart"
	"vkops/internal/wholefile"
)

// plotFile draws results that were printed with --json.
func (c *cli) plotFile(from, path string) error {
	if path == "" {
		return badInputf("bench: --from draws, so it needs --plot FILE.svg")
	}
	if err := checkPlot(path); err != nil {
		return badInput{err}
	}
	data, err := c.readAll(from)
	if err != nil {
		return badInput{err}
	}
	var results []benchResult
	lines := json.NewDecoder(bytes.NewReader(data))
	for {
		var r benchResult
		err := lines.Decode(&r)
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return badInputf("%s: not the output of 'vkops bench --json': %w", from, err)
		}
		results = append(results, r)
	}
	return plotResults(path, results)
}

// checkPlot refuses a name before anything is measured for it.
func checkPlot(path string) error {
	if !strings.EqualFold(filepath.Ext(path), ".svg") {
		return fmt.Errorf("bench: --plot %s does not end in .svg, the one form that is drawn", path)
	}
	if _, err := os.Stat(filepath.Dir(path)); err != nil {
		return noFolder(path, err)
	}
	return nil
}

// plotResults draws a row for each operator, type and device.
func plotResults(path string, results []benchResult) error {
	var groups []chart.Group
	for _, some := range grouped(results) {
		groups = append(groups, chart.Group{Title: some[0].group(), Series: series(some)})
	}
	err := wholefile.Write(path, func(w io.Writer) error { return chart.Write(w, groups) })
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return nil
}

// group is what the results of one row have in common.
func (r benchResult) group() string { return fmt.Sprintf("%s %s on %s", r.title(), r.DType, r.Device) }

// title is the operator with the attributes that are not at their default.
func (r benchResult) title() string {
	parts := []string{r.Op}
	for _, name := range slices.Sorted(maps.Keys(r.Attrs)) {
		switch value := r.Attrs[name]; value {
		case false:
		case true:
			parts = append(parts, name)
		default:
			parts = append(parts, fmt.Sprintf("%s=%v", name, value))
		}
	}
	return strings.Join(parts, " ")
}

// grouped puts results that belong together next to each other, in the order of
// their first, from the smallest to the largest.
func grouped(results []benchResult) [][]benchResult {
	var groups [][]benchResult
	at := map[string]int{}
	for _, r := range results {
		i, there := at[r.group()]
		if !there {
			i = len(groups)
			at[r.group()] = i
			groups = append(groups, nil)
		}
		groups[i] = append(groups[i], r)
	}
	for _, g := range groups {
		slices.SortStableFunc(g, func(a, b benchResult) int { return cmp.Compare(a.elements(), b.elements()) })
	}
	return groups
}

// elements is the size of the first input.
func (r benchResult) elements() int64 {
	n := int64(1)
	for _, d := range r.Shape {
		n *= int64(d)
	}
	return n
}

// series are the lines of a row: ours, by strategy if a size has several, and what it
// is compared with.
func series(results []benchResult) []chart.Series {
	several := false
	for i := 1; i < len(results); i++ {
		several = several || results[i].elements() == results[i-1].elements() && results[i].Strategy != results[i-1].Strategy
	}
	var list []chart.Series
	add := func(name string, r benchResult, ns *int64) {
		if ns == nil {
			return
		}
		i := slices.IndexFunc(list, func(s chart.Series) bool { return s.Name == name })
		if i < 0 {
			i = len(list)
			list = append(list, chart.Series{Name: name})
		}
		list[i].Points = append(list[i].Points, chart.Point{Elements: r.elements(), Bytes: r.Bytes, Seconds: float64(*ns) / 1e9})
	}
	for _, r := range results {
		ours := "vkops"
		if several {
			ours += ", " + r.Strategy
		}
		add(ours, r, r.Resident)
		add("copy", r, r.Copy)
		add("twin", r, r.Cpuref)
		add("plain Go loop", r, r.Plain)
		for _, peer := range slices.Sorted(maps.Keys(r.Peers)) {
			add(peer, r, r.Peers[peer])
		}
	}
	return list
}

// readAll reads a file, or the standard input for "-".
func (c *cli) readAll(path string) ([]byte, error) {
	if path == "-" {
		return io.ReadAll(c.stdin)
	}
	return os.ReadFile(path)
}
