// Package verify compares an implementation of the operators with the CPU twin
// bit for bit, and with high-precision values, over boundary and random shapes
// of every operator and element type.
package verify

import (
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"slices"

	"vkops/internal/attributes"
	"vkops/internal/sample"
	"vkops/tensor"
)

// Group is an operator with an element type: a row of the outcome.
type Group struct {
	Op     string       // "cumsum"
	DType  tensor.DType // of the data
	Labels tensor.DType // of the losses' class labels; Invalid elsewhere
}

// String prints "cumsum float32" and "nll float32/int64".
func (g Group) String() string { return g.Op + " " + g.Types() }

// Types prints "float32", and "float32/int64" where there are labels.
func (g Group) Types() string {
	if g.Labels == tensor.Invalid {
		return g.DType.String()
	}
	return g.DType.String() + "/" + g.Labels.String()
}

// Groups lists every operator with every type that its text allows.
func Groups() []Group {
	var all []Group
	for _, op := range []tensor.Op{tensor.CumSum{}, tensor.LogCumSumExp{}, tensor.Log1p{}, tensor.LogSoftmax{}} {
		for _, d := range tensor.AllDTypes() {
			if _, err := op.Infer(tensor.Type{DType: d, Shape: tensor.Shape{1}}); err == nil {
				all = append(all, Group{Op: op.Name(), DType: d})
			}
		}
	}
	for _, op := range []tensor.Op{tensor.NLL{}, tensor.SoftmaxCrossEntropyLoss{}} {
		for _, d := range tensor.AllDTypes() {
			for _, labels := range tensor.AllDTypes() {
				input := tensor.Type{DType: d, Shape: tensor.Shape{1, 1}}
				target := tensor.Type{DType: labels, Shape: tensor.Shape{1}}
				if _, err := op.Infer(input, target); err == nil {
					all = append(all, Group{Op: op.Name(), DType: d, Labels: labels})
				}
			}
		}
	}
	return all
}

// Case is one operator on one set of inputs.
type Case struct {
	Op     tensor.Op
	Inputs []tensor.Type
	Kind   sample.Kind
	seed   [2]uint64
}

// String names the operator, the inputs and the data, so that a mismatch can be
// found again.
func (c Case) String() string {
	return fmt.Sprintf("%s %v of %s data", attributes.String(c.Op), c.Inputs, c.Kind)
}

// Make makes the inputs' elements.
func (c Case) Make() ([]tensor.Dense, error) {
	r := rand.New(rand.NewPCG(c.seed[0], c.seed[1]))
	inputs := make([]tensor.Dense, len(c.Inputs))
	for i, t := range c.Inputs {
		var err error
		if loss, ok := c.Op.(tensor.Loss); ok && i == 1 {
			_, ignored := loss.Attributes()
			inputs[i], err = sample.Labels(r, t, c.Inputs[0].Shape[1], ignored)
		} else {
			inputs[i], err = sample.Tensor(r, t, c.Kind)
		}
		if err != nil {
			return nil, err
		}
	}
	return inputs, nil
}

// boundary holds the lengths at which a level of the carry tree fills up.
var boundary = []int{0, 1, 15, 16, 17, 255, 256, 257, 4095, 4096, 4097, 65535, 65536, 65537}

// few holds counts of lines at which lanes, words and workgroups fill up.
var few = []int{1, 2, 3, 31, 32, 33}

const (
	fewElements  = 1 << 17 // of a case with several lines
	randomShapes = 10
)

// Cases lists the cases of a group. The same seed gives the same cases.
func (g Group) Cases(seed uint64) []Case {
	h := fnv.New64a()
	fmt.Fprint(h, g)
	r := rand.New(rand.NewPCG(seed, h.Sum64()))
	shapes := g.shapes(r)
	cases := make([]Case, len(shapes))
	for i, s := range shapes {
		cases[i] = g.build(r, i, s)
		cases[i].seed = [2]uint64{r.Uint64(), r.Uint64()}
	}
	return cases
}

// Random makes up a case of any group; the same state of r gives the same case.
func Random(r *rand.Rand) Case {
	groups := Groups()
	g := groups[r.IntN(len(groups))]
	shapes := g.shapes(r)
	c := g.build(r, r.IntN(len(sample.Kinds())), shapes[r.IntN(len(shapes))])
	c.Reseed(r)
	return c
}

// Reseed gives the case other elements of the same kind.
func (c *Case) Reseed(r *rand.Rand) { c.seed = [2]uint64{r.Uint64(), r.Uint64()} }

