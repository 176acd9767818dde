package onnx

import (
	"math"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"vkops/tensor"
)

var (
	axis0   = of([]int32{0})
	axis1   = of([]int64{1}, 1)
	floats6 = of([]float32{1, 2, 3, 4, 5, 6}, 2, 3)
)

// cumsumModel is CumSum of x float32[2 3], its axis an input; extra parts follow.
func cumsumModel(node message, extra ...message) message {
	return modelOf(14, append([]message{
		inputPart(declare("x", numF32, 2, 3)), inputPart(declare("axis", numI32)),
		outputPart(declare("y", numF32, 2, 3)), nodePart(node),
	}, extra...)...)
}

var cumsumNode = nodeOf("CumSum", []string{"x", "axis"}, "y")

func mustParse(t *testing.T, m message) *Model {
	t.Helper()
	parsed, err := ParseModel(m)
	require.NoError(t, err)
	return parsed
}

// onlyStep binds a model of one node, whose output is the model's, and gives the
// operator and what it takes.
func onlyStep(t *testing.T, m *Model, inputs []tensor.Dense) (tensor.Op, []tensor.Dense) {
	t.Helper()
	b, err := m.Bind(inputs)
	require.NoError(t, err)
	require.Len(t, b.Steps, 1)
	require.Equal(t, []int{b.Steps[0].Output}, b.Outputs)
	var args []tensor.Dense
	for _, i := range b.Steps[0].Inputs {
		args = append(args, b.Values[i].Dense)
	}
	return b.Steps[0].Op, args
}

// scan is a model of one float32[2 3] input, an output and the parts given.
func scan(version int64, parts ...message) message {
	return modelOf(version, append([]message{inputPart(declare("x", numF32, 2, 3)), outputPart(declare("y", numF32, 2, 3))}, parts...)...)
}

func TestAxisFromAnywhere(t *testing.T) {
	constant := func(a message) message { return nodePart(nodeOf("Constant", nil, "axis").attr(a)) }
	for name, c := range map[string]struct {
		model  message
		inputs []tensor.Dense
	}{
		"input":                {modelOf(14, inputPart(declare("x", numF32, 2, 3)), inputPart(declare("axis", numI64, 1)), outputPart(declare("y", numF32, 2, 3)), nodePart(cumsumNode)), []tensor.Dense{floats6, axis1}},
		"initializer":          {scan(14, initPart(named("axis", axis1)), nodePart(cumsumNode)), []tensor.Dense{floats6}},
		"initializer int32":    {scan(14, nodePart(cumsumNode), initPart(named("axis", of([]int32{1})))), []tensor.Dense{floats6}},
		"Constant value":       {scan(11, constant(tensorAttr("value", named("", axis1))), nodePart(cumsumNode)), []tensor.Dense{floats6}},
		"Constant value_int":   {scan(12, constant(intAttr("value_int", 1)), nodePart(cumsumNode)), []tensor.Dense{floats6}},
		"Constant value_ints":  {scan(12, constant(intsAttr("value_ints", 1)), nodePart(cumsumNode)), []tensor.Dense{floats6}},
		"negative":             {scan(14, constant(intAttr("value_int", -1)), nodePart(cumsumNode)), []tensor.Dense{floats6}},
		"default overridden":   {cumsumModel(cumsumNode, initPart(named("axis", axis0))), []tensor.Dense{floats6, of([]int32{1})}},
		"default kept":         {cumsumModel(cumsumNode, initPart(named("axis", of([]int32{1})))), []tensor.Dense{floats6}},
		"in domain ai.onnx":    {message{}.int(modelIRVersion, 8).and(opset("ai.onnx", 14)).bytes(modelGraph, message{}.and(inputPart(declare("x", numF32, 2, 3)), outputPart(declare("y", numF32, 2, 3)), initPart(named("axis", axis1)), nodePart(cumsumNode.text(nodeDomain, "ai.onnx")))), []tensor.Dense{floats6}},
		"other domains beside": {scan(14, initPart(named("axis", axis1)), nodePart(cumsumNode)).and(opset("com.example", 1)), []tensor.Dense{floats6}},
	} {
		t.Run(name, func(t *testing.T) {
			op, args := onlyStep(t, mustParse(t, c.model), c.inputs)
			axis := op.(tensor.CumSum).Axis
			assert.Contains(t, []int{1, -1}, axis)
			require.Len(t, args, 1)
			assert.Equal(t, floats6, args[0])
		})
	}
}

