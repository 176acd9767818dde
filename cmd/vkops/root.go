package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"

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
		err = fmt.Errorf("%w%s (see '%s --help')", err, meant(root, args), cmd.CommandPath())
	}
	if err != nil && !errors.Is(err, errReported) {
		fmt.Fprintf(stderr, "vkops: %v\n", err)
		if code == exitNoDevice {
			fmt.Fprintln(stderr, "vkops: --device cpu needs none: it computes on the CPU, with the same bits")
		}
	}
	return code
}

// meant asks for the command that an unknown one was perhaps meant to be.
func meant(root *cobra.Command, args []string) string {
	if len(args) == 0 {
		return ""
	}
	if known, _, err := root.Find(args[:1]); err == nil && known != root {
		return "" // the command is right, its flags are not
	}
	root.SuggestionsMinimumDistance = 2
	if near := root.SuggestionsFor(args[0]); len(near) > 0 {
		return fmt.Sprintf("; did you mean %s?", near[0])
	}
	return ""
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
		Use:   "vkops",
		Short: "ONNX operators on Vulkan devices, with the same bits on the CPU",
		Long: `vkops runs the ONNX operators CumSum, LogCumSumExp, Log1p and
NegativeLogLikelihoodLoss on a Vulkan device, or on the CPU with the same bits.

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
		CompletionOptions: cobra.CompletionOptions{HiddenDefaultCmd: true},
		RunE: func(cmd *cobra.Command, _ []string) error {
			return badInputf("no command given (see '%s --help')", cmd.CommandPath())
		},
	}
	root.PersistentFlags().StringVar(&c.device, "device", "",
		`device: "cpu", an index of 'vkops devices', or part of a name (default: $VKOPS_DEVICE, else the best one)`)
	root.PersistentFlags().BoolVar(&c.json, "json", false, "print JSON, and nothing else, on the standard output")
	root.AddCommand(c.devicesCommand(), c.runCommand(), c.testCommand(), c.verifyCommand(), c.benchCommand(), c.infoCommand(), c.soakCommand(), c.tuneCommand())
	_ = root.RegisterFlagCompletionFunc("device", completeDevice)
	completions(root)
	return root
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
