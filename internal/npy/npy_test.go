package npy

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"vkops/internal/heap"
	"vkops/tensor"
)

// file builds an .npy file around a header text.
func file(major byte, header, data string) []byte {
	b := []byte(magic)
	b = append(b, major, 0)
	if major == 1 {
		b = binary.LittleEndian.AppendUint16(b, uint16(len(header)))
	} else {
		b = binary.LittleEndian.AppendUint32(b, uint32(len(header)))
	}
	return append(append(b, header...), data...)
}

func head(descr, order, shape string) string {
	return fmt.Sprintf("{'descr': '%s', 'fortran_order': %s, 'shape': %s, }\n", descr, order, shape)
}

// randomDense has every bit pattern, NaNs included: a codec may not touch them.
func randomDense(t *testing.T, r *rand.Rand, dtype tensor.DType, shape tensor.Shape) tensor.Dense {
	t.Helper()
	d, err := tensor.NewDense(tensor.Type{DType: dtype, Shape: shape})
	require.NoError(t, err)
	for i := range d.Data {
		d.Data[i] = byte(r.Uint32())
	}
	return d
}

var someShapes = []tensor.Shape{{}, {0}, {1}, {3}, {2, 3}, {3, 0, 4}, {1, 1, 1, 1, 1, 1, 2}, {4097}, {17, 15, 16}}

func TestRoundTrip(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, dtype := range tensor.AllDTypes() {
		for _, shape := range someShapes {
			d := randomDense(t, r, dtype, shape)
			var b bytes.Buffer
			require.NoError(t, Write(&b, d))
			assert.Zero(t, (b.Len()-len(d.Data))%alignment, "data of %s is not aligned", d.Type)
			opts := Options{Void2: tensor.BF16}
			for name, reader := range map[string]io.Reader{
				"known size":   bytes.NewReader(b.Bytes()),
				"unknown size": iotest.OneByteReader(bytes.NewReader(b.Bytes())),
			} {
				back, err := Read(reader, opts)
				require.NoError(t, err, "%s, %s", d.Type, name)
				require.True(t, d.Type.Equal(back.Type), "%s became %s", d.Type, back.Type)
				require.True(t, bytes.Equal(d.Data, back.Data), "data of %s, %s", d.Type, name)
			}
		}
	}
}

// The bytes that NumPy writes for np.save of the same arrays.
func TestWriteIsNumPys(t *testing.T) {
	for _, c := range []struct {
		d      tensor.Dense
		header string
	}{
		{must(tensor.Of([]float32{1, 2}, 2)), "{'descr': '<f4', 'fortran_order': False, 'shape': (2,), }"},
		{must(tensor.Of([]int64{7})), "{'descr': '<i8', 'fortran_order': False, 'shape': (), }"},
		{must(tensor.Of([]uint32{}, 2, 0, 3)), "{'descr': '<u4', 'fortran_order': False, 'shape': (2, 0, 3), }"},
		{must(tensor.Of([]tensor.BFloat16{1}, 1)), "{'descr': '<V2', 'fortran_order': False, 'shape': (1,), }"},
	} {
		var b bytes.Buffer
		require.NoError(t, Write(&b, c.d))
		want := "\x93NUMPY\x01\x00\x76\x00" + c.header + strings.Repeat(" ", 128-10-1-len(c.header)) + "\n" + string(c.d.Data)
		assert.Equal(t, want, b.String())
	}
}

func must(d tensor.Dense, err error) tensor.Dense {
	if err != nil {
		panic(err)
	}
	return d
}

func TestReadForms(t *testing.T) {
	const le = "\x01\x00\x00\x00\x02\x00\x00\x00\x03\x00\x00\x00\x04\x00\x00\x00\x05\x00\x00\x00\x06\x00\x00\x00"
	const be = "\x00\x00\x00\x01\x00\x00\x00\x02\x00\x00\x00\x03\x00\x00\x00\x04\x00\x00\x00\x05\x00\x00\x00\x06"
	c := must(tensor.Of([]int32{1, 2, 3, 4, 5, 6}, 2, 3))
	transposed := must(tensor.Of([]int32{1, 3, 5, 2, 4, 6}, 2, 3))
	for name, f := range map[string]struct {
		file []byte
		want tensor.Dense
	}{
		"version 1":        {file(1, head("<i4", "False", "(2, 3)"), le), c},
		"version 2":        {file(2, head("<i4", "False", "(2, 3)"), le), c},
		"version 3":        {file(3, head("<i4", "False", "(2, 3)"), le), c},
		"big-endian":       {file(1, head(">i4", "False", "(2, 3)"), be), c},
		"Fortran":          {file(1, head("<i4", "True", "(2, 3)"), le), transposed},
		"Fortran, big":     {file(1, head(">i4", "True", "(2, 3)"), be), transposed},
		"Fortran, 1-D":     {file(1, head("<i4", "True", "(6,)"), le), must(tensor.Of([]int32{1, 2, 3, 4, 5, 6}, 6))},
		"comma at the end": {file(1, head("<i4", "False", "(2, 3,)"), le), c},
		"no last comma":    {file(1, "{'shape': (2, 3), 'fortran_order': False, 'descr': '<i4'}", le), c},
		"no white space":   {file(1, `{"shape":(2,3),"fortran_order":False,"descr":"<i4"}`, le), c},
		"Python 2":         {file(1, head("<i4", "False", "(2L, 3L)"), le), c},
		"scalar":           {file(1, head("<i4", "False", "()"), le[:4]), must(tensor.Of([]int32{1}))},
		"scalar, Fortran":  {file(1, head("<i4", "True", "( )"), le[:4]), must(tensor.Of([]int32{1}))},
		"empty":            {file(1, head("<i4", "True", "(2, 0)"), ""), must(tensor.Of([]int32{}, 2, 0))},
		"bfloat16":         {file(1, head("<V2", "False", "(2,)"), "\x80\x3f\x00\x40"), must(tensor.Of([]tensor.BFloat16{0x3f80, 0x4000}, 2))},
		"bfloat16, |":      {file(1, head("|V2", "False", "(2,)"), "\x80\x3f\x00\x40"), must(tensor.Of([]tensor.BFloat16{0x3f80, 0x4000}, 2))},
	} {
		got, err := Read(bytes.NewReader(f.file), Options{Void2: tensor.BF16})
		require.NoError(t, err, name)
		assert.True(t, f.want.Type.Equal(got.Type), "%s: %s", name, got.Type)
		assert.Equal(t, f.want.Data, got.Data, name)
	}
}