func TestDefaults(t *testing.T) {
	m := mustParse(t, cumsumModel(cumsumNode, initPart(named("axis", axis0))))
	assert.Len(t, m.Inputs, 2)
	require.Len(t, m.Required(), 1)
	assert.Equal(t, "x", m.Required()[0].Name)
	// A default of the first input: the one file is the second input.
	m = mustParse(t, cumsumModel(cumsumNode, initPart(named("x", floats6))))
	op, args := onlyStep(t, m, []tensor.Dense{of([]int32{-1})})
	assert.Equal(t, tensor.CumSum{Axis: -1}, op)
	assert.Equal(t, floats6.Data, args[0].Data)
}

func TestAttributes(t *testing.T) {
	index := func(v int64) *int64 { return &v }
	nll := func(inputs []string, attrs ...message) message {
		n := nodeOf("NegativeLogLikelihoodLoss", inputs, "y")
		for _, a := range attrs {
			n = n.attr(a)
		}
		return modelOf(12, inputPart(declare("a", numF32, 2, 3)), inputPart(declare("b", numI64, 2)), inputPart(declare("c", numF32, 3)),
			outputPart(valueInfo("y", message{}.int(elementType, numF32))), nodePart(n))
	}
	ab, abc := []string{"a", "b"}, []string{"a", "b", "c"}
	cs := func(attrs ...message) message {
		n := nodeOf("CumSum", []string{"a", "k"}, "y")
		for _, a := range attrs {
			n = n.attr(a)
		}
		return modelOf(11, inputPart(declare("a", numF32, 2, 3)), inputPart(declare("b", numI64, 2)), inputPart(declare("c", numF32, 3)),
			outputPart(declare("y", numF32, 2, 3)), initPart(named("k", axis1)), nodePart(n))
	}
	one := func(op string, attrs ...message) message {
		n := nodeOf(op, []string{"a"}, "y")
		for _, a := range attrs {
			n = n.attr(a)
		}
		return modelOf(30, inputPart(declare("a", numF32, 2, 3)), inputPart(declare("b", numI64, 2)), inputPart(declare("c", numF32, 3)),
			outputPart(declare("y", numF32, 2, 3)), nodePart(n))
	}
	inputs := []tensor.Dense{floats6, of([]int64{0, 2}, 2), of([]float32{1, 2, 3}, 3)}
	zero := func(name string) message {
		return message{}.text(attributeName, name).int(attributeType, int64(kindInt))
	}
	for name, c := range map[string]struct {
		model message
		want  tensor.Op
		args  int
	}{
		"cumsum":               {cs(), tensor.CumSum{Axis: 1}, 1},
		"cumsum zeros":         {cs(intAttr("exclusive", 0), intAttr("reverse", 0)), tensor.CumSum{Axis: 1}, 1},
		"cumsum 0 left out":    {cs(zero("exclusive"), zero("reverse")), tensor.CumSum{Axis: 1}, 1}, // as proto3 does
		"logsoftmax left out":  {one("LogSoftmax", zero("axis")), tensor.LogSoftmax{}, 1},
		"nll 0 left out":       {nll(ab, zero("ignore_index")), tensor.NLL{IgnoreIndex: index(0)}, 2},
		"cumsum exclusive":     {cs(intAttr("exclusive", 1)), tensor.CumSum{Axis: 1, Exclusive: true}, 1},
		"cumsum reverse":       {cs(intAttr("reverse", 1)), tensor.CumSum{Axis: 1, Reverse: true}, 1},
		"cumsum both":          {cs(intAttr("reverse", 1), intAttr("exclusive", 1)), tensor.CumSum{Axis: 1, Reverse: true, Exclusive: true}, 1},
		"logcumsumexp":         {one("LogCumSumExp"), tensor.LogCumSumExp{}, 1},
		"logcumsumexp axis":    {one("LogCumSumExp", intAttr("axis", -2)), tensor.LogCumSumExp{Axis: -2}, 1},
		"log1p":                {one("Log1p"), tensor.Log1p{}, 1},
		"nll":                  {nll(ab), tensor.NLL{}, 2},
		"nll weight":           {nll(abc), tensor.NLL{}, 3},
		"nll weight empty":     {nll([]string{"a", "b", ""}), tensor.NLL{}, 2},
		"nll mean":             {nll(ab, stringAttr("reduction", "mean")), tensor.NLL{}, 2},
		"nll sum":              {nll(ab, stringAttr("reduction", "sum")), tensor.NLL{Reduction: tensor.Sum}, 2},
		"nll none":             {nll(ab, stringAttr("reduction", "none")), tensor.NLL{Reduction: tensor.None}, 2},
		"nll ignore 0":         {nll(ab, intAttr("ignore_index", 0)), tensor.NLL{IgnoreIndex: index(0)}, 2},
		"nll ignore -1":        {nll(ab, intAttr("ignore_index", -1)), tensor.NLL{IgnoreIndex: index(-1)}, 2},
		"nll ignore large":     {nll(ab, intAttr("ignore_index", math.MaxInt64)), tensor.NLL{IgnoreIndex: index(math.MaxInt64)}, 2},
		"nll ignore small":     {nll(ab, intAttr("ignore_index", math.MinInt64)), tensor.NLL{IgnoreIndex: index(math.MinInt64)}, 2},
		"nll ignore beyond 32": {nll(ab, intAttr("ignore_index", 1<<32)), tensor.NLL{IgnoreIndex: index(1 << 32)}, 2},
	} {
		op, args := onlyStep(t, mustParse(t, c.model), inputs)
		assert.Equal(t, c.want, op, name)
		assert.Len(t, args, c.args, name)
	}
}