func (g Group) shapes(r *rand.Rand) []placed {
	if g.Labels != tensor.Invalid {
		return lossShapes(r)
	}
	return scanShapes(r)
}

// placed is a shape with the axis that the operator works along.
type placed struct {
	shape tensor.Shape
	axis  int
}

// build chooses attributes and data: each in turn, so that a list of cases meets
// all of them.
func (g Group) build(r *rand.Rand, i int, s placed) Case {
	all := sample.Kinds()
	c := Case{Kind: all[i%len(all)], Inputs: []tensor.Type{{DType: g.DType, Shape: s.shape}}}
	if r.IntN(2) == 0 {
		s.axis -= len(s.shape) // the same axis, counted from the back
	}
	switch g.Op {
	case tensor.CumSum{}.Name():
		mode := r.IntN(4)
		c.Op = tensor.CumSum{Axis: s.axis, Exclusive: mode&1 != 0, Reverse: mode&2 != 0}
	case tensor.LogCumSumExp{}.Name():
		c.Op = tensor.LogCumSumExp{Axis: s.axis}
	case tensor.Log1p{}.Name():
		c.Op = tensor.Log1p{}
	case tensor.LogSoftmax{}.Name():
		c.Op = tensor.LogSoftmax{Axis: s.axis}
	default:
		op := tensor.NLL{Reduction: []tensor.Reduction{tensor.Mean, tensor.Sum, tensor.None}[r.IntN(3)]}
		if mode := r.IntN(3); mode > 0 {
			ignored := []int64{-100, int64(r.IntN(s.shape[1]))}[mode-1]
			op.IgnoreIndex = &ignored
		}
		c.Op = op
		if g.Op != op.Name() {
			c.Op = tensor.SoftmaxCrossEntropyLoss(op)
		}
		c.Inputs = append(c.Inputs, tensor.Type{DType: g.Labels, Shape: slices.Delete(slices.Clone(s.shape), 1, 2)})
		if r.IntN(2) == 0 {
			c.Inputs = append(c.Inputs, tensor.Type{DType: g.DType, Shape: s.shape[1:2]})
		}
	}
	return c
}

// scanShapes lists every boundary length on the axis, in the first, a middle and
// the last place in turn; many lines; a long line; random shapes.
func scanShapes(r *rand.Rand) []placed {
	var all []placed
	for i, n := range boundary {
		count := func() int {
			most := max(1, fewElements/max(1, n))
			return min(most, few[r.IntN(len(few))])
		}
		switch i % 3 {
		case 0:
			all = append(all, placed{tensor.Shape{n, count()}, 0})
		case 1:
			all = append(all, placed{tensor.Shape{count(), n}, 1})
		default:
			all = append(all, placed{tensor.Shape{min(2, count()), n, min(5, count())}, 1})
		}
		all = append(all, placed{tensor.Shape{n}, 0})
	}
	all = append(all,
		placed{tensor.Shape{70000, 3}, 1},
		placed{tensor.Shape{3, 70000}, 0},
		placed{tensor.Shape{1<<20 + 1}, 0})
	for range randomShapes {
		shape := randomShape(r, 1+r.IntN(5))
		all = append(all, placed{shape, r.IntN(len(shape))})
	}
	return all
}

// lossShapes lists inputs [N, C, d...] with every boundary number of targets.
func lossShapes(r *rand.Rand) []placed {
	var all []placed
	for i, samples := range boundary {
		classes := few[r.IntN(len(few))]
		if samples*classes > 1<<20 {
			classes = 1 + r.IntN(16)
		}
		if i%2 == 0 || samples%3 != 0 {
			all = append(all, placed{tensor.Shape{samples, classes}, 1})
		} else {
			all = append(all, placed{tensor.Shape{3, classes, samples / 3}, 1})
		}
	}
	for range randomShapes {
		all = append(all, placed{randomShape(r, 2+r.IntN(4)), 1})
	}
	return all
}

// randomShape has at most 2^16 elements, and no empty dimension.
func randomShape(r *rand.Rand, rank int) tensor.Shape {
	shape := make(tensor.Shape, rank)
	room := 1 << 16
	for i := range shape {
		shape[i] = 1 + r.IntN(min(room, 1<<(16/rank)))
		room /= shape[i]
	}
	r.Shuffle(rank, func(i, j int) { shape[i], shape[j] = shape[j], shape[i] })
	return shape
}
