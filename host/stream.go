package host

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"vkops/tensor"
)

// A Stream takes operators on tensors: a [Runtime] runs them at once, in the order
// of the calls, and a [Recording] keeps them for later. Nothing else implements it.
type Stream interface {
	// Run puts the operator's result into dst, which has the result's type; nil
	// allocates it. The input may be dst itself, but for NLL and
	// SoftmaxCrossEntropyLoss.
	// An absent optional input is left out at the end. It does not wait. Errors
	// about arguments come at once: [ErrShape], [ErrAxis], [ErrType], [ErrArity],
	// [ErrAttribute], [ErrOverlap], [ErrFreed], [ErrForeign], [ErrUnsupported] for an
	// operator that is not of package tensor.
	Run(op tensor.Op, dst *Buffer, inputs ...*Buffer) (*Buffer, error)
	isStream()
}

// Run implements [Stream], whose errors are about arguments; it may also be
// [ErrOutOfMemory], [ErrClosed] or [ErrDeviceLost].
func (rt *Runtime) Run(op tensor.Op, dst *Buffer, inputs ...*Buffer) (*Buffer, error) {
	return rt.runOn(context.Background(), nil, op, dst, inputs)
}

// runOn is Run with a context that ends its waits, on the runtime's backend or, if on is not
// nil, the one within it.
func (rt *Runtime) runOn(ctx context.Context, on backend, op tensor.Op, dst *Buffer, inputs []*Buffer) (*Buffer, error) {
	c, err := rt.prepare(op, dst, inputs, func(t tensor.Type) (*Buffer, error) { return rt.newBuffer(ctx, t) })
	if err != nil {
		return nil, err
	}
	if on == nil {
		on = rt.backend
	}
	if err := on.run(ctx, c.op, c.out, c.inputs); err != nil {
		if dst == nil {
			c.out.Free()
		}
		return nil, wrap(c.op.Name(), err)
	}
	return c.out, nil
}

func (rt *Runtime) isStream() {}

// prepare checks an operator and its arguments. alloc makes the output where dst is nil.
func (rt *Runtime) prepare(op tensor.Op, dst *Buffer, inputs []*Buffer, alloc func(tensor.Type) (*Buffer, error)) (call, error) {
	op, err := known(op)
	if err != nil {
		return call{}, err
	}
	if err := rt.usable(op.Name()); err != nil {
		return call{}, err
	}
	types := make([]tensor.Type, len(inputs))
	for i, b := range inputs {
		if err := rt.owns(op, tensor.Argument(op, i), b); err != nil {
			return call{}, err
		}
		types[i] = b.typ
	}
	want, err := op.Infer(types...)
	if err != nil {
		return call{}, err
	}
	c := call{op, dst, slices.Clone(inputs)}
	if dst == nil {
		if c.out, err = alloc(want); err != nil {
			return call{}, wrap(op.Name(), err)
		}
		return c, nil
	}
	if err := rt.owns(op, "output", dst); err != nil {
		return call{}, err
	}
	if err := checkOutput(op, dst.typ, want); err != nil {
		return call{}, err
	}
	for i, b := range inputs {
		if b == dst && !(i == 0 && inPlace(op)) {
			return call{}, tensor.Errorf(op.Name(), ErrOverlap, "output is the %s", tensor.Argument(op, i))
		}
	}
	return c, nil
}

// owns refuses a buffer that is nil, freed or of another runtime.
func (rt *Runtime) owns(op tensor.Op, arg string, b *Buffer) error {
	switch {
	case b == nil:
		return tensor.Errorf(op.Name(), ErrArity, "%s is nil", arg)
	case b.rt != rt:
		return tensor.Errorf(op.Name(), ErrForeign, "%s belongs to another runtime", arg)
	}
	rt.mu.Lock()
	defer rt.mu.Unlock()
	if b.freed {
		return tensor.Errorf(op.Name(), ErrFreed, "%s was freed", arg)
	}
	return nil
}

func checkOutput(op tensor.Op, got, want tensor.Type) error {
	if got.DType != want.DType {
		return tensor.Errorf(op.Name(), ErrType, "output has element type %s; result has %s", got.DType, want.DType)
	}
	if !slices.Equal(got.Shape, want.Shape) {
		return tensor.Errorf(op.Name(), ErrShape, "output has shape %s; result has %s", got.Shape, want.Shape)
	}
	return nil
}

// known refuses operators that are not ours, and gives a copy that shares
// nothing with the caller, who may change an ignore_index after the call.
func known(op tensor.Op) (tensor.Op, error) {
	switch op := op.(type) {
	case tensor.CumSum, tensor.LogCumSumExp, tensor.Log1p, tensor.LogSoftmax:
		return op, nil
	case tensor.NLL:
		op.IgnoreIndex = copied(op.IgnoreIndex)
		return op, nil
	case tensor.SoftmaxCrossEntropyLoss:
		op.IgnoreIndex = copied(op.IgnoreIndex)
		return op, nil
	}
	return nil, fmt.Errorf("%w: operator %T is not one of package tensor", ErrUnsupported, op)
}

// inPlace reports whether the output may be the first input.
func inPlace(op tensor.Op) bool {
	_, isLoss := op.(tensor.Loss)
	return !isLoss
}

func copied(index *int64) *int64 {
	if index == nil {
		return nil
	}
	value := *index
	return &value
}

// isOperatorError reports whether the error's text starts with an operator's name.
func isOperatorError(err error) bool {
	var named *tensor.Error
	return errors.As(err, &named)
}