func TestMessagesNameThings(t *testing.T) {
	path := filepath.Join(t.TempDir(), "m.onnx")
	write := func(m message) {
		require.NoError(t, os.WriteFile(path, m, 0o600))
	}
	write(cumsumModel(cumsumNode.text(nodeName, "sum1").attr(intAttr("exclusive", 2))))
	_, err := ReadModel(path)
	assert.EqualError(t, err, path+`: node 0 ("CumSum" named "sum1"): cumsum: attribute exclusive is 2, must be 0 or 1`)
	write(cumsumModel(cumsumNode))
	m, err := ReadModel(path)
	require.NoError(t, err)
	_, err = m.Bind([]tensor.Dense{floats6, of([]int32{2})})
	assert.EqualError(t, err, path+`: cumsum: axis 2 out of range for rank 2`)
	_, err = m.Bind([]tensor.Dense{of([]float32{1}, 1), axis0})
	assert.EqualError(t, err, path+`: input 0, "x": shape mismatch: tensor of float32[1], declared "x" float32[2 3]`)
}

// Names in a file may be anything; what is printed of them may not.
func TestHostileNames(t *testing.T) {
	long := string(make([]byte, 1000)) + "\x1b[31m"
	_, err := ParseModel(modelOf(14, nodePart(nodeOf(long, []string{"x"}, "y"))))
	require.ErrorIs(t, err, ErrUnsupported)
	assert.NotContains(t, err.Error(), "\x00")
	assert.Less(t, len(err.Error()), 1000)
	_, err = ParseModel(scan(14, initPart(named("axis", axis1)), nodePart(cumsumNode.attr(intAttr("\x1b[31m", 1)))))
	require.ErrorIs(t, err, tensor.ErrAttribute)
	assert.NotContains(t, err.Error(), "\x1b")
}

func TestBindMayRunConcurrently(t *testing.T) {
	m := mustParse(t, scan(14, initPart(named("axis", axis1)), nodePart(cumsumNode)))
	for range 8 {
		t.Run("", func(t *testing.T) {
			t.Parallel()
			for range 100 {
				_, err := m.Bind([]tensor.Dense{floats6})
				assert.NoError(t, err)
			}
		})
	}
}
