package main

import (
	"fmt"
	"slices"
	"strings"

	"vkops/host"
	"vkops/internal/table"
	"vkops/internal/workload"
)

// benchResult is a line of bench with --json. Times are nanoseconds, null where
// they were not measured.
type benchResult struct {
	Op       string         `json:"op"`
	DType    string         `json:"dtype"`
	Shape    []int          `json:"shape"`
	Attrs    map[string]any `json:"attrs"`
	Inputs   []string       `json:"inputs"`
	Device   string         `json:"device"`
	Strategy string         `json:"strategy"` // "twin" on the CPU
	Kernel   *int64         `json:"kernel_ns"`
	Resident *int64         `json:"resident_ns"`
	EndToEnd *int64         `json:"end_to_end_ns"`
	Copy     *int64         `json:"copy_ns"`
	Memcpy   *int64         `json:"memcpy_ns"`
	Cpuref   *int64         `json:"cpuref_ns"`
	Empty    *int64         `json:"empty_ns"` // an empty submission and its wait
	Plain    *int64         `json:"plain_ns"` // a plain Go loop on one core
	Bytes    int64          `json:"bytes"`    // read and written at least
	Rounds   int            `json:"rounds"`   // runs behind each median
	// SlicesOnTwin says that end_to_end_ns is the twin's, because the work is small
	// and no device was named.
	SlicesOnTwin bool           `json:"slices_on_twin"`
	Aims         *workload.Aims `json:"aims,omitempty"`
	// Peers are the times of other libraries, which bench/peers.py adds.
	Peers map[string]*int64 `json:"peers,omitempty"`
}

func (r *benchResult) add(m host.Measurement) {
	r.Kernel, r.Resident, r.EndToEnd = known(m.KernelNs), known(m.ResidentNs), known(m.EndToEndNs)
	r.Copy, r.Memcpy, r.Cpuref, r.Empty = known(m.CopyNs), known(m.MemcpyNs), known(m.CpurefNs), known(m.EmptyNs)
	r.Plain = known(m.Others[timePlain])
	r.Bytes, r.Rounds = m.Bytes, m.Rounds
}

// known is nil for a time that was not measured.
func known(ns int64) *int64 {
	if ns == 0 {
		return nil
	}
	return &ns
}

// benchTable prints the columns that have a value.
func (c *cli) benchTable(results []benchResult) error {
	columns := []struct {
		name string
		cell func(r benchResult) string
	}{
		{"operator", func(r benchResult) string { return r.title() }},
		{"type", func(r benchResult) string { return r.DType }},
		{"shape", func(r benchResult) string {
			return joined(r.Shape)
		}},
		{"strategy", func(r benchResult) string { return r.Strategy }},
		{">kernel", func(r benchResult) string { return duration(r.Kernel) }},
		{">resident", func(r benchResult) string { return duration(r.Resident) }},
		{">of copy", func(r benchResult) string { return ratio(r.Resident, r.Copy) }},
		{">end to end", func(r benchResult) string { return duration(r.EndToEnd) }},
		{">copy", func(r benchResult) string { return duration(r.Copy) }},
		{">memcpy", func(r benchResult) string { return duration(r.Memcpy) }},
		{">twin", func(r benchResult) string { return duration(r.Cpuref) }},
		{">plain loop", func(r benchResult) string { return duration(r.Plain) }},
		{">empty", func(r benchResult) string { return duration(r.Empty) }},
	}
	var names []string
	cells := make([][]string, len(results))
	for _, column := range columns {
		var values []string
		for _, r := range results {
			values = append(values, column.cell(r))
		}
		if !slices.ContainsFunc(values, func(v string) bool { return v != "-" }) {
			continue
		}
		names = append(names, column.name)
		for i, v := range values {
			cells[i] = append(cells[i], v)
		}
	}
	t := table.New(names...)
	for _, row := range cells {
		t.Row(row...)
	}
	t.Fit(widthOf(c.stdout), 3)
	var devices []string
	for _, r := range results {
		if !slices.Contains(devices, r.Device) {
			devices = append(devices, r.Device)
		}
	}
	c.printf("on %s; medians\n", strings.Join(devices, "; "))
	_, err := t.WriteTo(c.stdout)
	return err
}

// ratio prints a time as a multiple of another, "-" if one is unknown.
func ratio(ns, of *int64) string {
	if ns == nil || of == nil {
		return "-"
	}
	return fmt.Sprintf("%.2fx", float64(*ns)/float64(*of))
}
