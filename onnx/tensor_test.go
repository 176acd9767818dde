package onnx

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"vkops/tensor"
)

func randomDense(t testing.TB, r *rand.Rand, dtype tensor.DType, shape tensor.Shape) tensor.Dense {
	t.Helper()
	d, err := tensor.NewDense(tensor.Type{DType: dtype, Shape: shape})
	require.NoError(t, err)
	for i := range d.Data {
		d.Data[i] = byte(r.Uint32())
	}
	return d
}

var someShapes = []tensor.Shape{{}, {0}, {1}, {3}, {2, 3}, {3, 0, 4}, {1, 1, 1, 1, 1, 1, 2}, {4097}}

func TestFilesRoundTrip(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	dir := t.TempDir()
	for _, dtype := range tensor.AllDTypes() {
		for _, shape := range someShapes {
			d := randomDense(t, r, dtype, shape)
			for _, ending := range []string{".pb", ".npy", ".PB", ".Npy"} {
				path := filepath.Join(dir, "x"+ending)
				require.NoError(t, CheckEnding(path))
				require.NoError(t, WriteFile(path, d, "x"))
				back, err := ReadFile(path, NPYOptions{Void2: tensor.BF16})
				require.NoError(t, err)
				require.True(t, d.Type.Equal(back.Type), "%s %s", d.Type, ending)
				require.True(t, bytes.Equal(d.Data, back.Data), "%s %s", d.Type, ending)
			}
		}
	}
}

func TestFileErrors(t *testing.T) {
	dir := t.TempDir()
	d := of([]float32{1}, 1)
	for _, name := range []string{"x", "x.txt", "npy", ".pb.bak", ""} {
		path := filepath.Join(dir, name)
		assert.ErrorIs(t, CheckEnding(path), ErrUnsupported, name)
		assert.ErrorIs(t, WriteFile(path, d, ""), ErrUnsupported, name)
		_, err := ReadFile(path, NPYOptions{})
		assert.ErrorIs(t, err, ErrUnsupported, name)
	}
	require.NoError(t, os.WriteFile(filepath.Join(dir, "bad.pb"), []byte("bad"), 0o600))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "bad.npy"), []byte("bad"), 0o600))
	require.NoError(t, os.Mkdir(filepath.Join(dir, "folder.pb"), 0o700))
	require.NoError(t, os.Mkdir(filepath.Join(dir, "folder.npy"), 0o700))
	for name, want := range map[string]error{
		"bad.pb": ErrFormat, "bad.npy": ErrFormat, "none.pb": os.ErrNotExist, "none.npy": os.ErrNotExist,
		"folder.pb": nil, "folder.npy": nil,
	} {
		_, err := ReadFile(filepath.Join(dir, name), NPYOptions{})
		require.ErrorContains(t, err, name)
		if want != nil {
			assert.ErrorIs(t, err, want, name)
		}
	}
	_, err := ReadModel(filepath.Join(dir, "bad.pb"))
	assert.ErrorIs(t, err, ErrFormat)
	assert.ErrorContains(t, err, "bad.pb")
	_, err = ReadModel(filepath.Join(dir, "none.onnx"))
	assert.ErrorIs(t, err, os.ErrNotExist)

	broken := tensor.Dense{Type: tensor.Type{DType: tensor.F32, Shape: tensor.Shape{2}}, Data: make([]byte, 4)}
	for _, name := range []string{"new.pb", "new.npy"} {
		path := filepath.Join(dir, name)
		assert.ErrorIs(t, WriteFile(path, broken, ""), tensor.ErrShape)
		assert.NoFileExists(t, path)
		assert.ErrorIs(t, WriteFile(path, tensor.Dense{Type: tensor.Type{Shape: tensor.Shape{0}}}, ""), tensor.ErrType)
		assert.NoFileExists(t, path)
	}
}

