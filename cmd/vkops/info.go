package main

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"vkops/host"
	"vkops/internal/attributes"
	"vkops/onnx"
	"vkops/tensor"
)

func (c *cli) infoCommand() *cobra.Command {
	var dims map[string]string
	cmd := &cobra.Command{
		Use:   "info MODEL.onnx",
		Short: "show a model's inputs, outputs and operators, and how a device would run it",
		Long: `info shows what an ONNX model takes, gives and does. Where the types of its inputs
are known, it shows for each operator the kernels and steps on the device too; extents
that the model leaves open are given with --dim.`,
		Example: `  vkops info model.onnx
  vkops info model.onnx --dim N=32 --dim classes=1000
  vkops info model.onnx --device cpu --json`,
		Args:              cobra.ExactArgs(1),
		ValidArgsFunction: cobra.FixedCompletions([]string{"onnx"}, cobra.ShellCompDirectiveFilterFileExt),
		RunE: func(_ *cobra.Command, args []string) error {
			model, err := onnx.ReadModel(args[0])
			if err != nil {
				return notAModel(args[0], err)
			}
			extents, err := parseExtents(dims)
			if err != nil {
				return badInput{err}
			}
			return c.info(args[0], model, extents)
		},
	}
	cmd.Flags().StringToStringVar(&dims, "dim", nil, "extent of an open dimension, NAME=SIZE; may be repeated")
	return cmd
}

func parseExtents(dims map[string]string) (map[string]int, error) {
	extents := map[string]int{}
	for name, text := range dims {
		n, err := strconv.Atoi(text)
		if err != nil || n < 0 {
			return nil, fmt.Errorf("info: --dim %s=%s is not an extent", name, text)
		}
		extents[name] = n
	}
	return extents, nil
}

// modelInfo is what info prints with --json.
type modelInfo struct {
	Model   string      `json:"model"`
	IR      int64       `json:"ir_version"`
	Opset   int64       `json:"opset"`
	Inputs  []valueInfo `json:"inputs"`
	Outputs []valueInfo `json:"outputs"`
	Nodes   []nodeInfo  `json:"nodes"`
	Steps   []stepInfo  `json:"steps"`              // how the device would run it
	NoSteps string      `json:"why_none,omitempty"` // why there are no steps
}

type valueInfo struct {
	Name       string `json:"name"`
	DType      string `json:"dtype"`
	Shape      []any  `json:"shape"` // extents, names of open ones, or null; null if not even the rank is known
	HasDefault bool   `json:"has_default,omitempty"`
}

type nodeInfo struct {
	Op      string   `json:"op"`
	Name    string   `json:"name,omitempty"`
	Inputs  []string `json:"inputs"`
	Outputs []string `json:"outputs"`
}

type stepInfo struct {
	Op      string         `json:"op"`
	Attrs   map[string]any `json:"attrs"`
	Device  string         `json:"device"`
	Kernels []string       `json:"kernels"`

	text string
}

func (c *cli) info(path string, model *onnx.Model, extents map[string]int) error {
	result := modelInfo{Model: path, IR: model.IRVersion, Opset: model.Opset, Outputs: described(model.Outputs, nil), Nodes: []nodeInfo{}}
	result.Inputs = described(model.Inputs, model.Required())
	for _, n := range model.Nodes {
		result.Nodes = append(result.Nodes, nodeInfo{n.OpType, n.Name, n.Inputs, n.Outputs})
	}
	bound, err := bindDeclared(model, extents)
	switch {
	case errors.Is(err, errOpen):
		result.NoSteps = err.Error()
	case errors.Is(err, onnx.ErrUnsupported): // the result's type depends on data
		result.NoSteps = strings.TrimPrefix(err.Error(), path+": ")
	case err != nil:
		return badInput{err}
	default:
		result.Steps, err = c.steps(bound)
		if errors.Is(err, host.ErrNoDevice) && c.device == "" { // none was asked for
			result.NoSteps, err = err.Error(), nil
		}
		if err != nil {
			return err
		}
	}
	if c.json {
		return c.printJSON(result)
	}
	c.printInfo(model, result)
	return nil
}

