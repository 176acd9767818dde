package host

import (
	"fmt"
	"log/slog"

	"vkops/host/plan"
)

// Strategy is a way to walk the tree of sums; every one gives the same bits.
type Strategy = plan.Strategy

// The strategies that [WithStrategy] takes.
const (
	// Auto leaves the choice to the planner.
	Auto = plan.Auto
	// Lane has each lane walk a stretch of its own: for devices that are a CPU.
	Lane = plan.Lane
	// Workgroup has the lanes of a workgroup share each stretch: for GPUs.
	Workgroup = plan.Workgroup
	// LookBack is Workgroup with a single pass over long lines, where the output is
	// not the input.
	LookBack = plan.LookBack
)

// An Option changes how [Open] opens a runtime.
type Option func(*config)

type config struct {
	device        string
	twinFallback  bool
	verify        bool
	verifyDir     string
	logger        *slog.Logger
	cacheDir      string
	budget        int64
	strategy      Strategy
	maxRange      int64
	groupSize     int
	maxSubmission int64
	withoutTuning bool
	// For tests:
	fault      func(call string) error // gpu.Options.Fault
	layer      bool                    // gpu.Options.Validation
	stage      int                     // not 0: go through staging buffers of this size
	importFrom int64                   // not 0: the size from which host memory is imported; negative: never
	partBytes  int64                   // not 0: slices go through the device in parts of this size
	observe    func(event string)      // is told when chunks are uploaded and when results are waited for
}

func newConfig(opts []Option) (config, error) {
	cfg := config{strategy: Auto, logger: slog.New(slog.DiscardHandler), observe: func(string) {}}
	for _, opt := range opts {
		if opt != nil {
			opt(&cfg)
		}
	}
	switch cfg.strategy {
	case Auto, Lane, Workgroup, LookBack:
	default:
		return config{}, fmt.Errorf("%w: strategy %q is not %s, %s, %s or %s", ErrAttribute, cfg.strategy, Auto, Lane, Workgroup, LookBack)
	}
	if cfg.maxRange < 0 || cfg.budget < 0 || cfg.maxSubmission < 0 {
		return config{}, fmt.Errorf("%w: negative limit", ErrAttribute)
	}
	if !isWorkgroupSize(cfg.groupSize) {
		return config{}, fmt.Errorf("%w: workgroup size %d is not a power of two up to 65536", ErrAttribute, cfg.groupSize)
	}
	return cfg, nil
}

// isWorkgroupSize reports whether n is a size, or 0 for none.
func isWorkgroupSize(n int) bool { return n >= 0 && n <= 1<<16 && n&(n-1) == 0 }

// forced reports whether an option is about how the device works, which then has to.
func (c config) forced() bool {
	return c.strategy != Auto || c.maxRange != 0 || c.groupSize != 0 || c.maxSubmission != 0
}

// WithDevice chooses the device. "cpu" (in any case) is the twin, which needs no
// Vulkan at all; digits are an index in the order of [Devices]; anything else is
// part of a name. Without it, or with "", the environment variable VKOPS_DEVICE
// chooses in the same way, and without that the best device there is: discrete
// before integrated before virtual before software.
func WithDevice(selector string) Option { return func(c *config) { c.device = selector } }

// WithTwinFallback opens the twin where no Vulkan device, or none of the chosen
// name, is found. Without it that is an error.
func WithTwinFallback() Option { return func(c *config) { c.twinFallback = true } }

// WithVerification compares every result with the twin, bit for bit, before the
// call returns, and reports a difference as a [MismatchError]. Slices that go through the
// device in parts are compared as a whole. The inputs and both
// outputs are left as .npy files in a new folder under dir, or under the system's
// folder for temporary files if dir is "".
func WithVerification(dir string) Option {
	return func(c *config) { c.verify, c.verifyDir = true, dir }
}

// WithLogger sends what happens to a logger; without it, a runtime is silent.
func WithLogger(l *slog.Logger) Option {
	return func(c *config) {
		if l != nil {
			c.logger = l
		}
	}
}

// WithCacheDir is the folder for compiled pipelines. Without it, the user's
// folder for caches is used.
func WithCacheDir(dir string) Option { return func(c *config) { c.cacheDir = dir } }

// WithMemoryBudget limits the memory for tensors and scratch, in bytes; beyond it
// is [ErrOutOfMemory]. 0 is no limit of ours.
func WithMemoryBudget(bytes int64) Option { return func(c *config) { c.budget = bytes } }

// WithStrategy forces a strategy, and keeps small work on the device.
func WithStrategy(s Strategy) Option { return func(c *config) { c.strategy = s } }

// WithoutTuning ignores what [Tune] found on the device.
func WithoutTuning() Option { return func(c *config) { c.withoutTuning = true } }

// WithMaxRange lowers the size, in bytes, of the part of a buffer that a kernel
// sees at once. It exists for tests: larger tensors go through windows.
func WithMaxRange(bytes int64) Option { return func(c *config) { c.maxRange = bytes } }

// WithWorkgroupSize replaces the planner's workgroup size, by a power of two; a size
// that is too large for a kernel or the device is lowered. 0 leaves it to the planner.
// It exists for tests: the bits do not depend on it.
func WithWorkgroupSize(invocations int) Option {
	return func(c *config) { c.groupSize = invocations }
}

// WithMaxSubmission replaces the bound on the bytes that the kernels of one submission
// to the device move. Longer work is cut into several, so that systems which end
// submissions after about two seconds let slow devices finish. 0 leaves the bound that
// fits the class of the device. The bits do not depend on it.
func WithMaxSubmission(bytes int64) Option { return func(c *config) { c.maxSubmission = bytes } }
