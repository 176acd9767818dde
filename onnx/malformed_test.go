package onnx

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"vkops/tensor"
)

func log1pModel(parts ...message) message {
	return scan(29, append([]message{nodePart(nodeOf("Log1p", []string{"x"}, "y"))}, parts...)...)
}

// axisConstant is a Constant node named axis, with attributes.
func axisConstant(attrs ...message) message {
	n := nodeOf("Constant", nil, "axis")
	for _, a := range attrs {
		n = n.attr(a)
	}
	return nodePart(n)
}

func nllNode(inputs []string, attrs ...message) message {
	n := nodeOf("NegativeLogLikelihoodLoss", inputs, "y")
	for _, a := range attrs {
		n = n.attr(a)
	}
	return nodePart(n)
}

var malformedModels = map[string]struct {
	model message
	want  error
}{
	"empty file":             {nil, ErrFormat},
	"text":                   {message("this is not a model"), ErrFormat},
	"a tensor":               {named("x", floats6), ErrFormat},
	"no graph":               {message{}.int(modelIRVersion, 8).and(opset("", 14)), ErrFormat},
	"empty graph":            {modelOf(14), ErrUnsupported},
	"graph cut off":          {cumsumModel(cumsumNode)[:60], ErrFormat},
	"graph as number":        {message{}.int(modelIRVersion, 8).int(modelGraph, 1).and(opset("", 14)), ErrFormat},
	"two models":             {cumsumModel(cumsumNode).and(cumsumModel(cumsumNode)), ErrFormat},
	"no ir_version":          {message{}.bytes(modelGraph, nil).and(opset("", 14)), ErrFormat},
	"old ir_version":         {message{}.int(modelIRVersion, 2).bytes(modelGraph, nil).and(opset("", 14)), ErrFormat},
	"no opset":               {message{}.int(modelIRVersion, 8).bytes(modelGraph, nil), ErrFormat},
	"opset of others":        {message{}.int(modelIRVersion, 8).bytes(modelGraph, nil).and(opset("ai.onnx.ml", 14)), ErrFormat},
	"opset 0":                {message{}.int(modelIRVersion, 8).bytes(modelGraph, nil).and(opset("", 0)), ErrFormat},
	"opset negative":         {message{}.int(modelIRVersion, 8).bytes(modelGraph, nil).and(opset("", -1)), ErrFormat},
	"two opsets":             {cumsumModel(cumsumNode).and(opset("ai.onnx", 15)), ErrFormat},
	"functions":              {cumsumModel(cumsumNode).bytes(modelFunctions, nil), ErrUnsupported},
	"sparse initializer":     {cumsumModel(cumsumNode, message{}.bytes(graphSparseInitializer, nil)), ErrUnsupported},
	"other operator":         {scan(14, nodePart(nodeOf("Relu", []string{"x"}, "y"))), ErrUnsupported},
	"other operator first":   {scan(14, nodePart(nodeOf("Relu", []string{"x"}, "z")), initPart(named("axis", axis1)), nodePart(cumsumNode)), ErrUnsupported},
	"other operator after":   {log1pModel(nodePart(nodeOf("Relu", []string{"y"}, "z"))), ErrUnsupported},
	"other domain":           {scan(14, initPart(named("axis", axis1)), nodePart(cumsumNode.text(nodeDomain, "com.example"))), ErrUnsupported},
	"Constant of others":     {scan(14, nodePart(nodeOf("Constant", nil, "axis").attr(intAttr("value_int", 0)).text(nodeDomain, "com.example")), nodePart(cumsumNode)), ErrUnsupported},
	"overload":               {scan(14, initPart(named("axis", axis1)), nodePart(cumsumNode.text(nodeOverload, "a"))), ErrUnsupported},
	"only constants":         {scan(14, axisConstant(intAttr("value_int", 0))), ErrUnsupported},
	"no op_type":             {scan(14, nodePart(message{}.text(nodeInput, "x").text(nodeOutput, "y"))), ErrFormat},
	"empty node":             {scan(14, nodePart(nil)), ErrFormat},
	"CumSum of 10":           {scan(10, initPart(named("axis", axis1)), nodePart(cumsumNode)), ErrUnsupported},
	"NLL of 11":              {modelOf(11, inputPart(declare("x", numF32, 2, 3)), inputPart(declare("t", numI64, 2)), outputPart(declare("y", numF32)), nllNode([]string{"x", "t"})), ErrUnsupported},
	"Log1p of 28":            {scan(28, nodePart(nodeOf("Log1p", []string{"x"}, "y"))), ErrUnsupported},
	"LogCumSumExp of 28":     {scan(28, nodePart(nodeOf("LogCumSumExp", []string{"x"}, "y"))), ErrUnsupported},
	"unknown attribute":      {cumsumModel(cumsumNode.attr(intAttr("axis", 1))), tensor.ErrAttribute},
	"attribute of Log1p":     {scan(29, nodePart(nodeOf("Log1p", []string{"x"}, "y").attr(intAttr("axis", 1)))), tensor.ErrAttribute},
	"attribute in capitals":  {cumsumModel(cumsumNode.attr(intAttr("Exclusive", 1))), tensor.ErrAttribute},
	"attribute twice":        {cumsumModel(cumsumNode.attr(intAttr("reverse", 1)).attr(intAttr("reverse", 1))), tensor.ErrAttribute},
	"attribute without name": {cumsumModel(cumsumNode.attr(message{}.int(attributeI, 1).int(attributeType, 2))), ErrFormat},
	"attribute without type": {cumsumModel(cumsumNode.attr(message{}.text(attributeName, "reverse").int(attributeI, 1))), tensor.ErrAttribute},
	"attribute without t":    {scan(14, axisConstant(message{}.text(attributeName, "value").int(attributeType, 4)), nodePart(cumsumNode)), ErrFormat},
	"attribute by reference": {cumsumModel(cumsumNode.attr(intAttr("reverse", 1).text(attributeRefName, "r"))), ErrUnsupported},
	"reverse is a float":     {cumsumModel(cumsumNode.attr(floatAttr("reverse", 1))), tensor.ErrAttribute},
	"reverse is text":        {cumsumModel(cumsumNode.attr(stringAttr("reverse", "1"))), tensor.ErrAttribute},
	"reverse is a list":      {cumsumModel(cumsumNode.attr(intsAttr("reverse", 1))), tensor.ErrAttribute},
	"reverse is a graph":     {cumsumModel(cumsumNode.attr(message{}.text(attributeName, "reverse").bytes(attributeG, nil).int(attributeType, 5))), tensor.ErrAttribute},
	"reverse has two values": {cumsumModel(cumsumNode.attr(intAttr("reverse", 1).fixed32(attributeF, 0))), tensor.ErrAttribute},
	"type of i is float":     {cumsumModel(cumsumNode.attr(message{}.text(attributeName, "reverse").int(attributeI, 1).int(attributeType, 1))), tensor.ErrAttribute},
	"reverse 2":              {cumsumModel(cumsumNode.attr(intAttr("reverse", 2))), tensor.ErrAttribute},
	"reverse -1":             {cumsumModel(cumsumNode.attr(intAttr("reverse", -1))), tensor.ErrAttribute},
	"exclusive 2^32 + 1":     {cumsumModel(cumsumNode.attr(intAttr("exclusive", 1<<32+1))), tensor.ErrAttribute},
	"axis attribute 2^32":    {scan(29, nodePart(nodeOf("LogCumSumExp", []string{"x"}, "y").attr(intAttr("axis", 1<<32)))), tensor.ErrAxis},
	"reduction max":          {scan(13, nllNode([]string{"x", "x"}, stringAttr("reduction", "max"))), tensor.ErrAttribute},
	"reduction Mean":         {scan(13, nllNode([]string{"x", "x"}, stringAttr("reduction", "Mean"))), tensor.ErrAttribute},
	"reduction empty":        {scan(13, nllNode([]string{"x", "x"}, stringAttr("reduction", ""))), tensor.ErrAttribute},
	"reduction is int":       {scan(13, nllNode([]string{"x", "x"}, intAttr("reduction", 0))), tensor.ErrAttribute},
	"ignore_index is float":  {scan(13, nllNode([]string{"x", "x"}, floatAttr("ignore_index", 0))), tensor.ErrAttribute},
	"no axis":                {cumsumModel(nodeOf("CumSum", []string{"x"}, "y")), tensor.ErrArity},
	"axis absent":            {cumsumModel(nodeOf("CumSum", []string{"x", ""}, "y")), tensor.ErrArity},
	"x absent":               {cumsumModel(nodeOf("CumSum", []string{"", "axis"}, "y")), tensor.ErrArity},
	"three inputs":           {cumsumModel(nodeOf("CumSum", []string{"x", "axis", "x"}, "y")), tensor.ErrArity},
	"no inputs":              {cumsumModel(nodeOf("CumSum", nil, "y")), tensor.ErrArity},
	"many inputs":            {cumsumModel(nodeOf("CumSum", make([]string, 100), "y")), ErrUnsupported},
	"no output":              {cumsumModel(nodeOf("CumSum", []string{"x", "axis"})), tensor.ErrArity},
	"two outputs":            {cumsumModel(nodeOf("CumSum", []string{"x", "axis"}, "y", "z")), tensor.ErrArity},
	"output without a name":  {cumsumModel(nodeOf("CumSum", []string{"x", "axis"}, "")), tensor.ErrArity},
	"input from nowhere":     {cumsumModel(nodeOf("CumSum", []string{"x", "axes"}, "y")), ErrFormat},
	"input from later":       {scan(14, nodePart(cumsumNode), axisConstant(intAttr("value_int", 0))), ErrFormat},
	"input is the output":    {cumsumModel(nodeOf("CumSum", []string{"y", "axis"}, "y")), ErrFormat},
	"output is an input":     {cumsumModel(nodeOf("CumSum", []string{"x", "axis"}, "x")), ErrFormat},
	"input declared twice":   {cumsumModel(cumsumNode, inputPart(declare("x", numF32))), ErrFormat},
	"initializer twice":      {scan(14, initPart(named("axis", axis0)), initPart(named("axis", axis1)), nodePart(cumsumNode)), ErrFormat},
	"constant twice":         {scan(14, initPart(named("axis", axis0)), axisConstant(intAttr("value_int", 0)), nodePart(cumsumNode)), ErrFormat},
	"constant over output":   {log1pModel(nodePart(nodeOf("Constant", nil, "y").attr(intAttr("value_int", 1)))), ErrFormat},
	"initializer unnamed":    {scan(14, initPart(named("", axis0)), nodePart(cumsumNode)), ErrFormat},
	"initializer broken":     {scan(14, initPart(dims(2).int(tensorDataType, numI32).text(tensorName, "axis")), nodePart(cumsumNode)), ErrFormat},
	"initializer elsewhere": {scan(14, initPart(dims().int(tensorDataType, numI32).text(tensorName, "axis").int(tensorDataLocation, 1).
		bytes(tensorExternalData, message{}.text(1, "location").text(2, "../../etc/passwd"))), nodePart(cumsumNode)), ErrUnsupported},
	"default of other type":  {cumsumModel(cumsumNode, initPart(named("axis", of([]int64{0})))), tensor.ErrType},
	"default of other shape": {cumsumModel(cumsumNode, initPart(named("axis", of([]int32{0}, 1)))), tensor.ErrShape},
	"no graph output":        {modelOf(29, inputPart(declare("x", numF32)), nodePart(nodeOf("Log1p", []string{"x"}, "y"))), ErrFormat},
	"a graph output twice":   {log1pModel(outputPart(declare("y", numF32, 2, 3))), ErrFormat},
	"other graph output":     {modelOf(29, inputPart(declare("x", numF32)), outputPart(declare("z", numF32)), nodePart(nodeOf("Log1p", []string{"x"}, "y"))), ErrFormat},
	"Constant without value": {scan(14, axisConstant(), nodePart(cumsumNode)), tensor.ErrAttribute},
	"Constant of two values": {scan(14, axisConstant(intAttr("value_int", 0), floatAttr("value_float", 0)), nodePart(cumsumNode)), tensor.ErrAttribute},
	"Constant of text":       {scan(14, axisConstant(stringAttr("value_string", "x")), nodePart(cumsumNode)), tensor.ErrAttribute},
	"Constant with input":    {scan(14, nodePart(nodeOf("Constant", []string{"x"}, "axis").attr(intAttr("value_int", 0))), nodePart(cumsumNode)), tensor.ErrArity},
	"Constant of two":        {scan(14, nodePart(nodeOf("Constant", nil, "axis", "b").attr(intAttr("value_int", 0))), nodePart(cumsumNode)), tensor.ErrArity},
	"Constant broken":        {scan(14, axisConstant(tensorAttr("value", dims(3).int(tensorDataType, numI32))), nodePart(cumsumNode)), ErrFormat},
	"value_int of 11":        {scan(11, axisConstant(intAttr("value_int", 0)), nodePart(cumsumNode)), tensor.ErrAttribute},
	"input of uint8":         {modelOf(29, inputPart(declare("x", 2)), outputPart(declare("y", 2)), nodePart(nodeOf("Log1p", []string{"x"}, "y"))), tensor.ErrType},
	"input of type 0":        {modelOf(29, inputPart(declare("x", 0)), nodePart(nodeOf("Log1p", []string{"x"}, "y"))), ErrFormat},
	"input without type":     {modelOf(29, inputPart(message{}.text(valueName, "x"))), ErrFormat},
	"input without name":     {modelOf(29, inputPart(declare("", numF32))), ErrFormat},
	"input is a sequence":    {modelOf(29, inputPart(message{}.text(valueName, "x").bytes(valueType, message{}.bytes(typeSequence, nil)))), ErrUnsupported},
	"input is a map":         {modelOf(29, inputPart(message{}.text(valueName, "x").bytes(valueType, message{}.bytes(typeMap, nil)))), ErrUnsupported},
	"input is optional":      {modelOf(29, inputPart(message{}.text(valueName, "x").bytes(valueType, message{}.bytes(typeOptional, nil)))), ErrUnsupported},
	"input is sparse":        {modelOf(29, inputPart(message{}.text(valueName, "x").bytes(valueType, message{}.bytes(typeSparse, nil)))), ErrUnsupported},
	"declared dim negative":  {modelOf(29, inputPart(declare("x", numF32, -1))), ErrFormat},
	"dim of two kinds": {modelOf(29, inputPart(valueInfo("x", message{}.int(elementType, numF32).bytes(elementShape,
		message{}.bytes(shapeDim, message{}.int(dimensionValue, 1).text(dimensionParam, "N")))))), ErrFormat},
}

