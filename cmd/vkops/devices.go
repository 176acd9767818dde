package main

import (
	"encoding/hex"
	"fmt"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"vkops/gpu"
	"vkops/host"
)

func (c *cli) devicesCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "devices",
		Short: "list the Vulkan devices, and what their arithmetic was found to do",
		Long: `devices opens every Vulkan device, or the one of --device, and shows its limits,
its features and the outcome of the checks that equal bits rest on. The device
used where none is named is marked as the default.`,
		Example: `  vkops devices
  vkops devices --device 0 --json`,
		Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error { return c.devices() },
	}
}

// device is one device of devices, and its JSON.
type device struct {
	Index        int                      `json:"index"` // -1 for the twin
	Name         string                   `json:"name"`
	Type         string                   `json:"type"`
	Vulkan       bool                     `json:"vulkan"`
	API          string                   `json:"api"`
	Driver       string                   `json:"driver"`
	VendorID     uint32                   `json:"vendor_id"`
	DeviceID     uint32                   `json:"device_id"`
	UUID         string                   `json:"uuid"`
	Default      bool                     `json:"default"`
	Subgroup     map[string]any           `json:"subgroup"`
	Limits       map[string]uint64        `json:"limits"`
	Features     map[string]bool          `json:"features"`
	FloatControl map[string]floatControls `json:"float_controls"`
	Trusted      bool                     `json:"trusted"`
	Litmus       []litmus                 `json:"litmus"`
	Error        string                   `json:"error,omitempty"` // why it could not be opened
}

type litmus struct {
	Name     string `json:"name"`
	Found    string `json:"found"`
	Pass     bool   `json:"pass"`
	Required bool   `json:"required"`
}

type floatControls struct {
	RoundToNearestEven bool `json:"round_to_nearest_even"`
	PreserveSpecials   bool `json:"preserve_specials"`
	PreserveSubnormals bool `json:"preserve_subnormals"`
}

// devices shows all devices, or the chosen one.
func (c *cli) devices() error {
	chosen, err := c.inspect(c.device)
	if err != nil && c.device != "" {
		return err
	}
	var list []device
	if c.device != "" {
		list = []device{describe(chosen)}
	} else {
		infos, listErr := host.Devices()
		if listErr != nil {
			return listErr
		}
		if err != nil {
			fmt.Fprintf(c.stderr, "vkops: there is no default: %v\n", err)
		}
		for _, info := range infos {
			opened, openErr := c.inspect(strconv.Itoa(info.Index))
			if openErr != nil {
				opened = info
			}
			d := describe(opened)
			d.Default = err == nil && !chosen.Twin && info.Index == chosen.Index
			if openErr != nil {
				d.Error = openErr.Error()
			}
			list = append(list, d)
		}
	}
	if c.json {
		return c.printJSON(list)
	}
	for _, d := range list {
		if _, err := fmt.Fprint(c.stdout, c.headline(d)+d.text(widthOf(c.stdout))); err != nil {
			return err
		}
	}
	if c.device == "" {
		c.printf("%s\n   on every machine: the twin in Go, with the same bits (--device cpu)\n", c.paint(bold, "cpu"))
	}
	return nil
}

// inspect opens a device, which runs the litmus, and closes it.
func (c *cli) inspect(selector string) (host.DeviceInfo, error) {
	rt, err := (&cli{stderr: c.stderr, device: selector}).open()
	if err != nil {
		return host.DeviceInfo{}, err
	}
	return rt.Device(), rt.Close()
}

func describe(info host.DeviceInfo) device {
	caps := info.Caps
	d := device{
		Index: info.Index, Name: info.Name, Type: info.Type.String(), Vulkan: !info.Twin,
		API: info.API, Driver: info.Driver, VendorID: info.VendorID, DeviceID: info.DeviceID,
		UUID: hex.EncodeToString(info.UUID[:]), Trusted: info.Trusted(), Litmus: []litmus{},
		Subgroup: map[string]any{
			"size": caps.SubgroupSize, "min": caps.MinSubgroupSize, "max": caps.MaxSubgroupSize, "control": caps.SubgroupSizeControl,
		},
		Limits: map[string]uint64{
			"storage_buffer_range": caps.MaxRange, "offset_alignment": caps.OffsetAlignment,
			"allocation": caps.MaxAllocation, "buffer": caps.MaxBuffer,
			"shared_memory": uint64(caps.SharedMemory), "invocations": uint64(caps.MaxInvocations),
			"workgroups_x": uint64(caps.MaxGroups[0]), "push_constants": uint64(caps.MaxPush),
		},
		Features: map[string]bool{
			"float64": caps.Float64, "int64": caps.Int64, "int16": caps.Int16, "storage16": caps.Storage16,
			"timestamps": caps.TimestampBits > 0, "unified_memory": caps.Unified,
		},
		FloatControl: map[string]floatControls{
			"float16": controlsOf(caps.Float16Controls),
			"float32": controlsOf(caps.Float32Controls),
			"float64": controlsOf(caps.Float64Controls),
		},
	}
	for _, check := range info.Litmus {
		d.Litmus = append(d.Litmus, litmus{check.Name, check.Found, check.Pass, check.Required})
	}
	return d
}