// typed builds a tensor of n elements in its typed field, as other writers do.
func typed(t *testing.T, d tensor.Dense, asPacked bool) message {
	t.Helper()
	number, ok := numberOf(d.DType)
	require.True(t, ok)
	m := message{}
	for _, n := range d.Shape {
		m = m.int(tensorDims, int64(n))
	}
	m = m.int(tensorDataType, int64(number))
	field := map[tensor.DType]int{
		tensor.F32: 4, tensor.I32: 5, tensor.F16: 5, tensor.BF16: 5, tensor.I64: 7, tensor.F64: 10, tensor.U32: 11, tensor.U64: 11,
	}[d.DType]
	var all message
	for at := 0; at < len(d.Data); at += d.DType.Size() {
		b := d.Data[at:]
		one := message{}
		switch d.DType {
		case tensor.F32:
			one = one.fixed32(field, binary.LittleEndian.Uint32(b))
		case tensor.F64:
			one = one.fixed64(field, binary.LittleEndian.Uint64(b))
		case tensor.I32:
			one = one.int(field, int64(int32(binary.LittleEndian.Uint32(b))))
		case tensor.U32:
			one = one.int(field, int64(binary.LittleEndian.Uint32(b)))
		case tensor.I64, tensor.U64:
			one = one.int(field, int64(binary.LittleEndian.Uint64(b)))
		default:
			one = one.int(field, int64(binary.LittleEndian.Uint16(b)))
		}
		if asPacked {
			one = one[1:] // without the tag
		}
		all = all.and(one)
	}
	if asPacked {
		return m.bytes(field, all)
	}
	return m.and(all)
}

func TestTypedFields(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for _, dtype := range tensor.AllDTypes() {
		for _, shape := range someShapes[:6] {
			d := randomDense(t, r, dtype, shape)
			for _, asPacked := range []bool{false, true} {
				got, name, err := ParseTensor(typed(t, d, asPacked))
				require.NoError(t, err, "%s packed %t", d.Type, asPacked)
				assert.Empty(t, name)
				require.True(t, d.Type.Equal(got.Type))
				require.True(t, bytes.Equal(d.Data, got.Data), "%s packed %t", d.Type, asPacked)
			}
		}
	}
}

// Dimensions packed, fields out of order and in pieces, unknown fields between.
func TestTensorForms(t *testing.T) {
	want := of([]int32{1, -2, 3, 4, 5, 6}, 2, 3)
	for name, m := range map[string]message{
		"dims packed":   message{}.bytes(tensorDims, packed(2, 3)).int(tensorDataType, numI32).bytes(tensorRawData, want.Data),
		"dims in parts": message{}.int(tensorDims, 2).int(tensorDataType, numI32).bytes(tensorDims, packed(3)).bytes(tensorRawData, want.Data),
		"data first":    message{}.bytes(tensorRawData, want.Data).int(tensorDataType, numI32).and(dims(2, 3)),
		"data in parts": dims(2, 3).int(tensorDataType, numI32).bytes(tensorInt32Data, packed(1, -2)).int(tensorInt32Data, 3).bytes(tensorInt32Data, packed(4, 5, 6)),
		"unknown fields": dims(2, 3).text(12, "doc").int(tensorDataType, numI32).fixed64(99, 1).text(16, "metadata").
			bytes(tensorRawData, want.Data).fixed32(100, 7).int(tensorDataLocation, 0),
		"empty packed fields": dims(2, 3).int(tensorDataType, numI32).bytes(tensorRawData, want.Data).bytes(tensorFloatData, nil),
	} {
		got, _, err := ParseTensor(m)
		require.NoError(t, err, name)
		assert.True(t, want.Type.Equal(got.Type), name)
		assert.Equal(t, want.Data, got.Data, name)
	}
}

