package onnx

import (
	"flag"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"vkops/cpuref"
	"vkops/tensor"
)

// onTwin computes a bound model on the twin.
func onTwin(t *testing.T, b *Bound) []tensor.Dense {
	t.Helper()
	y, err := Evaluate(b, func(d tensor.Dense) (tensor.Dense, error) { return d, nil }, cpuref.Run, nil)
	require.NoError(t, err)
	return y
}

// chain sums x along a constant axis, takes ln(1+y) of that, and sums again along an
// initializer's axis. Both ln(1+y) and the last sum are outputs.
func chain() message {
	return modelOf(29,
		inputPart(declare("x", numF32, 2, "N")),
		outputPart(declare("z", numF32, 2, "N")), outputPart(declare("y", numF32, 2, "N")),
		axisConstant(intAttr("value_int", 1)),
		nodePart(nodeOf("CumSum", []string{"x", "axis"}, "sum").text(nodeName, "first")),
		nodePart(nodeOf("Log1p", []string{"sum"}, "y")),
		nodePart(nodeOf("CumSum", []string{"y", "axis0"}, "z")),
		initPart(named("axis0", axis0)),
	)
}

func TestChain(t *testing.T) {
	m := mustParse(t, chain())
	require.Len(t, m.Nodes, 3)
	assert.Equal(t, `node 1 ("CumSum" named "first")`, m.Nodes[0].String())
	b, err := m.Bind([]tensor.Dense{floats6})
	require.NoError(t, err)
	requireSound(t, b)
	require.Len(t, b.Values, 4, "axes are no values")
	got := onTwin(t, b)
	sum, err := cpuref.Run(tensor.CumSum{Axis: 1}, floats6)
	require.NoError(t, err)
	y, err := cpuref.Run(tensor.Log1p{}, sum)
	require.NoError(t, err)
	z, err := cpuref.Run(tensor.CumSum{}, y)
	require.NoError(t, err)
	assert.Equal(t, []tensor.Dense{z, y}, got)
}

// A loss whose targets are counted by another node, with a default weight.
func TestNodesFeedEveryInput(t *testing.T) {
	ones := of([]int64{0, 1, 1}, 3)
	x := of([]float32{-1, -2, -3, -4, -5, -6, -7, -8, -9}, 3, 3)
	m := mustParse(t, modelOf(14,
		inputPart(declare("x", numF32, 3, 3)), outputPart(declare("loss", numF32)),
		axisConstant(intAttr("value_int", 0)), initPart(named("ones", ones)),
		nodePart(nodeOf("CumSum", []string{"ones", "axis"}, "target")),
		nodePart(nodeOf("NegativeLogLikelihoodLoss", []string{"x", "target", ""}, "loss")),
	))
	b, err := m.Bind([]tensor.Dense{x})
	require.NoError(t, err)
	got := onTwin(t, b)
	assert.Equal(t, []float32{5}, tensor.ValuesOf[float32](got[0].Data)) // (1 + 5 + 9) / 3
}

func TestOutputsThatNoNodeGives(t *testing.T) {
	m := mustParse(t, log1pModel(outputPart(declare("x", numF32, 2, 3)), outputPart(declare("axis", numI64, 1)), initPart(named("axis", axis1))))
	b, err := m.Bind([]tensor.Dense{floats6})
	require.NoError(t, err)
	requireSound(t, b)
	got := onTwin(t, b)
	assert.Equal(t, []tensor.Dense{floats6, axis1}, got[1:])
}

func TestGraphErrors(t *testing.T) {
	log1p := func(in, out string) message { return nodePart(nodeOf("Log1p", []string{in}, out)) }
	for name, c := range map[string]struct {
		model message
		want  error
		says  string
	}{
		"a later node":      {scan(29, log1p("z", "y"), log1p("x", "z")), ErrFormat, `node 0 ("Log1p"): malformed file: input 0 is "z", which no input, initializer or earlier node gives`},
		"itself":            {scan(29, log1p("y", "y")), ErrFormat, `input 0 is "y"`},
		"one output twice":  {scan(29, log1p("x", "y"), log1p("y", "y")), ErrFormat, `value "y" is defined twice`},
		"foreign node":      {scan(29, log1p("x", "z"), nodePart(nodeOf("Softmax", []string{"z"}, "y").text(nodeName, "s"))), ErrUnsupported, `node 1 ("Softmax" named "s")`},
		"constant as axis":  {scan(29, initPart(named("y", floats6)), log1p("x", "y")), ErrFormat, `value "y" is defined twice`},
		"constant too late": {scan(29, nodePart(nodeOf("CumSum", []string{"x", "axis"}, "y")), axisConstant(intAttr("value_int", 1))), ErrFormat, `input 1 is "axis"`},
	} {
		_, err := ParseModel(c.model)
		require.ErrorIs(t, err, c.want, name)
		assert.ErrorContains(t, err, c.says, name)
	}
	for name, c := range map[string]struct {
		model message
		want  error
		says  string
	}{
		"type of a result": {scan(29, log1p("x", "z"), nllNode([]string{"x", "z"})), tensor.ErrType, `node 1 ("NegativeLogLikelihoodLoss"): nll: target has element type float32`},
		"shape of an output": {modelOf(29, inputPart(declare("x", numF32, 2, 3)), outputPart(declare("y", numF32, 3, 2)), log1p("x", "z"), log1p("z", "y")),
			tensor.ErrShape, `output "y"`},
		"computed axis": {modelOf(29, inputPart(declare("x", numF32, 2, 3)), inputPart(declare("i", numI64, 1)), outputPart(declare("y", numF32, 2, 3)),
			axisConstant(intAttr("value_int", 0)), nodePart(nodeOf("CumSum", []string{"i", "axis"}, "a")), nodePart(nodeOf("CumSum", []string{"x", "a"}, "y"))),
			ErrUnsupported, `axis "a" is the result of a node`},
	} {
		m := mustParse(t, c.model)
		inputs := []tensor.Dense{floats6, axis1}[:len(m.Inputs)]
		_, err := m.Bind(inputs)
		require.ErrorIs(t, err, c.want, name)
		assert.ErrorContains(t, err, c.says, name)
	}
}

