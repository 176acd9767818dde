package host

import "vkops/tensor"

// An NLL whose input is that large and has that many classes is chosen from before it is
// sent, since a copy of all of it takes longer. BenchmarkChosen measures it: with four
// classes of 16 bits and targets of 64 the two are even.
const (
	chosenFrom  = 1 << 20
	chosenOfMin = 4
)

// sendsChosen reports whether of an operator's input only the elements go to the device
// that targets choose.
func (v *vulkan) sendsChosen(op tensor.Op, input tensor.Dense) bool {
	nll, ok := op.(tensor.NLL)
	return ok && len(input.Data) >= chosenFrom && nll.View(input.Shape).C >= chosenOfMin && !v.lends(input)
}

// leastChosen is how many elements are worth a goroutine that chooses them: each is
// likely to be a cache line of its own.
const leastChosen = 16 << 10

// choose writes the elements of the input that targets choose, from a sample on, and 0 for
// targets out of range. Elements are moved as bits, whatever their type.
func (w *windowed) choose(window []byte, first, samples int64) {
	view := w.op.(tensor.Loss).View(w.inputs[0].Shape)
	size := int64(w.dst.DType.Size())
	window = window[:samples*size]
	switch size {
	case 2:
		chooseFor(tensor.ValuesOf[tensor.BFloat16](window), tensor.ValuesOf[tensor.BFloat16](w.inputs[0].Data), w.inputs[1], view, first)
	case 4:
		chooseFor(tensor.ValuesOf[uint32](window), tensor.ValuesOf[uint32](w.inputs[0].Data), w.inputs[1], view, first)
	default:
		chooseFor(tensor.ValuesOf[uint64](window), tensor.ValuesOf[uint64](w.inputs[0].Data), w.inputs[1], view, first)
	}
}

func chooseFor[E any](dst, input []E, targets tensor.Dense, view tensor.NLLView, first int64) {
	if targets.DType == tensor.I32 {
		chooseBy(dst, input, tensor.ValuesOf[int32](targets.Data)[first:], view, first)
	} else {
		chooseBy(dst, input, tensor.ValuesOf[int64](targets.Data)[first:], view, first)
	}
}

func chooseBy[E any, I tensor.Index](dst, input []E, targets []I, view tensor.NLLView, first int64) {
	shareOut(len(dst), leastChosen, func(lo, hi int) {
		n, d := (first+int64(lo))/view.D, (first+int64(lo))%view.D
		for i := lo; i < hi; i++ {
			var x E
			if class := int64(targets[i]); class >= 0 && class < view.C {
				x = input[(n*view.C+class)*view.D+d]
			}
			dst[i] = x
			if d++; d == view.D {
				n, d = n+1, 0
			}
		}
	})
}
