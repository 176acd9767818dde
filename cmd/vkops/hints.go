package main

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"vkops/host"
	"vkops/onnx"
)

// hints say what to do next about an error; the first that matches is printed below it.
// Those on files are for run only.
var hints = []struct {
	kind  error
	files bool
	hint  string
}{
	{host.ErrNoDevice, false, "--device cpu needs none: it computes on the CPU, with the same bits"},
	{host.ErrDeviceLost, false, "run it again; if that fails, too, the system's log may say why, and --device cpu needs no device"},
	{host.ErrOutOfMemory, false, "smaller tensors need less; --device cpu needs no memory of the device"},
	{host.ErrAxis, false, "the first axis is 0, the last -1"},
	{host.ErrTarget, true, "labels count from 0; --ignore-index N leaves the samples with label N out"},
	{host.ErrArity, true, "name each input with -i, in order; --help shows an example, and 'vkops info MODEL.onnx' the inputs of a model"},
	{host.ErrType, true, "convert the array first to a type that is allowed, in NumPy with numpy.save(\"x.npy\", x.astype(\"TYPE\"))"},
}

// hintOf is what to do about a command's error; "" where its text says it, or nobody
// knows.
func hintOf(cmd *cobra.Command, err error) string {
	takesFiles := strings.HasPrefix(cmd.CommandPath()+" ", "vkops run ")
	for _, h := range hints {
		if errors.Is(err, h.kind) && (takesFiles || !h.files) {
			return h.hint
		}
	}
	return ""
}

// meant asks for the command that an unknown one was perhaps meant to be.
func meant(root *cobra.Command, args []string) string {
	found, rest, err := root.Find(args)
	if err != nil { // only of the root's
		found, rest = root, args
	}
	if found.Name() == "help" {
		return meant(root, rest)
	}
	if !found.HasSubCommands() || len(rest) == 0 || strings.HasPrefix(rest[0], "-") || strings.EqualFold(filepath.Ext(rest[0]), ".onnx") {
		return "" // the command is right, its flags are not
	}
	found.SuggestionsMinimumDistance = 2
	if near := found.SuggestionsFor(rest[0]); len(near) > 0 {
		return fmt.Sprintf("; did you mean %s?", near[0])
	}
	if run, _, err := root.Find([]string{"run", rest[0]}); err == nil && run.Name() != "run" {
		return fmt.Sprintf("; did you mean run %s?", run.Name())
	}
	return ""
}

// strictHelp makes help on an unknown command an error.
func strictHelp(root *cobra.Command) {
	root.InitDefaultHelpCmd()
	help, _, _ := root.Find([]string{"help"})
	help.Example = "  vkops help run cumsum"
	help.Args = func(_ *cobra.Command, args []string) error {
		found, rest, err := root.Find(args)
		if err == nil && len(rest) > 0 {
			err = fmt.Errorf("unknown command %q for %q", rest[0], found.CommandPath())
		}
		return err
	}
}

// noFiles refuses arguments of a command that takes its files by flags.
func noFiles(cmd *cobra.Command, args []string) error {
	if len(args) > 0 {
		return fmt.Errorf("%s: what is %q? inputs are named with -i, outputs with -o", cmd.Name(), args[0])
	}
	return nil
}

// notAModel says what was given in place of a model.
func notAModel(path string, err error) error {
	if errors.Is(err, onnx.ErrFormat) && !strings.EqualFold(filepath.Ext(path), ".onnx") {
		return badInputf("%w; an ONNX model is expected here", err)
	}
	return badInput{err}
}

// noFolder says which folder of an output is missing.
func noFolder(path string, err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return badInputf("output %s: there is no folder %s: %w", path, filepath.Dir(path), fs.ErrNotExist)
	}
	return badInputf("output %s: %w", path, err)
}