func TestMalformedModels(t *testing.T) {
	for name, c := range malformedModels {
		m, err := ParseModel(c.model)
		assert.ErrorIs(t, err, c.want, name)
		assert.Nil(t, m, name)
	}
}

func TestTruncatedModels(t *testing.T) {
	whole := scan(14, axisConstant(tensorAttr("value", named("", axis1))), nodePart(cumsumNode.attr(intAttr("reverse", 1))))
	for n := range len(whole) {
		_, err := ParseModel(whole[:n])
		require.ErrorIs(t, err, ErrFormat, "%d of %d bytes", n, len(whole))
	}
}

// An input that is wrong only together with the tensors given.
func TestBindRefuses(t *testing.T) {
	plain := cumsumModel(cumsumNode)
	open := func(number int64, xDims, yDims []any) message {
		return modelOf(29, inputPart(declare("x", number, xDims...)), outputPart(declare("y", number, yDims...)), nodePart(nodeOf("LogCumSumExp", []string{"x"}, "y")))
	}
	withAxisType := func(number int64, ds ...any) message {
		return modelOf(14, inputPart(declare("x", numF32, "?", "?")), inputPart(declare("axis", number, ds...)), outputPart(declare("y", numF32, "?", "?")), nodePart(cumsumNode))
	}
	short := floats6
	short.Data = short.Data[:4]
	half := of(make([]tensor.BFloat16, 6), 2, 3)
	for name, c := range map[string]struct {
		model  message
		inputs []tensor.Dense
		want   error
	}{
		"too few":              {plain, []tensor.Dense{floats6}, tensor.ErrArity},
		"too many":             {plain, []tensor.Dense{floats6, axis0, axis0}, tensor.ErrArity},
		"none":                 {plain, nil, tensor.ErrArity},
		"other type":           {plain, []tensor.Dense{of([]float64{1, 2, 3, 4, 5, 6}, 2, 3), axis0}, tensor.ErrType},
		"other rank":           {plain, []tensor.Dense{of([]float32{1, 2, 3, 4, 5, 6}, 6), axis0}, tensor.ErrShape},
		"other extent":         {plain, []tensor.Dense{of([]float32{1, 2, 3, 4, 5, 6}, 3, 2), axis0}, tensor.ErrShape},
		"swapped":              {plain, []tensor.Dense{axis0, floats6}, tensor.ErrType},
		"data short":           {plain, []tensor.Dense{short, axis0}, tensor.ErrShape},
		"axis too large":       {plain, []tensor.Dense{floats6, of([]int32{2})}, tensor.ErrAxis},
		"axis too small":       {plain, []tensor.Dense{floats6, of([]int32{-3})}, tensor.ErrAxis},
		"axis beyond 32 bits":  {withAxisType(numI64), []tensor.Dense{floats6, of([]int64{1 << 32})}, tensor.ErrAxis},
		"axis smallest":        {withAxisType(numI64), []tensor.Dense{floats6, of([]int64{math.MinInt64})}, tensor.ErrAxis},
		"axis of floats":       {withAxisType(numF32), []tensor.Dense{floats6, of([]float32{0})}, tensor.ErrType},
		"axis of uint32":       {withAxisType(12), []tensor.Dense{floats6, of([]uint32{0})}, tensor.ErrType},
		"axis of two":          {withAxisType(numI32, "?"), []tensor.Dense{floats6, of([]int32{0, 1}, 2)}, tensor.ErrShape},
		"axis of none":         {withAxisType(numI32, "?"), []tensor.Dense{floats6, of([]int32{}, 0)}, tensor.ErrShape},
		"axis of rank 2":       {withAxisType(numI32, "?", "?"), []tensor.Dense{floats6, of([]int32{0}, 1, 1)}, tensor.ErrShape},
		"scalar x":             {open(numF32, nil, nil), []tensor.Dense{of([]float32{1})}, tensor.ErrAxis},
		"integers":             {open(numI32, []any{"?", "?"}, []any{"?", "?"}), []tensor.Dense{of(make([]int32, 6), 2, 3)}, tensor.ErrType},
		"one name, two sizes":  {open(numF32, []any{"N", "N"}, []any{"N", "N"}), []tensor.Dense{floats6}, tensor.ErrShape},
		"output of other size": {open(numF32, []any{"N", "M"}, []any{"M", "N"}), []tensor.Dense{floats6}, tensor.ErrShape},
		"output of other rank": {open(numF32, []any{"N", "M"}, []any{"N"}), []tensor.Dense{floats6}, tensor.ErrShape},
		"bfloat16 before 14": {modelOf(13, inputPart(declare("x", 16, 2, 3)), outputPart(declare("y", 16, 2, 3)), initPart(named("axis", axis1)), nodePart(cumsumNode)),
			[]tensor.Dense{half}, tensor.ErrType},
	} {
		_, err := mustParse(t, c.model).Bind(c.inputs)
		assert.ErrorIs(t, err, c.want, name)
	}
	for name, c := range map[string]struct {
		model  message
		inputs []tensor.Dense
	}{
		"names that agree":     {open(numF32, []any{"N", "M"}, []any{"N", "M"}), []tensor.Dense{floats6}},
		"names and extents":    {open(numF32, []any{"N", 3}, []any{2, "?"}), []tensor.Dense{floats6}},
		"rank not declared":    {modelOf(29, inputPart(valueInfo("x", message{}.int(elementType, numF32))), outputPart(declare("y", numF32, 2, 3)), nodePart(nodeOf("Log1p", []string{"x"}, "y"))), []tensor.Dense{floats6}},
		"bfloat16 in 14":       {modelOf(14, inputPart(declare("x", 16, 2, 3)), outputPart(declare("y", 16, 2, 3)), initPart(named("axis", axis1)), nodePart(cumsumNode)), []tensor.Dense{half}},
		"an input left unused": {log1pModel(inputPart(declare("z", numF32, 2, 3))), []tensor.Dense{floats6, floats6}},
	} {
		_, err := mustParse(t, c.model).Bind(c.inputs)
		assert.NoError(t, err, name)
	}
}

