package host

import (
	"context"
	"unsafe"

	"vkops/cpuref"
	"vkops/gpu"
	"vkops/internal/hostmemory"
	"vkops/tensor"
)

// smallElements is the most elements of an operator's largest input for which
// slices in, slices out run on the twin where no device was named: up to there the
// twin is done first. BenchmarkSmall measures it: where there is an exp or a log in
// each element, the device gains earlier, and a device in software gains later, last
// where the elements are only chosen and added.
func smallElements(op tensor.Op, software bool) int64 {
	if !software {
		if _, ok := op.(tensor.CumSum); ok {
			return 1 << 14
		}
		return 1 << 12
	}
	switch op.(type) {
	case tensor.NLL:
		return 1 << 20
	case tensor.CumSum:
		return 1 << 18
	default:
		return 1 << 14
	}
}

// CumSum is the cumulative sum of src, row-major of the given shape, along an axis.
// It goes to dst, which has as many elements and may be src itself; nil allocates it.
// The context ends the wait: a call that returned writes to dst no more, and if the
// device still reads src, what it reads is dropped. The twin ends its work between lines
// (a line at a time, or 8 MiB of shorter ones); losses it computes to the end. After an
// error dst is undefined.
// What the device has no room for goes through it in parts.
//
// Errors: [ErrShape] for src or dst that does not fill the shape, [ErrAxis],
// [ErrOverlap] for a dst that overlaps src without being it, [ErrClosed], the
// context's, and the device's: [ErrOutOfMemory], [ErrDeviceLost].
func CumSum[T tensor.Element](ctx context.Context, rt *Runtime, dst, src []T, shape tensor.Shape, op tensor.CumSum) ([]T, error) {
	return runSlices(ctx, rt, op, dst, dense(src, shape))
}

// LogCumSumExp is log(cumsum(exp(src))) along an axis, in natural logarithms. No
// intermediate overflows. dst, the context and errors are as for [CumSum].
func LogCumSumExp[T tensor.Float](ctx context.Context, rt *Runtime, dst, src []T, shape tensor.Shape, op tensor.LogCumSumExp) ([]T, error) {
	return runSlices(ctx, rt, op, dst, dense(src, shape))
}

// Log1p is ln(1+x) of each element of src: NaN below -1, -Inf at -1, exact for tiny x.
// dst, the context and errors are as for [CumSum].
func Log1p[T tensor.Float](ctx context.Context, rt *Runtime, dst, src []T) ([]T, error) {
	return runSlices(ctx, rt, tensor.Log1p{}, dst, dense(src, tensor.Shape{len(src)}))
}

// NLL is the negative log-likelihood loss of input, row-major of the given shape
// [N, C, d1...], for target [N, d1...] and weight [C]; a nil weight is none. The
// loss, one element or one per target, goes to dst as for [CumSum], which must not
// overlap an input. Of natural logarithms the loss is in nats.
//
// Errors are as for [CumSum], and [ErrTarget] for the first target outside [0, C) that
// is not op.IgnoreIndex; [ErrAttribute] for a Reduction that is none.
func NLL[T LossFloat, I tensor.Index](ctx context.Context, rt *Runtime, dst, input []T, target []I, weight []T, shape tensor.Shape, op tensor.NLL) ([]T, error) {
	return lossOf(ctx, rt, dst, input, target, weight, shape, op)
}

func lossOf[T tensor.Float, I tensor.Index](ctx context.Context, rt *Runtime, dst, input []T, target []I, weight []T, shape tensor.Shape, op tensor.Loss) ([]T, error) {
	targets := tensor.Shape{}
	if len(shape) >= 2 { // Infer refuses lower ranks
		targets = append(append(targets, shape[0]), shape[2:]...)
	}
	inputs := []tensor.Dense{dense(input, shape), dense(target, targets)}
	if weight != nil {
		inputs = append(inputs, dense(weight, tensor.Shape{len(weight)}))
	}
	return runSlices(ctx, rt, op, dst, inputs...)
}

// RunDense runs an operator on tensors in host memory whose types are known only at
// run time. The context ends the wait. Errors are those of op.Infer, [ErrShape] for
// data that does not fill its type, and else as for [CumSum] and [NLL].
func (rt *Runtime) RunDense(ctx context.Context, op tensor.Op, inputs ...tensor.Dense) (tensor.Dense, error) {
	op, out, err := rt.checkDense(op, inputs)
	if err != nil {
		return tensor.Dense{}, err
	}
	dst, err := tensor.NewDense(out)
	if err != nil {
		return tensor.Dense{}, wrap(op.Name(), err)
	}
	return dst, rt.runInto(orBackground(ctx), op, dst, inputs)
}

