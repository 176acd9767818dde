package onnx

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"vkops/cpuref"
	"vkops/tensor"
)

func lossModel(version int64, number int64, outputs []string, attrs ...message) message {
	n := nodeOf("SoftmaxCrossEntropyLoss", []string{"x", "t"}, outputs...)
	for _, a := range attrs {
		n = n.attr(a)
	}
	parts := []message{inputPart(declare("x", number, 2, 3)), inputPart(declare("t", numI64, 2)), nodePart(n)}
	for _, name := range outputs {
		switch name {
		case "loss":
			parts = append(parts, outputPart(declare("loss", number)))
		case "log_prob":
			parts = append(parts, outputPart(declare("log_prob", number, 2, 3)))
		}
	}
	return modelOf(version, parts...)
}

func TestLossOfScores(t *testing.T) {
	labels, err := tensor.Of([]int64{2, 0}, 2)
	require.NoError(t, err)
	op := tensor.SoftmaxCrossEntropyLoss{Reduction: tensor.Sum}
	want, err := cpuref.Run(op, floats6, labels)
	require.NoError(t, err)
	logs, err := cpuref.Run(tensor.LogSoftmax{Axis: 1}, floats6)
	require.NoError(t, err)
	for _, outputs := range [][]string{{"loss"}, {"loss", ""}, {"loss", "log_prob"}} {
		b, err := mustParse(t, lossModel(13, numF32, outputs, stringAttr("reduction", "sum"))).Bind([]tensor.Dense{floats6, labels})
		require.NoError(t, err)
		got, err := Evaluate(b, func(d tensor.Dense) (tensor.Dense, error) { return d, nil }, cpuref.Run, nil)
		require.NoError(t, err)
		assert.Equal(t, want, got[0])
		if len(b.Outputs) == 2 {
			assert.Equal(t, logs, got[1])
			assert.Len(t, b.Steps, 2)
		} else {
			assert.Len(t, b.Steps, 1, "nothing but the loss is computed")
		}
	}
	_, err = ParseModel(lossModel(13, numF32, []string{"", "log_prob"}))
	require.ErrorIs(t, err, tensor.ErrArity)
	_, err = ParseModel(lossModel(13, numF32, []string{"loss", "loss"}))
	require.ErrorIs(t, err, ErrFormat)
	_, err = ParseModel(lossModel(13, numF32, []string{"loss"}, stringAttr("reduction", "max")))
	require.ErrorIs(t, err, tensor.ErrAttribute)
	m := mustParse(t, lossModel(12, 16, []string{"loss"}))
	_, err = m.BindTypes([]tensor.Type{{DType: tensor.BF16, Shape: tensor.Shape{2, 3}}, labels.Type})
	require.ErrorIs(t, err, ErrUnsupported)
}

func TestLogSoftmaxAxis(t *testing.T) {
	for _, c := range []struct {
		attrs []message
		want  int
	}{{nil, -1}, {[]message{intAttr("axis", 0)}, 0}} {
		n := nodeOf("LogSoftmax", []string{"x"}, "y")
		for _, a := range c.attrs {
			n = n.attr(a)
		}
		b, err := mustParse(t, scan(13, nodePart(n))).Bind([]tensor.Dense{floats6})
		require.NoError(t, err)
		assert.Equal(t, tensor.LogSoftmax{Axis: c.want}, b.Steps[0].Op)
	}
	_, err := ParseModel(scan(11, nodePart(nodeOf("LogSoftmax", []string{"x"}, "y"))))
	require.ErrorIs(t, err, ErrUnsupported)
}