var malformedTensors = map[string]struct {
	data message
	want error
}{
	"empty file":             {nil, ErrFormat},
	"text":                   {message("hello, world"), ErrFormat},
	"an .npy file":           {message("\x93NUMPY\x01\x00"), ErrFormat},
	"no type":                {dims(1).bytes(tensorRawData, make([]byte, 4)), ErrFormat},
	"type 0":                 {dims(1).int(tensorDataType, 0).bytes(tensorRawData, make([]byte, 4)), ErrFormat},
	"type string":            {dims(1).int(tensorDataType, 8).text(tensorStringData, "x"), ErrUnsupported},
	"type bool":              {dims(1).int(tensorDataType, 9).bytes(tensorRawData, make([]byte, 1)), tensor.ErrType},
	"type int4":              {dims(1).int(tensorDataType, 22).bytes(tensorRawData, make([]byte, 1)), tensor.ErrType},
	"type 1000":              {dims(1).int(tensorDataType, 1000).bytes(tensorRawData, make([]byte, 4)), tensor.ErrType},
	"type -1":                {dims(1).int(tensorDataType, -1).bytes(tensorRawData, make([]byte, 4)), tensor.ErrType},
	"type as text":           {dims(1).text(tensorDataType, "float").bytes(tensorRawData, make([]byte, 4)), ErrFormat},
	"type twice":             {dims(1).int(tensorDataType, 1).int(tensorDataType, 1).bytes(tensorRawData, make([]byte, 4)), ErrFormat},
	"two tensors":            {named("x", of([]float32{1})).and(named("y", of([]float32{1}))), ErrFormat},
	"negative dim":           {dims(-1).int(tensorDataType, 1), ErrFormat},
	"two negative dims":      {dims(-1, -1).int(tensorDataType, 1).bytes(tensorRawData, make([]byte, 4)), ErrFormat},
	"negative dim and 0":     {dims(0, -1).int(tensorDataType, 1), ErrFormat},
	"huge dims":              {dims(1<<32, 1<<32).int(tensorDataType, 1), ErrFormat},
	"huge product, 4 left":   {dims(2, 1<<31+1, 1<<32).int(tensorDataType, 1).bytes(tensorRawData, make([]byte, 16)), ErrFormat},
	"bytes beyond 2^63":      {dims(1<<61, 2).int(tensorDataType, 1), ErrFormat},
	"a terabyte":             {dims(1<<40).int(tensorDataType, 1).bytes(tensorRawData, make([]byte, 4)), ErrFormat},
	"a terabyte, typed":      {dims(1<<40).int(tensorDataType, 1).fixed32(tensorFloatData, 1), ErrFormat},
	"name as number":         {message{}.int(tensorName, 2).and(dims(7)).int(tensorDataType, 1).bytes(tensorRawData, make([]byte, 4)), ErrFormat},
	"dims truncated":         {message{1 << 3, 0x80}, ErrFormat},
	"dims fixed":             {message{}.fixed32(tensorDims, 1).int(tensorDataType, 1).bytes(tensorRawData, make([]byte, 4)), ErrFormat},
	"packed dims truncated":  {message{}.bytes(tensorDims, []byte{0x80}).int(tensorDataType, 1), ErrFormat},
	"raw short":              {dims(2).int(tensorDataType, 1).bytes(tensorRawData, make([]byte, 7)), ErrFormat},
	"raw long":               {dims(2).int(tensorDataType, 1).bytes(tensorRawData, make([]byte, 9)), ErrFormat},
	"raw missing":            {dims(2).int(tensorDataType, 1), ErrFormat},
	"raw cut off":            {dims(2).int(tensorDataType, 1).bytes(tensorRawData, make([]byte, 8))[:12], ErrFormat},
	"raw twice":              {dims(1).int(tensorDataType, 1).bytes(tensorRawData, make([]byte, 4)).bytes(tensorRawData, make([]byte, 4)), ErrFormat},
	"raw of an empty":        {dims(0).int(tensorDataType, 1).bytes(tensorRawData, make([]byte, 4)), ErrFormat},
	"scalar without data":    {message{}.int(tensorDataType, 1), ErrFormat},
	"raw and typed":          {dims(1).int(tensorDataType, 1).bytes(tensorRawData, make([]byte, 4)).fixed32(tensorFloatData, 0), ErrFormat},
	"empty raw and typed":    {dims(1).int(tensorDataType, 1).bytes(tensorRawData, nil).fixed32(tensorFloatData, 0), ErrFormat},
	"floats in int32":        {dims(1).int(tensorDataType, numI32).fixed32(tensorFloatData, 0), ErrFormat},
	"int32 in int64":         {dims(1).int(tensorDataType, numI64).int(tensorInt32Data, 0), ErrFormat},
	"floats in float16":      {dims(1).int(tensorDataType, numF16).fixed32(tensorFloatData, 0), ErrFormat},
	"strings in float32":     {dims(1).int(tensorDataType, 1).fixed32(tensorFloatData, 0).text(tensorStringData, ""), ErrFormat},
	"typed short":            {dims(2).int(tensorDataType, 1).fixed32(tensorFloatData, 0), ErrFormat},
	"typed long":             {dims(1).int(tensorDataType, 1).bytes(tensorFloatData, make([]byte, 8)), ErrFormat},
	"typed ragged":           {dims(1).int(tensorDataType, 1).bytes(tensorFloatData, make([]byte, 7)), ErrFormat},
	"doubles ragged":         {dims(1).int(tensorDataType, numF64).bytes(tensorDoubleData, make([]byte, 15)), ErrFormat},
	"doubles as fixed32":     {dims(1).int(tensorDataType, numF64).fixed32(tensorDoubleData, 0), ErrFormat},
	"float16 beyond 16 bits": {dims(1).int(tensorDataType, numF16).int(tensorInt32Data, 65536), ErrFormat},
	"float16 negative":       {dims(1).int(tensorDataType, numF16).int(tensorInt32Data, -1), ErrFormat},
	"int32 beyond 32 bits":   {dims(1).int(tensorDataType, numI32).int(tensorInt32Data, 1<<31), ErrFormat},
	"uint32 beyond 32 bits":  {dims(1).int(tensorDataType, 12).int(tensorUint64Data, 1<<32), ErrFormat},
	"external":               {dims(1).int(tensorDataType, 1).text(tensorName, "w").int(tensorDataLocation, 1), ErrUnsupported},
	"external with raw":      {dims(1).int(tensorDataType, 1).bytes(tensorRawData, make([]byte, 4)).int(tensorDataLocation, 1), ErrUnsupported},
	"external path": {dims(1).int(tensorDataType, 1).bytes(tensorExternalData,
		message{}.text(1, "location").text(2, "/etc/passwd")), ErrUnsupported},
	"segment":            {dims(1).int(tensorDataType, 1).bytes(tensorSegment, nil).bytes(tensorRawData, make([]byte, 4)), ErrUnsupported},
	"group not closed":   {message{}.and(protoGroup(200, 50)), ErrFormat},
	"reserved wire type": {message{1<<3 | 7}, ErrFormat},
	"field 0":            {message{0, 0}, ErrFormat},
}