// Every type and several ranks against the formula of the two orders.
func TestFortranOrder(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for _, dtype := range tensor.AllDTypes() {
		for _, shape := range []tensor.Shape{{5}, {1, 7}, {7, 1}, {3, 5}, {2, 3, 4}, {2, 1, 3, 2, 5}, {33, 17}} {
			c := randomDense(t, r, dtype, shape)
			size := dtype.Size()
			fortran := make([]byte, len(c.Data))
			for i := 0; i < len(c.Data)/size; i++ {
				rest, stride, at := i, 1, 0
				strides := make([]int, len(shape))
				for k, n := range shape {
					strides[k] = stride
					stride *= n
				}
				for k := len(shape) - 1; k >= 0; k-- {
					at += rest % shape[k] * strides[k]
					rest /= shape[k]
				}
				copy(fortran[at*size:], c.Data[i*size:][:size])
			}
			text := strings.ReplaceAll(strings.Trim(shape.String(), "[]"), " ", ", ")
			got, err := Read(bytes.NewReader(file(1, head("<"+descrs[dtype], "True", "("+text+",)"), string(fortran))), Options{Void2: tensor.BF16})
			require.NoError(t, err)
			require.Equal(t, c.Data, got.Data, "%s", c.Type)
		}
	}
}

func TestVoidAsWhat(t *testing.T) {
	f := file(1, head("<V2", "False", "(1,)"), "12")
	_, err := Read(bytes.NewReader(f), Options{Void2: tensor.F32})
	assert.ErrorIs(t, err, tensor.ErrType)
	_, err = Read(bytes.NewReader(file(1, head(">V2", "False", "(1,)"), "12")), Options{Void2: tensor.BF16})
	assert.ErrorIs(t, err, ErrUnsupported)
}

// Every file cut short anywhere, or with a byte more, is refused.
func TestTruncations(t *testing.T) {
	var b bytes.Buffer
	require.NoError(t, Write(&b, must(tensor.Of([]float64{1, 2, 3}, 3))))
	for n := range b.Len() {
		_, err := Read(bytes.NewReader(b.Bytes()[:n]), Options{})
		require.ErrorIs(t, err, ErrFormat, "%d bytes", n)
	}
	_, err := Read(bytes.NewReader(append(b.Bytes(), 0)), Options{})
	require.ErrorIs(t, err, ErrFormat)
}

func TestHeaderAloneTakesNoMemory(t *testing.T) {
	small := file(1, head("<f4", "True", "(1099511627776,)"), strings.Repeat("1234", 1000))
	path := filepath.Join(t.TempDir(), "small.npy")
	require.NoError(t, os.WriteFile(path, small, 0o600))
	f, err := os.Open(path)
	require.NoError(t, err)
	defer f.Close()
	for name, r := range map[string]io.Reader{
		"known": bytes.NewReader(small), "unknown": io.MultiReader(bytes.NewReader(small)), "file": f,
	} {
		taken := heap.Allocated(2*chunk, func() {
			_, err := Read(r, Options{})
			require.ErrorIs(t, err, ErrFormat)
		})
		assert.Less(t, taken, uint64(2*chunk), name)
	}
}

func TestLargeThroughPipe(t *testing.T) {
	d := randomDense(t, rand.New(rand.NewPCG(5, 6)), tensor.F32, tensor.Shape{3, chunk/4 + 5})
	r, w, err := os.Pipe()
	require.NoError(t, err)
	defer r.Close()
	go func() {
		assert.NoError(t, Write(w, d))
		assert.NoError(t, w.Close())
	}()
	back, err := Read(r, Options{})
	require.NoError(t, err)
	require.True(t, bytes.Equal(d.Data, back.Data))
}

func TestReadErrorsPassThrough(t *testing.T) {
	var b bytes.Buffer
	require.NoError(t, Write(&b, must(tensor.Of([]float64{1, 2, 3}, 3))))
	for _, n := range []int{0, 7, 9, 50, 128, 140, b.Len()} {
		r := io.MultiReader(bytes.NewReader(b.Bytes()[:n]), iotest.ErrReader(os.ErrDeadlineExceeded))
		_, err := Read(r, Options{})
		assert.ErrorIs(t, err, os.ErrDeadlineExceeded, "after %d bytes", n)
	}
}

func TestWriteRefuses(t *testing.T) {
	for name, d := range map[string]tensor.Dense{
		"no type":        {Type: tensor.Type{Shape: tensor.Shape{0}}},
		"short data":     {Type: tensor.Type{DType: tensor.F32, Shape: tensor.Shape{2}}, Data: make([]byte, 4)},
		"negative":       {Type: tensor.Type{DType: tensor.F32, Shape: tensor.Shape{-2}}},
		"rank too large": {Type: tensor.Type{DType: tensor.F32, Shape: make(tensor.Shape, 30000)}},
	} {
		var b bytes.Buffer
		assert.Error(t, Write(&b, d), name)
		assert.Zero(t, b.Len(), name)
	}
}
