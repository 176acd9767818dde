package onnx

import (
	"bytes"
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"vkops/internal/heap"
	"vkops/tensor"
)

// requireModest holds reading to its promise: memory in proportion to the file.
// The factor allows for the smallest messages, of which each becomes a struct.
func requireModest(t *testing.T, data []byte, f func()) {
	t.Helper()
	limit := uint64(64*len(data) + 1<<20)
	if taken := heap.Allocated(limit, f); taken > limit {
		t.Fatalf("%d bytes of memory for a file of %d", taken, len(data))
	}
}

// What is small in a file and larger in memory, repeated.
func TestMemoryIsInProportion(t *testing.T) {
	const n = 100000
	repeat := func(m message) message { return bytes.Repeat(m, n) }
	numbered := func(part func(name string) message) message {
		var parts message
		for i := range n / 10 {
			parts = parts.and(part(strconv.Itoa(i)))
		}
		return scan(14, parts)
	}
	for name, data := range map[string]message{
		"initializers": numbered(func(name string) message { return initPart(dims(0).int(tensorDataType, 1).text(tensorName, name)) }),
		"constants": numbered(func(name string) message {
			return nodePart(nodeOf("Constant", nil, name).attr(intAttr("value_int", 1)))
		}),
		"declarations": numbered(func(name string) message { return inputPart(declare(name, 1)) }),
		"dims":         dims().bytes(tensorDims, make([]byte, n)).int(tensorDataType, 1),
		"int64 packed": dims(n).int(tensorDataType, numI64).bytes(tensorInt64Data, make([]byte, n)),
		"int64":        dims(n).int(tensorDataType, numI64).and(repeat(message{}.int(tensorInt64Data, 0))),
		"nodes":        modelOf(14, repeat(nodePart(nil))),
		"node inputs":  scan(14, nodePart(nodeOf("CumSum", make([]string, n), "y"))),
		"attributes":   scan(14, nodePart(repeat(message{}.bytes(nodeAttribute, nil)).and(cumsumNode))),
		"ints":         scan(14, axisConstant(intsAttr("value_ints", make([]int64, n)...)), nodePart(cumsumNode)),
		"inputs":       modelOf(14, repeat(inputPart(nil))),
		"dimensions":   modelOf(14, inputPart(valueInfo("x", message{}.int(elementType, 1).bytes(elementShape, repeat(message{}.bytes(shapeDim, nil)))))),
	} {
		requireModest(t, data, func() {
			_, _, _ = ParseTensor(data)
			_, _ = ParseModel(data)
		})
		taken := heap.Allocated(0, func() { _, _ = ParseModel(data) })
		t.Logf("%s: %d bytes, %.1f times that in memory", name, len(data), float64(taken)/float64(len(data)))
	}
}

func seeds(f *testing.F, pattern string) {
	f.Helper()
	for _, path := range caseFiles(f, pattern) {
		data, err := os.ReadFile(path)
		require.NoError(f, err)
		if len(data) < 4096 {
			f.Add(data)
		}
	}
}

func FuzzTensor(f *testing.F) {
	seeds(f, filepath.Join("test_data_set_0", "*.pb"))
	for _, c := range malformedTensors {
		f.Add([]byte(c.data))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		requireModest(t, data, func() {
			d, name, err := ParseTensor(data)
			if err != nil {
				return
			}
			requireWhole(t, d)
			var b bytes.Buffer
			require.NoError(t, WriteTensor(&b, d, name))
			back, backName, err := ParseTensor(b.Bytes())
			require.NoError(t, err)
			require.Equal(t, name, backName)
			require.True(t, d.Type.Equal(back.Type))
			require.True(t, bytes.Equal(d.Data, back.Data))
		})
	})
}

func requireWhole(t *testing.T, d tensor.Dense) {
	t.Helper()
	n, err := d.Bytes()
	require.NoError(t, err)
	require.Equal(t, n, int64(len(d.Data)))
}

func FuzzModel(f *testing.F) {
	seeds(f, "model.onnx")
	for _, c := range malformedModels {
		f.Add([]byte(c.model))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		requireModest(t, data, func() {
			m, err := ParseModel(data)
			if err != nil {
				return
			}
			inputs := smallInputs(m.Inputs)
			if inputs == nil {
				return
			}
			b, err := m.Bind(inputs)
			if err != nil {
				return
			}
			requireSound(t, b)
		})
	})
}

// requireSound checks that a bound model can be computed: a step takes what is there
// by then, and gives the type that its operator infers.
func requireSound(t *testing.T, b *Bound) {
	t.Helper()
	there := make([]bool, len(b.Values))
	for i, v := range b.Values {
		if there[i] = !v.Computed; there[i] {
			requireWhole(t, v.Dense)
		}
	}
	for _, step := range b.Steps {
		var types []tensor.Type
		for _, i := range step.Inputs {
			require.True(t, there[i])
			types = append(types, b.Values[i].Type)
		}
		out, err := step.Op.Infer(types...)
		require.NoError(t, err)
		require.True(t, out.Equal(b.Values[step.Output].Type))
		there[step.Output] = true
	}
	for _, i := range b.Outputs {
		require.True(t, there[i])
	}
}

// smallInputs makes tensors as declared, open dimensions 2; nil if they are not small.
func smallInputs(declared []ValueInfo) []tensor.Dense {
	inputs := []tensor.Dense{}
	for _, info := range declared {
		shape := tensor.Shape{}
		for _, d := range info.Dims {
			if d.Size < 0 {
				d.Size = 2
			}
			shape = append(shape, d.Size)
		}
		t := tensor.Type{DType: info.DType, Shape: shape}
		if n, err := t.Bytes(); err != nil || n > 4096 {
			return nil
		}
		d, err := tensor.NewDense(t)
		if err != nil {
			return nil
		}
		inputs = append(inputs, d)
	}
	return inputs
}
