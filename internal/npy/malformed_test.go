package npy

import (
	"bytes"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"vkops/internal/heap"
	"vkops/internal/hostmemory"
	"vkops/tensor"
)

var malformed = map[string]struct {
	file []byte
	want error
}{
	"empty file":         {nil, ErrFormat},
	"half the magic":     {[]byte("\x93NUM"), ErrFormat},
	"foreign":            {[]byte("PK\x03\x04 this is a zip file"), ErrFormat},
	"version 0":          {file(0, head("<f4", "False", "(1,)"), "1234"), ErrUnsupported},
	"version 4":          {file(4, head("<f4", "False", "(1,)"), "1234"), ErrUnsupported},
	"version 1.1":        {append([]byte("\x93NUMPY\x01\x01"), file(1, head("<f4", "False", "(1,)"), "1234")[8:]...), ErrUnsupported},
	"no length":          {[]byte("\x93NUMPY\x01\x00\x10"), ErrFormat},
	"header cut off":     {file(1, head("<f4", "False", "(1,)"), "")[:40], ErrFormat},
	"header of 4 GiB":    {[]byte("\x93NUMPY\x02\x00\xff\xff\xff\xff{"), ErrFormat},
	"header empty":       {file(1, "", ""), ErrFormat},
	"not a dict":         {file(1, "['descr']", ""), ErrFormat},
	"dict open":          {file(1, "{'descr': '<f4', 'fortran_order': False, 'shape': (1,)", "1234"), ErrFormat},
	"dict twice":         {file(1, head("<f4", "False", "(1,)")+"{}", "1234"), ErrFormat},
	"text after":         {file(1, head("<f4", "False", "(1,)")+"\x00", "1234"), ErrFormat},
	"no comma":           {file(1, "{'descr': '<f4' 'fortran_order': False, 'shape': (1,)}", "1234"), ErrFormat},
	"two commas":         {file(1, "{'descr': '<f4',, 'fortran_order': False, 'shape': (1,)}", "1234"), ErrFormat},
	"no descr":           {file(1, "{'fortran_order': False, 'shape': (1,)}", "1234"), ErrFormat},
	"no order":           {file(1, "{'descr': '<f4', 'shape': (1,)}", "1234"), ErrFormat},
	"no shape":           {file(1, "{'descr': '<f4', 'fortran_order': False}", "1234"), ErrFormat},
	"key twice":          {file(1, "{'descr': '<f4', 'descr': '<f4', 'fortran_order': False, 'shape': (1,)}", "1234"), ErrFormat},
	"unknown key":        {file(1, "{'descr': '<f4', 'fortran_order': False, 'shape': (1,), 'x': 1}", "1234"), ErrFormat},
	"escape":             {file(1, "{'d\\x65scr': '<f4', 'fortran_order': False, 'shape': (1,)}", "1234"), ErrFormat},
	"string open":        {file(1, "{'descr", ""), ErrFormat},
	"quotes mixed":       {file(1, "{'descr\": '<f4', 'fortran_order': False, 'shape': (1,)}", "1234"), ErrFormat},
	"order 0":            {file(1, head("<f4", "0", "(1,)"), "1234"), ErrFormat},
	"order true":         {file(1, head("<f4", "true", "(1,)"), "1234"), ErrFormat},
	"shape is a number":  {file(1, head("<f4", "False", "1"), "1234"), ErrFormat},
	"shape is no tuple":  {file(1, head("<f4", "False", "(1)"), "1234"), ErrFormat},
	"shape is a list":    {file(1, head("<f4", "False", "[1]"), "1234"), ErrFormat},
	"shape with commas":  {file(1, head("<f4", "False", "(1,,1)"), "1234"), ErrFormat},
	"shape is one comma": {file(1, head("<f4", "False", "(,)"), "1234"), ErrFormat},
	"negative dimension": {file(1, head("<f4", "False", "(-1,)"), "1234"), ErrFormat},
	"two negatives":      {file(1, head("<f4", "False", "(-1, -1)"), "1234"), ErrFormat},
	"dimension 1.0":      {file(1, head("<f4", "False", "(1.0,)"), "1234"), ErrFormat},
	"dimension 01":       {file(1, head("<f4", "False", "(01,)"), "1234"), ErrFormat},
	"dimension 2^63":     {file(1, head("<f4", "False", "(9223372036854775808,)"), "1234"), ErrFormat},
	"product 2^64":       {file(1, head("<f4", "False", "(4294967296, 4294967296)"), "1234"), ErrFormat},
	"product 2^64 + 4":   {file(1, head("<f4", "False", "(2, 2147483649, 4294967296)"), "1234"), ErrFormat},
	"bytes 2^63":         {file(1, head("<f4", "False", "(2305843009213693952,)"), "1234"), ErrFormat},
	"a terabyte claimed": {file(1, head("<f4", "False", "(1099511627776,)"), "1234"), ErrFormat},
	"data missing":       {file(1, head("<f4", "False", "(2,)"), ""), ErrFormat},
	"data short":         {file(1, head("<f4", "False", "(2,)"), "1234567"), ErrFormat},
	"data long":          {file(1, head("<f4", "False", "(2,)"), "123456789"), ErrFormat},
	"data of an empty":   {file(1, head("<f4", "False", "(0,)"), "1"), ErrFormat},
	"scalar missing":     {file(1, head("<f4", "False", "()"), ""), ErrFormat},
	"structured":         {file(1, "{'descr': [('x', '<f4')], 'fortran_order': False, 'shape': (1,)}", "1234"), ErrFormat},
	"bool":               {file(1, head("|b1", "False", "(1,)"), "1"), tensor.ErrType},
	"int16":              {file(1, head("<i2", "False", "(1,)"), "12"), tensor.ErrType},
	"object":             {file(1, head("|O", "False", "(1,)"), "1234"), ErrUnsupported},
	"complex":            {file(1, head("<c8", "False", "(1,)"), "12345678"), ErrUnsupported},
	"longdouble":         {file(1, head("<f16", "False", "(1,)"), "1234567812345678"), ErrUnsupported},
	"no byte order":      {file(1, head("f4", "False", "(1,)"), "1234"), ErrUnsupported},
	"native byte order":  {file(1, head("=f4", "False", "(1,)"), "1234"), ErrUnsupported},
	"order irrelevant":   {file(1, head("|f4", "False", "(1,)"), "1234"), ErrUnsupported},
	"two-byte void":      {file(1, head("<V2", "False", "(1,)"), "12"), ErrUnsupported},
	"empty descr":        {file(1, head("", "False", "(1,)"), "1234"), ErrUnsupported},
}

