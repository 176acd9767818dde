package tests

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"vkops/internal/attributes"
	"vkops/tensor"
)

// digestCase is an operator on inputs that its seed determines, on every system and
// with every version of Go: from bits of a PCG generator, by integer operations and
// exact floating-point ones. Where a device may flush subnormals, no input, output or
// intermediate is one.
type digestCase struct {
	op     tensor.Op
	inputs []tensor.Type
	data   string // of digestData
	seed   uint64
}

// String names the case in the file of digests.
func (c digestCase) String() string {
	types := ""
	for i, t := range c.inputs {
		if i > 0 {
			types += " "
		}
		types += t.String()
	}
	return fmt.Sprintf("%s; %s; %s; seed %d", attributes.String(c.op), types, c.data, c.seed)
}

// digestCases lists the cases. Each shape meets every operator and type; modes and
// data go around.
func digestCases() []digestCase {
	var all []digestCase
	add := func(op tensor.Op, data string, inputs ...tensor.Type) {
		all = append(all, digestCase{op, inputs, data, uint64(len(all) + 1)})
	}
	scans := []struct {
		shape tensor.Shape
		axis  int
	}{
		{tensor.Shape{0}, 0}, {tensor.Shape{1}, 0}, {tensor.Shape{15}, 0}, {tensor.Shape{16}, 0}, {tensor.Shape{17}, 0},
		{tensor.Shape{255}, 0}, {tensor.Shape{256}, 0}, {tensor.Shape{257}, 0},
		{tensor.Shape{4095}, 0}, {tensor.Shape{4096}, 0}, {tensor.Shape{4097}, 0}, {tensor.Shape{65537}, 0},
		{tensor.Shape{3, 17}, 1}, {tensor.Shape{301, 33}, 1}, {tensor.Shape{5, 4097}, -1}, // rows
		{tensor.Shape{17, 3}, 0}, {tensor.Shape{257, 31}, 0}, {tensor.Shape{4097, 5}, -2}, // columns
		{tensor.Shape{2, 257, 3}, 1}, {tensor.Shape{3, 4099, 2}, 1}, {tensor.Shape{2, 1, 35, 2, 4}, 2},
	}
	floats := []tensor.DType{tensor.F16, tensor.BF16, tensor.F32, tensor.F64}
	for i, s := range scans {
		for j, dtype := range tensor.AllDTypes() {
			mode := (i + j) % 4
			op := tensor.CumSum{Axis: s.axis, Exclusive: mode&1 != 0, Reverse: mode&2 != 0}
			add(op, []string{"plain", "late", "dense"}[i%3], tensor.Type{DType: dtype, Shape: s.shape})
		}
		for j, dtype := range floats {
			kinds := []string{"plain", "late", "dense", "rising", "falling", "huge"}
			add(tensor.LogCumSumExp{Axis: s.axis}, kinds[(i+j)%len(kinds)], tensor.Type{DType: dtype, Shape: s.shape})
		}
	}
	for i, n := range []int{0, 1, 2, 15, 16, 17, 255, 257, 4095, 4097, 1 << 16} {
		for _, dtype := range floats {
			data := []string{"plain", "near", "dense"}[i%3]
			if n == 1<<16 { // for 16-bit types these are all bit patterns there are
				data = "patterns"
			}
			add(tensor.Log1p{}, data, tensor.Type{DType: dtype, Shape: tensor.Shape{n}})
		}
	}
	class := int64(1)
	outside := int64(-100)
	ignored := []*int64{nil, &class, &outside}
	for i, shape := range []tensor.Shape{
		{0, 3}, {1, 1}, {16, 3}, {17, 33}, {257, 2}, {4097, 5}, {65537, 3}, {3, 5, 17}, {2, 31, 3, 11}, {1, 3, 4099},
	} {
		for j, dtype := range []tensor.DType{tensor.F16, tensor.F32, tensor.F64} {
			for _, reduction := range []tensor.Reduction{tensor.Mean, tensor.Sum, tensor.None} {
				k := i + j + int(reduction)
				labels := []tensor.DType{tensor.I32, tensor.I64}[k%2]
				inputs := []tensor.Type{{DType: dtype, Shape: shape}, {DType: labels, Shape: slices.Delete(slices.Clone(shape), 1, 2)}}
				if k%4 < 2 {
					inputs = append(inputs, tensor.Type{DType: dtype, Shape: shape[1:2]})
				}
				add(tensor.NLL{Reduction: reduction, IgnoreIndex: ignored[i%3]}, []string{"plain", "late", "dense"}[k%3], inputs...)
			}
		}
	}
	for i, s := range scans {
		for j, dtype := range floats {
			kinds := []string{"plain", "late", "dense", "rising", "falling", "huge"}
			add(tensor.LogSoftmax{Axis: s.axis}, kinds[(i+j)%len(kinds)], tensor.Type{DType: dtype, Shape: s.shape})
		}
	}
	for i, shape := range []tensor.Shape{{0, 3}, {1, 1}, {17, 33}, {257, 2}, {4097, 5}, {3, 4099}, {2, 31, 3, 11}, {1, 3, 4099}} {
		for j, dtype := range floats {
			k := i + j
			inputs := []tensor.Type{{DType: dtype, Shape: shape}, {DType: []tensor.DType{tensor.I32, tensor.I64}[k%2], Shape: slices.Delete(slices.Clone(shape), 1, 2)}}
			if k%4 < 2 {
				inputs = append(inputs, tensor.Type{DType: dtype, Shape: shape[1:2]})
			}
			add(tensor.SoftmaxCrossEntropyLoss{Reduction: tensor.Reduction(k % 3), IgnoreIndex: ignored[i%3]}, []string{"plain", "late", "rising"}[(i+k)%3], inputs...)
		}
	}
	return all
}