// described gives the declarations of values; those that are not required have a default.
func described(values, required []onnx.ValueInfo) []valueInfo {
	needed := map[string]bool{}
	for _, v := range required {
		needed[v.Name] = true
	}
	list := []valueInfo{}
	for _, v := range values {
		info := valueInfo{Name: v.Name, DType: v.DType.String(), HasDefault: required != nil && !needed[v.Name]}
		if v.Dims != nil {
			info.Shape = []any{}
		}
		for _, d := range v.Dims {
			switch {
			case d.Size >= 0:
				info.Shape = append(info.Shape, d.Size)
			case d.Param != "":
				info.Shape = append(info.Shape, d.Param)
			default:
				info.Shape = append(info.Shape, nil)
			}
		}
		list = append(list, info)
	}
	return list
}

// errOpen says what has to be known before a plan can be made.
var errOpen = errors.New("types are open")

// bindDeclared binds a model to inputs of the types that it declares.
func bindDeclared(model *onnx.Model, extents map[string]int) (*onnx.Bound, error) {
	var given []tensor.Type
	for _, in := range model.Required() {
		if in.Dims == nil {
			return nil, fmt.Errorf("%w: %s has no declared rank", errOpen, in)
		}
		t := tensor.Type{DType: in.DType, Shape: tensor.Shape{}}
		for _, d := range in.Dims {
			n, known := extents[d.Param]
			if d.Size >= 0 {
				n, known = d.Size, true
			}
			if !known && d.Param == "" {
				return nil, fmt.Errorf("%w: %s has an open dimension without a name", errOpen, in)
			}
			if !known {
				return nil, fmt.Errorf("%w: give %s an extent, for example --dim %s=8", errOpen, d, d.Param)
			}
			t.Shape = append(t.Shape, n)
		}
		given = append(given, t)
	}
	return model.BindTypes(given)
}

// steps explains each operator on the chosen device.
func (c *cli) steps(b *onnx.Bound) ([]stepInfo, error) {
	rt, err := c.open()
	if err != nil {
		return nil, err
	}
	defer rt.Close()
	var list []stepInfo
	for _, step := range b.Steps {
		inputs := tensor.TypesOf(given(b, step))
		e, err := rt.Explain(step.Op, inputs...)
		if err != nil {
			return nil, err
		}
		list = append(list, stepInfo{Op: step.Op.Name(), Attrs: attributes.Of(step.Op), Device: where(rt, step.Op, inputs), Kernels: e.Kernels, text: e.String()})
	}
	return list, nil
}

func (c *cli) printInfo(model *onnx.Model, result modelInfo) {
	c.printf("%s: IR version %d, opset %d\n", c.paint(bold, result.Model), result.IR, result.Opset)
	for i, in := range model.Inputs {
		note := ""
		if result.Inputs[i].HasDefault {
			note = " (has a default)"
		}
		c.printf("input   %s%s\n", in, note)
	}
	for _, out := range model.Outputs {
		c.printf("output  %s\n", out)
	}
	for _, n := range model.Nodes {
		c.printf("node    %s %q -> %q\n", n.OpType, n.Inputs, n.Outputs)
	}
	if result.NoSteps != "" {
		c.printf("no plan: %s\n", result.NoSteps)
	}
	for i, s := range result.Steps {
		c.printf("%s %s", c.paint(bold, fmt.Sprintf("step %d:", i)), wrapped(s.text, widthOf(c.stdout), 4))
	}
	c.printf("run it: vkops run %s%s%s\n", result.Model, strings.Repeat(" -i FILE", len(model.Required())), strings.Repeat(" -o FILE", len(model.Outputs)))
}
