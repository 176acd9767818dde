package main

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"vkops/internal/attributes"
	"vkops/onnx"
	"vkops/tensor"
)

// pipe stands for the standard input or output in place of a file.
const pipe = "-"

// files are the flags of every form of run.
type files struct {
	inputs, outputs []string
	dtype           string
}

func (f *files) register(cmd *cobra.Command) {
	cmd.Flags().StringArrayVarP(&f.inputs, "input", "i", nil, "input `FILE`: .npy, .pb, .npz:NAME, or - for .npy from the standard input; once for each input, in order")
	cmd.Flags().StringArrayVarP(&f.outputs, "output", "o", nil, "output `FILE`: .npy, .pb, .npz or .npz:NAME, or - for .npy to the standard output; once for each output, in order")
	cmd.Flags().StringVar(&f.dtype, "dtype", "", "\"bfloat16\" reads .npy and .npz files of type <V2 as that `TYPE`")
}

// job is a run whose inputs have been read and checked.
type job struct {
	op      tensor.Op
	inputs  []tensor.Dense
	outputs []string // names inside files
}

func (c *cli) runCommand() *cobra.Command {
	var f files
	run := &cobra.Command{
		Use:   "run MODEL.onnx | OPERATOR",
		Short: "run an operator, or an ONNX model of them, on files",
		Long: `run computes one operator, or a model that consists of them, on the device. Inputs
and outputs are files; element types are kept, float16 and bfloat16 too.`,
		Example: `  vkops run model.onnx -i x.pb -i axis.pb -o y.npy
  vkops run cumsum --axis 1 -i x.npy -o y.npy
  vkops run nll --reduction sum -i data.npz:logprobs -i data.npz:labels -o loss.npy
  vkops run log1p -i - -o - <x.npy | vkops run cumsum --axis 0 -i - -o y.npy`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if !strings.EqualFold(filepath.Ext(args[0]), ".onnx") {
				return badInputf("run: %q is neither an operator (%s) nor a .onnx file%s", args[0], strings.Join(operatorNames(), ", "),
					meant(cmd.Root(), []string{"run", args[0]}))
			}
			return c.runModel(cmd.Context(), args[0], f)
		},
	}
	f.register(run)
	run.AddCommand(c.runCumSum(), c.runLogCumSumExp(), c.runLog1p(), c.runLogSoftmax(), c.runNLL(), c.runCrossEntropy())
	return run
}

// operator is the subcommand of one operator; parse makes it from its flags.
func (c *cli) operator(name, short, example string, parse func(cmd *cobra.Command) (tensor.Op, error)) *cobra.Command {
	var f files
	cmd := &cobra.Command{
		Use:     name,
		Aliases: []string{onnxName(name)},
		Short:   short,
		Example: example,
		Args:    noFiles,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return c.runJob(cmd.Context(), f, func() (job, error) {
				op, err := parse(cmd)
				if err != nil {
					return job{}, badInput{err}
				}
				inputs, err := f.read(cmd.Context(), c.stdin)
				return job{op, inputs, []string{"y"}}, err
			})
		},
	}
	f.register(cmd)
	return cmd
}

func (c *cli) runCumSum() *cobra.Command {
	var op tensor.CumSum
	cmd := c.operator("cumsum", "cumulative sum along an axis", "  vkops run cumsum --axis -1 --reverse -i x.npy -o y.npy", func(cmd *cobra.Command) (tensor.Op, error) {
		if !cmd.Flags().Changed("axis") {
			return nil, fmt.Errorf("cumsum: --axis is missing; --axis 0 sums along the first axis, --axis -1 along the last")
		}
		return op, nil
	})
	cmd.Flags().IntVar(&op.Axis, "axis", 0, "axis; a negative one counts from the back (required)")
	cmd.Flags().BoolVar(&op.Exclusive, "exclusive", false, "leave each element out of its own sum")
	cmd.Flags().BoolVar(&op.Reverse, "reverse", false, "sum from the last element to the first")
	return cmd
}