// make makes the inputs' elements.
func (c digestCase) make(t testing.TB) []tensor.Dense {
	inputs := make([]tensor.Dense, len(c.inputs))
	for i, typ := range c.inputs {
		d, err := tensor.NewDense(typ)
		require.NoError(t, err)
		r := rand.NewPCG(c.seed, uint64(i))
		loss, isLoss := c.op.(tensor.Loss)
		switch {
		case isLoss && i == 1:
			_, ignored := loss.Attributes()
			digestLabels(r, d, uint64(c.inputs[0].Shape[1]), ignored)
		case isLoss && i == 2:
			digestData(r, d, "plain") // the mean of a huge weight is subnormal
		default:
			digestData(r, d, c.data)
		}
		inputs[i] = d
	}
	return inputs
}

// digestLabels fills d with classes, one in eight of them ignored.
func digestLabels(r *rand.PCG, d tensor.Dense, classes uint64, ignored *int64) {
	for i := range len(d.Data) / d.DType.Size() {
		label := r.Uint64() >> 32 % classes
		if ignored != nil && r.Uint64()>>61 == 0 {
			label = uint64(*ignored)
		}
		put(d, i, label)
	}
}

// digestData fills d with values of a kind.
func digestData(r *rand.PCG, d tensor.Dense, kind string) {
	n := len(d.Data) / d.DType.Size()
	for i := range n {
		put(d, i, digestValue(r, d.DType, kind, i, n))
	}
	edge := specials[d.DType]
	special := func() uint64 { return edge[r.Uint64()>>32%uint64(len(edge))] }
	switch kind {
	case "late":
		for i := n - n/16 - 1; i >= 0 && i < n; i += 1 + int(r.Uint64()>>59) {
			put(d, i, special())
		}
	case "dense":
		for i := int(r.Uint64() >> 59); i < n; i += 1 + int(r.Uint64()>>58) {
			put(d, i, special())
		}
	}
}

// digestValue is the bits of element i of n before special values are put in.
func digestValue(r *rand.PCG, dtype tensor.DType, kind string, i, n int) uint64 {
	bits := r.Uint64()
	small := float64(int64(bits)>>40) * 0x1p-24 // in [-1/2, 1/2)
	position := float64(i-n/2) / 8
	switch kind {
	case "patterns":
		return uint64(i) | bits<<16
	case "rising":
		return bitsOf(dtype, position+small)
	case "falling":
		return bitsOf(dtype, small-position)
	case "huge":
		return digestHuge(dtype, bits)
	case "near": // -1, 0, and powers of two
		near := small * math.Ldexp(1, -int(bits>>8%24))
		switch bits % 3 {
		case 0:
			return bitsOf(dtype, near)
		case 1:
			return bitsOf(dtype, -1+math.Abs(near))
		default:
			return bitsOf(dtype, math.Ldexp(1+near, int(bits>>16%16)))
		}
	}
	return value(dtype, bits)
}

// digestHuge has any exponent from 1 up.
func digestHuge(dtype tensor.DType, bits uint64) uint64 {
	e := bits >> 32 & 0x3ff
	switch dtype {
	case tensor.F16:
		return bits&0x83ff | (15+e%16)<<10
	case tensor.BF16:
		return bits&0x807f | (127+e%128)<<7
	case tensor.F32:
		return bits&0x807fffff | (127+e%128)<<23
	}
	return bits&(1<<63|1<<52-1) | (1023+e)<<52
}