// protoGroup opens depth nested groups and closes none.
func protoGroup(field, depth int) message {
	var m message
	for range depth {
		m = append(m, byte(field<<3|3)|0x80, byte(field>>4))
	}
	return m
}

func TestMalformedTensors(t *testing.T) {
	for name, c := range malformedTensors {
		d, _, err := ParseTensor(c.data)
		if assert.ErrorIs(t, err, c.want, name) {
			assert.Nil(t, d.Data, name)
			assert.NotContains(t, err.Error(), "\x00", name)
		}
	}
}

func TestTruncatedTensors(t *testing.T) {
	for _, d := range []tensor.Dense{of([]float64{1, 2, 3}, 3), of([]int32{1}, 1, 1)} {
		whole := named("x", d)
		for n := range len(whole) {
			_, _, err := ParseTensor(whole[:n])
			require.ErrorIs(t, err, ErrFormat, "%s, %d bytes", d.Type, n)
		}
	}
}

func TestWriteTensorRefuses(t *testing.T) {
	var b bytes.Buffer
	d := tensor.Dense{Type: tensor.Type{DType: tensor.F64, Shape: tensor.Shape{1 << 27}}}
	assert.ErrorIs(t, WriteTensor(&b, d, "x"), tensor.ErrShape, "data of another size")
	d.Shape[0] = 1 << 28
	assert.ErrorIs(t, WriteTensor(&b, d, "x"), ErrUnsupported, "2 GiB")
	d.Shape[0] = -1
	assert.ErrorIs(t, WriteTensor(&b, d, "x"), tensor.ErrShape)
	d.DType = tensor.Invalid
	assert.ErrorIs(t, WriteTensor(&b, d, "x"), tensor.ErrType)
	assert.Zero(t, b.Len())
}

func TestDataTypes(t *testing.T) {
	seen := map[tensor.DType]bool{}
	for number := int64(-2); number < 100; number++ {
		d, err := dtypeOf(number)
		if err != nil {
			continue
		}
		back, ok := numberOf(d)
		assert.True(t, ok)
		assert.Equal(t, uint64(number), back)
		seen[d] = true
	}
	assert.Len(t, seen, len(tensor.AllDTypes()))
	_, ok := numberOf(tensor.Invalid)
	assert.False(t, ok)
}

func ExampleParseTensor() {
	d, name, err := ParseTensor([]byte("\x08\x02\x10\x06\x42\x01x\x2a\x02\x05\x07"))
	fmt.Println(name, d.Type, err)
	// Output: x int32[2] <nil>
}