func TestTypesAlone(t *testing.T) {
	m := mustParse(t, chain())
	b, err := m.BindTypes([]tensor.Type{floats6.Type})
	require.NoError(t, err)
	assert.Equal(t, floats6.Type, b.Values[b.Outputs[0]].Type)
	_, err = m.BindTypes([]tensor.Type{axis0.Type})
	assert.ErrorIs(t, err, tensor.ErrType)
	m = mustParse(t, cumsumModel(cumsumNode))
	_, err = m.BindTypes([]tensor.Type{floats6.Type, axis0.Type})
	assert.ErrorIs(t, err, ErrUnsupported)
}

func TestErrorsOfSteps(t *testing.T) {
	b, err := mustParse(t, chain()).Bind([]tensor.Dense{floats6})
	require.NoError(t, err)
	same := func(d tensor.Dense) (tensor.Dense, error) { return d, nil }
	broken := fmt.Errorf("broken")
	_, err = Evaluate(b, func(tensor.Dense) (int, error) { return 0, broken }, nil, nil)
	require.ErrorIs(t, err, broken)
	runs := 0
	_, err = Evaluate(b, same, func(tensor.Op, ...tensor.Dense) (tensor.Dense, error) {
		runs++
		return tensor.Dense{}, broken
	}, nil)
	require.ErrorIs(t, err, broken)
	assert.Equal(t, 1, runs)
}

// Results are dropped once, as soon as nothing needs them: the first is an input two
// times, the second of nothing, and what is an output stays.
func TestResultsAreDroppedWhenNothingNeedsThem(t *testing.T) {
	b, err := mustParse(t, modelOf(29,
		inputPart(declare("x", numF32, 2, "N")),
		outputPart(declare("z", numF32, 2, "N")), outputPart(declare("y", numF32, 2, "N")), outputPart(declare("x", numF32, 2, "N")),
		nodePart(nodeOf("Log1p", []string{"x"}, "twice")),
		nodePart(nodeOf("Log1p", []string{"twice"}, "unused")),
		nodePart(nodeOf("Log1p", []string{"twice"}, "y")),
		nodePart(nodeOf("Log1p", []string{"y"}, "once")),
		nodePart(nodeOf("Log1p", []string{"once"}, "z")),
	)).Bind([]tensor.Dense{floats6})
	require.NoError(t, err)
	const given, none = 0, -1
	results := 0
	var steps [][2]int // the input and the result of an operator, or a drop
	outputs, err := Evaluate(b, func(tensor.Dense) (int, error) { return given, nil }, func(_ tensor.Op, inputs ...int) (int, error) {
		results++
		steps = append(steps, [2]int{inputs[0], results})
		return results, nil
	}, func(v int) { steps = append(steps, [2]int{v, none}) })
	require.NoError(t, err)
	assert.Equal(t, []int{5, 3, given}, outputs)
	assert.Equal(t, [][2]int{{given, 1}, {1, 2}, {2, none}, {1, 3}, {1, none}, {3, 4}, {4, 5}, {4, none}}, steps)
}

func ExampleEvaluate() {
	m, err := ParseModel(chain())
	if err != nil {
		fmt.Println(err)
		return
	}
	x, _ := tensor.Of([]float32{1, 0, 2, 1, 1, 1}, 2, 3)
	b, err := m.Bind([]tensor.Dense{x})
	if err != nil {
		fmt.Println(err)
		return
	}
	give := func(d tensor.Dense) (tensor.Dense, error) { return d, nil } // the CPU has it already
	y, err := Evaluate(b, give, cpuref.Run, nil)
	fmt.Println(tensor.ValuesOf[float32](y[0].Data), err)
	// Output: [0.6931472 0.6931472 1.3862944 1.3862944 1.7917595 2.7725887] <nil>
}

var update = flag.Bool("update", false, "write the case of a graph anew")

// The committed case of a graph is the model of chain with what the operators'
// definitions give, in float64.
func TestGraphCase(t *testing.T) {
	x := []float32{0.5, 2, -0.25, 3, 0, 1}
	var y, z [6]float64
	for row := range 2 {
		sum := 0.0
		for i := row * 3; i < row*3+3; i++ {
			sum += float64(x[i])
			y[i] = math.Log1p(sum)
			z[i] = y[i]
			if row > 0 {
				z[i] += y[i-3]
			}
		}
	}
	rounded := func(name string, values [6]float64) message {
		narrow := make([]float32, len(values))
		for i, v := range values {
			narrow[i] = float32(v)
		}
		return named(name, of(narrow, 2, 3))
	}
	dir := filepath.Join("..", "tests", "testdata", "graphs", "chain_of_three")
	set := filepath.Join(dir, "test_data_set_0")
	for path, data := range map[string]message{
		filepath.Join(dir, "model.onnx"):  chain(),
		filepath.Join(set, "input_0.pb"):  named("x", of(x, 2, 3)),
		filepath.Join(set, "output_0.pb"): rounded("z", z),
		filepath.Join(set, "output_1.pb"): rounded("y", y),
	} {
		if *update {
			require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
			require.NoError(t, os.WriteFile(path, data, 0o644))
		}
		have, err := os.ReadFile(path)
		require.NoError(t, err)
		assert.Equal(t, []byte(data), have, path)
	}
}