func (c *cli) runLogCumSumExp() *cobra.Command {
	var op tensor.LogCumSumExp
	cmd := c.operator("logcumsumexp", "log(cumsum(exp(x))) along an axis", "  vkops run logcumsumexp --axis 1 -i x.npy -o y.npy", func(*cobra.Command) (tensor.Op, error) { return op, nil })
	cmd.Flags().IntVar(&op.Axis, "axis", 0, "axis; a negative one counts from the back")
	return cmd
}

func (c *cli) runLog1p() *cobra.Command {
	return c.operator("log1p", "ln(1+x) of each element", "  vkops run log1p -i x.npz:prices -o y.npy", func(*cobra.Command) (tensor.Op, error) { return tensor.Log1p{}, nil })
}

func (c *cli) runLogSoftmax() *cobra.Command {
	var op tensor.LogSoftmax
	cmd := c.operator("logsoftmax", "log(exp(x) / sum(exp(x))) along an axis", "  vkops run logsoftmax -i logits.npy -o logprobs.npy", func(*cobra.Command) (tensor.Op, error) { return op, nil })
	cmd.Flags().IntVar(&op.Axis, "axis", -1, "axis; a negative one counts from the back")
	return cmd
}

func (c *cli) runNLL() *cobra.Command {
	return c.loss("nll", "negative log likelihood loss of log-probabilities, labels and, optionally, weights",
		"  vkops run nll --reduction none --ignore-index -1 -i logprobs.npy -i labels.npy -i weights.npy -o losses.npy",
		func(op tensor.NLL) tensor.Op { return op })
}

func (c *cli) runCrossEntropy() *cobra.Command {
	return c.loss("crossentropy", "softmax cross entropy loss of scores (logits), labels and, optionally, weights",
		"  vkops run crossentropy -i logits.npy -i labels.npy -o loss.npy",
		func(op tensor.NLL) tensor.Op { return tensor.SoftmaxCrossEntropyLoss(op) })
}

// loss is the subcommand of a loss, which of makes from the attributes of NLL.
func (c *cli) loss(name, short, example string, of func(tensor.NLL) tensor.Op) *cobra.Command {
	var reduction string
	var ignored int64
	cmd := c.operator(name, short, example, func(cmd *cobra.Command) (tensor.Op, error) {
		r, err := tensor.ParseReduction(name, reduction)
		op := tensor.NLL{Reduction: r}
		if cmd.Flags().Changed("ignore-index") {
			op.IgnoreIndex = &ignored
		}
		return of(op), err
	})
	cmd.Flags().StringVar(&reduction, "reduction", tensor.Mean.String(), "mean, sum or none")
	cmd.Flags().Int64Var(&ignored, "ignore-index", 0, "label of the samples to leave out (default: none is left out)")
	return cmd
}

// read reads the input files, and the standard input for "-".
func (f files) read(ctx context.Context, stdin io.Reader) ([]tensor.Dense, error) {
	var opts onnx.NPYOptions
	if f.dtype != "" {
		opts.Void2 = tensor.BF16 // check allows no other
	}
	inputs := make([]tensor.Dense, len(f.inputs))
	for i, path := range f.inputs {
		var err error
		inputs[i], err = await(ctx, func() (tensor.Dense, error) {
			if path != pipe {
				return onnx.ReadFile(path, opts)
			}
			d, err := onnx.ReadNPY(stdin, opts)
			if err != nil {
				err = fmt.Errorf("standard input: %w", err)
			}
			return d, err
		})
		if err != nil {
			return nil, err
		}
	}
	return inputs, nil
}

// await gives what read reads, or the context's error: opening or reading a pipe that
// nobody writes to does not end by itself.
func await[T any](ctx context.Context, read func() (T, error)) (T, error) {
	var got T
	var err error
	done := make(chan struct{})
	go func() {
		defer close(done)
		got, err = read()
	}()
	select {
	case <-done:
	case <-ctx.Done():
		var none T
		return none, ctx.Err()
	}
	if err != nil {
		err = badInput{err}
	}
	return got, err
}

// write writes one output.
func (c *cli) write(path string, y tensor.Dense, name string) error {
	if path != pipe {
		return onnx.WriteFile(path, y, name)
	}
	w := bufio.NewWriter(c.stdout)
	if err := onnx.WriteNPY(w, y); err != nil {
		return err
	}
	return w.Flush()
}