func runSlices[T tensor.Element](ctx context.Context, rt *Runtime, op tensor.Op, dst []T, inputs ...tensor.Dense) ([]T, error) {
	op, out, err := rt.checkDense(op, inputs)
	if err != nil {
		return nil, err
	}
	n, err := out.Shape.Elements()
	if err != nil {
		return nil, wrap(op.Name(), err)
	}
	if dst == nil {
		if err := hostmemory.Probe(n * int64(out.DType.Size())); err != nil {
			return nil, wrap(op.Name(), err)
		}
		dst = make([]T, n)
	}
	if int64(len(dst)) != n {
		return nil, tensor.Errorf(op.Name(), ErrShape, "dst has %d elements; result %s holds %d", len(dst), out.Shape, n)
	}
	for i, in := range inputs {
		if same := sameMemory(tensor.BytesOf(dst), in.Data); overlaps(tensor.BytesOf(dst), in.Data) && !(same && i == 0 && inPlace(op)) {
			return nil, tensor.Errorf(op.Name(), ErrOverlap, "dst overlaps the %s", tensor.Argument(op, i))
		}
	}
	if err := rt.runInto(orBackground(ctx), op, tensor.Dense{Type: out, Data: tensor.BytesOf(dst)}, inputs); err != nil {
		return nil, err
	}
	return dst, nil
}

// checkDense checks everything about an operator on host memory but the output.
func (rt *Runtime) checkDense(op tensor.Op, inputs []tensor.Dense) (tensor.Op, tensor.Type, error) {
	op, err := known(op)
	if err != nil {
		return nil, tensor.Type{}, err
	}
	out, err := op.Infer(tensor.TypesOf(inputs)...)
	if err != nil {
		return nil, tensor.Type{}, err
	}
	for i, in := range inputs {
		size := in.DType.Size()
		if n, err := in.Shape.Elements(); err != nil || int64(len(in.Data)) != n*int64(size) {
			return nil, tensor.Type{}, tensor.Errorf(op.Name(), ErrShape, "%s has %d elements; shape %s holds %d", tensor.Argument(op, i), len(in.Data)/size, in.Shape, n)
		}
	}
	return op, out, rt.usable(op.Name())
}

// runInto runs a checked operator from host memory to host memory.
func (rt *Runtime) runInto(ctx context.Context, op tensor.Op, dst tensor.Dense, inputs []tensor.Dense) error {
	if err := ctx.Err(); err != nil {
		return wrap(op.Name(), err)
	}
	if rt.isSmall(op, tensor.TypesOf(inputs)) {
		rt.log.Debug("ran on the twin", "op", op.Name(), "input", inputs[0].Type.String(), "reason", "the work is small")
		return cpuref.RunInto(dst, op, inputs...)
	}
	return wrap(op.Name(), rt.backend.apply(ctx, op, dst, inputs))
}

// isSmall reports whether the twin is likely to be done before a device starts.
func (rt *Runtime) isSmall(op tensor.Op, inputs []tensor.Type) bool {
	if !rt.smallOnTwin {
		return false
	}
	for _, t := range inputs {
		if n, err := t.Shape.Elements(); err != nil || n > smallElements(op, rt.info.Type == gpu.CPU) {
			return false
		}
	}
	return true
}

// dense is a slice with a shape that is yet to be checked.
func dense[T tensor.Element](values []T, shape tensor.Shape) tensor.Dense {
	return tensor.Dense{Type: tensor.Type{DType: tensor.DTypeOf[T](), Shape: shape}, Data: tensor.BytesOf(values)}
}

func sameMemory(a, b []byte) bool {
	return len(a) == len(b) && (len(a) == 0 || &a[0] == &b[0])
}

func overlaps(a, b []byte) bool {
	if len(a) == 0 || len(b) == 0 {
		return false
	}
	a0, b0 := uintptr(unsafe.Pointer(&a[0])), uintptr(unsafe.Pointer(&b[0]))
	return a0 < b0+uintptr(len(b)) && b0 < a0+uintptr(len(a))
}