func TestDeclarationsPrint(t *testing.T) {
	m := mustParse(t, modelOf(29, inputPart(declare("x", numF32, 2, "N", "?")), outputPart(declare("y", numF32, 2, "N", "?")), nodePart(nodeOf("Log1p", []string{"x"}, "y"))))
	assert.Equal(t, `"x" float32[2 "N" ?]`, m.Inputs[0].String())
	assert.Equal(t, `"x" float32[...]`, ValueInfo{Name: "x", DType: tensor.F32}.String())
}

// Messages nested in each other, as deep as a file can say, are only skipped.
func TestDeepNesting(t *testing.T) {
	deep := message{}.and(protoGroup(200, 100000))
	_, err := ParseModel(deep)
	assert.ErrorIs(t, err, ErrFormat)
	_, err = ParseModel(message(strings.Repeat("\x0b", 1<<20)))
	assert.ErrorIs(t, err, ErrFormat)
}

func ExampleModel_Bind() {
	m, err := ReadModel("../tests/testdata/spec/test_cumsum_2d_axis_1/model.onnx")
	if err != nil {
		fmt.Println(err)
		return
	}
	x, _ := tensor.Of([]float64{1, 2, 3, 4, 5, 6}, 2, 3)
	axis, _ := tensor.Of([]int32{1})
	b, err := m.Bind([]tensor.Dense{x, axis})
	if err != nil {
		fmt.Println(err)
		return
	}
	y := b.Values[b.Outputs[0]]
	fmt.Printf("%+v gives %s %s\n", b.Steps[0].Op, y.Name, y.Type)
	// Output: {Axis:1 Exclusive:false Reverse:false} gives y float64[2 3]
}

// TestEndlessFiles reads what has no end, or says that it is larger than any message.
func TestEndlessFiles(t *testing.T) {
	dir := t.TempDir()
	sparse := filepath.Join(dir, "sparse.onnx")
	require.NoError(t, os.WriteFile(sparse, nil, 0o600))
	require.NoError(t, os.Truncate(sparse, mostMessage+1))
	_, err := ReadModel(sparse)
	require.ErrorIs(t, err, ErrFormat)
	require.ErrorContains(t, err, sparse)
	if _, err := os.Stat("/dev/zero"); err != nil {
		return
	}
	for _, name := range []string{"zero.pb", "zero.npy", "zero.npz"} {
		path := filepath.Join(dir, name)
		require.NoError(t, os.Symlink("/dev/zero", path))
		_, err := ReadFile(path, NPYOptions{})
		require.ErrorIs(t, err, ErrFormat, name)
	}
}