// check refuses flags that make no sense before anything is read.
func (f files) check(c *cli) error {
	if f.dtype != "" && f.dtype != tensor.BF16.String() {
		return badInputf("run: --dtype %q is not bfloat16, the only type that .npy files cannot name", f.dtype)
	}
	if err := f.checkPipes(c); err != nil {
		return err
	}
	for _, path := range f.outputs {
		if path == pipe {
			continue
		}
		if err := onnx.CheckEnding(path); err != nil {
			return badInputf("output: %w", err)
		}
		if info, err := os.Stat(filepath.Dir(path)); err != nil {
			return noFolder(path, err)
		} else if !info.IsDir() {
			return badInputf("output %s: %s is not a folder", path, filepath.Dir(path))
		}
	}
	return nil
}

// checkPipes refuses what a stream cannot be used for, and makes the output of results
// the only one.
func (f files) checkPipes(c *cli) error {
	count := func(paths []string) (n int) {
		for _, path := range paths {
			if path == pipe {
				n++
			}
		}
		return n
	}
	if count(f.inputs) > 1 {
		return badInputf("run: the standard input can be one input only; name files for the others")
	}
	switch outputs := count(f.outputs); {
	case outputs == 0:
		return nil
	case outputs > 1:
		return badInputf("run: the standard output can be one output only; name files for the others")
	case c.json:
		return badInputf("run: --json and '-o -' both want the standard output; name a file")
	case isTerminal(c.stdout):
		return badInputf("run: '-o -' would print .npy bytes on the terminal; send them on with | or >, or name a file")
	}
	c.quiet = true
	return nil
}

// checkOutputs refuses another number of output files than what gives them has, and one
// file for two outputs.
func (f files) checkOutputs(what string, outputs int) error {
	if len(f.outputs) == 0 {
		return badInputf("%s: no output is named; add -o y.npy", what)
	}
	if len(f.outputs) != outputs {
		return badInputf("%s: %d outputs named with -o, gives %d", what, len(f.outputs), outputs)
	}
	seen := map[string]string{}
	for _, path := range f.outputs {
		file := onnx.FileOf(path)
		if other, taken := seen[file]; taken {
			return badInputf("outputs %s and %s are one file", other, path)
		}
		seen[file] = path
	}
	return nil
}

// runJob checks everything that can be checked without a device, then opens it.
func (c *cli) runJob(ctx context.Context, f files, prepare func() (job, error)) error {
	if err := f.check(c); err != nil {
		return err
	}
	j, err := prepare()
	if err != nil {
		return err
	}
	if _, err := j.op.Infer(tensor.TypesOf(j.inputs)...); err != nil {
		return err
	}
	if err := f.checkOutputs(j.op.Name(), len(j.outputs)); err != nil {
		return err
	}
	if err := checkLabels(j.op, j.inputs); err != nil {
		return err
	}
	rt, err := c.open()
	if err != nil {
		return err
	}
	defer rt.Close()
	y, err := apply(ctx, rt, j.op, j.inputs...)
	if err != nil {
		return err
	}
	if err := c.write(f.outputs[0], y, j.outputs[0]); err != nil {
		return err
	}
	return c.reportRun(where(rt, j.op, tensor.TypesOf(j.inputs)), j.op, tensor.TypesOf(j.inputs), y.Type, f.outputs[0])
}

// runResult is what run prints with --json.
type runResult struct {
	Op     string         `json:"op"`
	Attrs  map[string]any `json:"attrs"`
	Inputs []string       `json:"inputs"`
	Output string         `json:"output"`
	File   string         `json:"file"`
	Device string         `json:"device"`
}

func (c *cli) reportRun(device string, op tensor.Op, inputs []tensor.Type, output tensor.Type, file string) error {
	result := runResult{Op: op.Name(), Attrs: attributes.Of(op), Inputs: typeNames(inputs), Output: output.String(), File: file, Device: device}
	if c.json {
		return c.printJSON(result)
	}
	c.printf("%s: %s -> %s on %s: %s\n", attributes.String(op), strings.Join(result.Inputs, ", "), result.Output, device, file)
	return nil
}