func TestMalformed(t *testing.T) {
	for name, c := range malformed {
		for form, r := range map[string]io.Reader{
			"known size":   bytes.NewReader(c.file),
			"unknown size": io.MultiReader(bytes.NewReader(c.file)),
		} {
			d, err := Read(r, Options{})
			if assert.ErrorIs(t, err, c.want, "%s, %s", name, form) {
				assert.Nil(t, d.Data)
				assert.NotContains(t, err.Error(), "\x00")
			}
		}
	}
}

func FuzzNPY(f *testing.F) {
	for _, c := range malformed {
		f.Add(c.file)
	}
	r := rand.New(rand.NewPCG(7, 8))
	for _, dtype := range tensor.AllDTypes() {
		for _, order := range []string{"<", ">"} {
			for _, fortran := range []string{"False", "True"} {
				data := make([]byte, 6*dtype.Size())
				for i := range data {
					data[i] = byte(r.Uint32())
				}
				f.Add(file(2, head(order+descrs[dtype], fortran, "(2, 3)"), string(data)))
			}
		}
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		opts := Options{Void2: tensor.BF16}
		var d tensor.Dense
		var err error
		limit := uint64(16*len(data) + chunk)
		if taken := heap.Allocated(limit, func() { d, err = Read(bytes.NewReader(data), opts) }); taken > limit {
			t.Fatalf("%d bytes of memory for %d bytes", taken, len(data))
		}
		if err != nil {
			return
		}
		if n, err := d.Bytes(); err != nil || n != int64(len(d.Data)) {
			t.Fatalf("%s with %d bytes: %v", d.Type, len(d.Data), err)
		}
		var b bytes.Buffer
		if err := Write(&b, d); err != nil {
			return // a rank that only version 2 can hold
		}
		back, err := Read(&b, opts)
		if err != nil || !back.Type.Equal(d.Type) || !bytes.Equal(back.Data, d.Data) {
			t.Fatalf("%s did not come back: %v", d.Type, err)
		}
	})
}

// A sparse file may be larger than the memory.
func TestFilesBeyondMemory(t *testing.T) {
	const elements = 1 << 41
	for _, order := range []string{"False", "True"} {
		start := file(1, head("<f4", order, fmt.Sprintf("(%d,)", elements)), "")
		path := filepath.Join(t.TempDir(), "sparse.npy")
		require.NoError(t, os.WriteFile(path, start, 0o600))
		if err := os.Truncate(path, int64(len(start))+4*elements); err != nil {
			t.Skip(err) // the file system has no such files
		}
		f, err := os.Open(path)
		require.NoError(t, err)
		defer f.Close()
		_, err = Read(f, Options{})
		assert.ErrorIs(t, err, hostmemory.ErrOut)
	}
}
