package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"runtime"
	"time"

	"github.com/spf13/cobra"

	"vkops/host"
	"vkops/internal/soak"
)

func (c *cli) soakCommand() *cobra.Command {
	o := soak.Options{}
	var only uint64
	cmd := &cobra.Command{
		Use:   "soak",
		Short: "run random operators for a long time, and watch bits and memory",
		Long: `soak runs random operators, shapes, types and data in many goroutines: from
slices, on tensors, recorded, cancelled half-way, in windows, with little memory,
in runtimes opened for one operator. Every result must have the bits of the CPU
twin, and memory, file handles and threads must not grow after half of the time.

A failure names the job; --seed and --job run it again, alone.`,
		Example: "  vkops soak --for 10m",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if o.For <= 0 || o.Threads < 1 {
				return badInputf("soak: --for %v and --threads %d have to be positive", o.For, o.Threads)
			}
			if !cmd.Flags().Changed("seed") {
				o.Seed = rand.Uint64()
			}
			if cmd.Flags().Changed("job") {
				o.Only = &only
			}
			return c.soak(cmd.Context(), o)
		},
	}
	flags := cmd.Flags()
	flags.DurationVar(&o.For, "for", time.Minute, "how long")
	flags.IntVar(&o.Threads, "threads", max(4, 2*runtime.NumCPU()), "goroutines that run operators")
	flags.Uint64Var(&o.Seed, "seed", 0, "seed of the jobs (default: a random one, which is printed)")
	flags.Uint64Var(&only, "job", 0, "run only the job of this number, over and over")
	return cmd
}

// soakResult is the line of soak with --json.
type soakResult struct {
	Device    string   `json:"device"`
	Seed      uint64   `json:"seed"`
	Seconds   float64  `json:"seconds"`
	Jobs      int64    `json:"jobs"`
	Cancelled int64    `json:"cancelled"`
	Refused   int64    `json:"refused"`
	Values    int64    `json:"values"`
	HalfBytes int64    `json:"resident_halfway"`
	Bytes     int64    `json:"resident_at_end"`
	Files     int      `json:"files_at_end"`
	Failures  []string `json:"failures"`
	OK        bool     `json:"ok"`
}

func (c *cli) soak(ctx context.Context, o soak.Options) error {
	device := ""
	o.Open = func(opts ...host.Option) (*host.Runtime, error) {
		rt, err := c.open(opts...)
		if err == nil && device == "" {
			device = rt.Device().Name
			c.printf("soaking %s for %v in %d goroutines, seed %d\n", device, o.For, o.Threads, o.Seed)
		}
		return rt, err
	}
	o.Pauses = max(time.Second, min(o.For/10, 30*time.Second))
	var bar *progress // from the first report on
	o.Progress = func(r soak.Report) {
		if bar == nil {
			bar = newProgress(c.stderr, int(max(1, o.For.Seconds())))
		}
		if shown(c.stderr) {
			bar.reach(int(r.Elapsed.Seconds()), fmt.Sprintf("%d jobs, %d MiB", r.Jobs, r.Now.Resident>>20))
			return
		}
		fmt.Fprintf(c.stderr, "%v: %d jobs, %d values, %d MiB, %d file handles, %d threads\n",
			r.Elapsed.Round(time.Second), r.Jobs, r.Values, r.Now.Resident>>20, r.Now.Files, r.Now.Threads)
	}
	report, err := soak.Run(ctx, o)
	if bar != nil {
		bar.end()
	}
	if err != nil {
		return fmt.Errorf("soak: %w", err)
	}
	return c.reportSoak(device, o, report)
}

func (c *cli) reportSoak(device string, o soak.Options, r soak.Report) error {
	var failures []string
	for _, f := range r.Failures {
		failures = append(failures, fmt.Sprintf("%s (again: vkops soak --seed %d --job %d)", f.What, o.Seed, f.Job))
	}
	if grown := r.Grown(); grown != "" {
		failures = append(failures, grown)
	}
	if c.json {
		if err := c.printJSON(soakResult{Device: device, Seed: o.Seed, Seconds: r.Elapsed.Seconds(), Jobs: r.Jobs, Cancelled: r.Cancelled,
			Refused: r.Refused, Values: r.Values, HalfBytes: r.Half.Resident, Bytes: r.Now.Resident, Files: r.Now.Files,
			Failures: failures, OK: len(failures) == 0}); err != nil {
			return err
		}
	}
	for _, f := range failures {
		fmt.Fprintf(c.stderr, "vkops: soak: %s\n", f)
	}
	if len(failures) > 0 {
		c.printf("soak: %s, seed %d\n", c.paint(red, "FAILED"), o.Seed)
		return errReported
	}
	c.printf("soak: %d jobs (%d cancelled, %d refused), %d values: %s\n", r.Jobs, r.Cancelled, r.Refused, r.Values, c.paint(green, "every bit is the same"))
	return nil
}