func controlsOf(c gpu.FloatControls) floatControls {
	return floatControls{c.RoundTiesToEven, c.PreserveSpecials, c.PreserveDenormals}
}

// headline is a device's name, and whether it may be trusted.
func (c *cli) headline(d device) string {
	name := d.Name
	if d.Vulkan {
		name = fmt.Sprintf("%d: %s", d.Index, name)
	}
	line := c.paint(bold, name)
	if d.Default {
		line += "  (default)"
	}
	if d.Vulkan && d.Error == "" && !d.Trusted {
		line += "  " + c.paint(red, "NOT TRUSTED: results may differ from the twin's")
	}
	return line + "\n"
}

// text is what is to be known about the device, a line for each, broken to fit a width.
func (d device) text(width int) string {
	var b strings.Builder
	line := func(label, format string, args ...any) {
		text := fmt.Sprintf("   %-16s %s", label, fmt.Sprintf(format, args...))
		fmt.Fprintln(&b, wrapped(text, width, 20))
	}
	if !d.Vulkan {
		line("driver", "%s", d.Driver)
		return b.String()
	}
	line("type", "%s", d.Type)
	line("driver", "%s, Vulkan %s", d.Driver, d.API)
	if d.Error != "" {
		line("unusable", "%s", d.Error)
		return b.String()
	}
	line("subgroup", "%v lanes (%v to %v)", d.Subgroup["size"], d.Subgroup["min"], d.Subgroup["max"])
	line("limits", "buffer range %s, allocation %s, shared memory %s, %d invocations, %d workgroups",
		size(d.Limits["storage_buffer_range"]), size(d.Limits["allocation"]), size(d.Limits["shared_memory"]),
		d.Limits["invocations"], d.Limits["workgroups_x"])
	line("features", "%s", yesNo([]string{"float64", "int64", "int16", "storage16", "timestamps", "unified_memory"}, d.Features))
	for _, width := range []string{"float16", "float32", "float64"} {
		controls := d.FloatControl[width]
		line(width+" controls", "%s", yesNo([]string{"rounding to nearest even", "keeping specials", "keeping subnormals"}, map[string]bool{
			"rounding to nearest even": controls.RoundToNearestEven,
			"keeping specials":         controls.PreserveSpecials,
			"keeping subnormals":       controls.PreserveSubnormals,
		}))
	}
	for _, width := range []string{"float32", "float64"} {
		if found := d.litmusOf(width); found != "" {
			line(width+" litmus", "%s", found)
		}
	}
	return b.String()
}

// litmusOf lists what was found about one width: "keeps the sign of zero, ...".
func (d device) litmusOf(width string) string {
	var parts []string
	for _, check := range d.Litmus {
		name, ok := strings.CutPrefix(check.Name, width+" ")
		if !ok {
			continue
		}
		found := name
		if check.Found != "yes" {
			found += ": " + check.Found
		}
		if !check.Pass && check.Required {
			found += " (FAILED)"
		}
		parts = append(parts, found)
	}
	return strings.Join(parts, ", ")
}

// yesNo lists the names that have a value, and behind them those that have none:
// "float64, int64; no int16".
func yesNo(names []string, values map[string]bool) string {
	var yes, no []string
	for _, name := range names {
		if values[name] {
			yes = append(yes, name)
		} else {
			no = append(no, name)
		}
	}
	parts := []string{strings.Join(yes, ", ")}
	if len(yes) == 0 {
		parts = nil
	}
	if len(no) > 0 {
		parts = append(parts, "no "+strings.Join(no, ", no "))
	}
	return strings.Join(parts, "; ")
}

// size prints a number of bytes in the largest binary unit that fits.
func size(bytes uint64) string {
	for _, unit := range []struct {
		shift uint
		name  string
	}{{30, "GiB"}, {20, "MiB"}, {10, "KiB"}} {
		one := uint64(1) << unit.shift
		switch {
		case bytes < one:
		case bytes%one == 0:
			return fmt.Sprintf("%d %s", bytes/one, unit.name)
		default:
			return fmt.Sprintf("%.1f %s", float64(bytes)/float64(one), unit.name)
		}
	}
	return fmt.Sprintf("%d B", bytes)
}
