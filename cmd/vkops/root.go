package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"runtime/debug"
	"strings"

	"github.com/spf13/cobra"

	"vkops/host"
)

// Exit codes.
const (
	exitOK       = 0
	exitFailed   = 1 // a mismatch, a failed case, or a device that stopped working
	exitBadInput = 2 // wrong usage or bad input; no device was opened
	exitNoDevice = 3 // no Vulkan device, or none so named
)

// cli is one run of the command line.
type cli struct {
	stdin          io.Reader
	stdout, stderr io.Writer
	device         string
	json           bool
	quiet          bool // nothing for a person goes to the standard output
	started        bool // the flags were understood and a command runs
}

// errReported ends a run whose failures the command has shown itself.
var errReported = errors.New("failures were reported")

// badInput marks an error as exit code 2.
type badInput struct{ error }

func (b badInput) Unwrap() error { return b.error }

func badInputf(format string, args ...any) error { return badInput{fmt.Errorf(format, args...)} }

// execute runs the command line and gives the exit code.
func execute(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	c := &cli{stdin: stdin, stdout: stdout, stderr: stderr}
	root := c.root()
	root.SetArgs(args)
	root.SetOut(stdout)
	root.SetErr(stderr)
	cmd, err := root.ExecuteContextC(ctx)
	code := exitCode(err)
	if err != nil && !c.started {
		code = exitBadInput
		err = fmt.Errorf("%w%s (see '%s --help')", err, meant(root, args), strings.TrimSuffix(cmd.CommandPath(), " help"))
	}
	if err != nil && !errors.Is(err, errReported) {
		fmt.Fprintf(stderr, "%s %v\n", paint(stderr, red, "vkops:"), err)
		if hint := hintOf(cmd, err); hint != "" {
			fmt.Fprintf(stderr, "%s %s\n", paint(stderr, bold, "vkops:"), hint)
		}
	}
	return code
}

func exitCode(err error) int {
	switch {
	case err == nil:
		return exitOK
	case errors.Is(err, host.ErrNoDevice):
		return exitNoDevice
	case errors.As(err, new(badInput)):
		return exitBadInput
	}
	for _, bad := range []error{host.ErrShape, host.ErrAxis, host.ErrType, host.ErrAttribute, host.ErrTarget, host.ErrArity} {
		if errors.Is(err, bad) {
			return exitBadInput
		}
	}
	return exitFailed
}

func (c *cli) root() *cobra.Command {
	root := &cobra.Command{
		Use:     "vkops",
		Version: version(),
		Example: `  vkops devices                                      # what there is
  vkops run cumsum --axis 0 -i x.npy -o y.npy        # an operator on a file
  vkops verify --device 0                            # a device against the CPU`,
		Short: "ONNX operators on Vulkan devices, with the same bits on the CPU",
		Long: `vkops runs the ONNX operators CumSum, LogCumSumExp, Log1p, LogSoftmax,
NegativeLogLikelihoodLoss and SoftmaxCrossEntropyLoss on a Vulkan device, or on
the CPU with the same bits.

Exit codes: 0 all is well; 1 a mismatch or a failed case; 2 wrong usage or bad
input; 3 no Vulkan device, or none so named.`,
		SilenceUsage:       true,
		SilenceErrors:      true,
		DisableSuggestions: true,
		PersistentPreRunE: func(cmd *cobra.Command, _ []string) error {
			err := cmd.ValidateFlagGroups()
			c.started = err == nil
			return err
		},
		RunE: func(cmd *cobra.Command, _ []string) error {
			return badInputf("no command given (see '%s --help')", cmd.CommandPath())
		},
	}
	root.PersistentFlags().StringVar(&c.device, "device", "",
		"`DEVICE`: \"cpu\", an index of 'vkops devices', or part of a name (default: $VKOPS_DEVICE, else the best one)")
	root.PersistentFlags().BoolVar(&c.json, "json", false, "print JSON, and nothing else, on the standard output")
	root.AddCommand(c.devicesCommand(), c.runCommand(), c.testCommand(), c.verifyCommand(), c.benchCommand(), c.infoCommand(), c.soakCommand(), c.tuneCommand())
	_ = root.RegisterFlagCompletionFunc("device", completeDevice)
	completions(root)
	strictHelp(root)
	fitHelp(root, widthOf(c.stdout))
	return root
}

// version is the commit that the command was built from, as far as Go knows it.
func version() string {
	build, ok := debug.ReadBuildInfo()
	if !ok {
		return "unknown"
	}
	text := build.Main.Version
	for _, s := range build.Settings {
		if s.Key == "vcs.revision" {
			text += " " + s.Value
		}
	}
	return text + ", " + build.GoVersion
}

// fitHelp wraps the help on flags to a width. 0 is no limit.
func fitHelp(root *cobra.Command, width int) {
	if width < narrowest {
		return
	}
	usages := strings.NewReplacer("Flags.FlagUsages", fmt.Sprintf("Flags.FlagUsagesWrapped %d", width))
	root.SetUsageTemplate(usages.Replace(root.UsageTemplate()))
}

// printJSON prints one value on a line of its own.
func (c *cli) printJSON(v any) error { return json.NewEncoder(c.stdout).Encode(v) }

// printf prints for a person; with --json, or where the standard output takes a
// result, it prints nothing.
func (c *cli) printf(format string, args ...any) {
	if !c.json && !c.quiet {
		fmt.Fprintf(c.stdout, format, args...)
	}
}
