package main

import (
	"context"

	"github.com/spf13/cobra"

	"vkops/host"
)

func (c *cli) tuneCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "tune",
		Short: "find the fastest parameters of the kernels on a device, and keep them",
		Long: `tune times kernels with different sizes of workgroups and stretches, for a few
seconds, and keeps what was fastest in the folder of the pipeline cache. Runtimes
opened later on the same device and driver use it. Results never change, only
times do; delete the file to undo it.`,
		Example: `  vkops tune
  vkops tune --device swiftshader --json`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return c.tune(cmd.Context()) },
	}
}

// tuneResult is the line of tune with --json.
type tuneResult struct {
	Device string `json:"device"`
	Driver string `json:"driver"`
	host.Tuning
	Path string `json:"path"`
}

func (c *cli) tune(ctx context.Context) error {
	rt, err := c.open()
	if err != nil {
		return err
	}
	defer rt.Close()
	if !rt.Device().Twin { // else it says why not
		c.printf("tuning %s, for some seconds\n", rt.Device().Name)
	}
	t, path, err := host.Tune(ctx, rt)
	if err != nil {
		return err
	}
	if c.json {
		return c.printJSON(tuneResult{rt.Device().Name, rt.Device().Driver, t, path})
	}
	chosen := func(n int64) any {
		if n == 0 {
			return "the planner's choice"
		}
		return n
	}
	c.printf("workgroup size: %v\nstretch: %v\n%.2f times as fast as before\n",
		chosen(int64(t.WorkgroupSize)), chosen(t.Stretch), t.Gain)
	if path != "" {
		c.printf("kept in %s\n", path)
	}
	return nil
}
