package host

import (
	"github.com/x448/float16"

	"vkops/tensor"
)

// LossFloat is the set of element types that NLL takes.
type LossFloat interface {
	float16.Float16 | float32 | float64
}

// CumSumTensor puts the cumulative sum of src along an axis into dst, a tensor of the
// same shape; nil allocates it, and src itself is allowed. It does not wait. Errors about
// arguments ([ErrShape], [ErrAxis], [ErrOverlap], [ErrFreed], [ErrForeign]) come at once,
// those of the device at the next wait.
func CumSumTensor[T tensor.Element](s Stream, dst, src *Tensor[T], op tensor.CumSum) (*Tensor[T], error) {
	return unary(s, op, dst, src)
}

// LogCumSumExpTensor puts log(cumsum(exp(src))) along an axis into dst; nil
// allocates it, and src itself is allowed. It does not wait; errors are as for
// [CumSumTensor].
func LogCumSumExpTensor[T tensor.Float](s Stream, dst, src *Tensor[T], op tensor.LogCumSumExp) (*Tensor[T], error) {
	return unary(s, op, dst, src)
}

// Log1pTensor puts ln(1+src) of each element into dst; nil allocates it, and src
// itself is allowed. It does not wait; errors are as for [CumSumTensor].
func Log1pTensor[T tensor.Float](s Stream, dst, src *Tensor[T]) (*Tensor[T], error) {
	return unary(s, tensor.Log1p{}, dst, src)
}

// NLLTensor puts the negative log-likelihood loss of input [N, C, d1...] and target
// [N, d1...] into dst, a scalar or shaped like the target; nil allocates it. A nil
// weight, else [C], is none. It does not wait: a target out of range is reported, as
// [ErrTarget], by the next wait for dst. Other errors are as for [CumSumTensor].
func NLLTensor[T LossFloat, I tensor.Index](s Stream, dst, input *Tensor[T], target *Tensor[I], weight *Tensor[T], op tensor.NLL) (*Tensor[T], error) {
	return lossOfTensors(s, dst, input, target, weight, op)
}

func lossOfTensors[T tensor.Float, I tensor.Index](s Stream, dst, input *Tensor[T], target *Tensor[I], weight *Tensor[T], op tensor.Loss) (*Tensor[T], error) {
	if s == nil {
		return nil, tensor.Errorf(op.Name(), ErrClosed, "the runtime or recording is nil")
	}
	inputs := []*Buffer{input.buffer(), target.buffer()}
	if weight != nil {
		inputs = append(inputs, weight.Buffer)
	}
	out, err := s.Run(op, dst.buffer(), inputs...)
	if err != nil {
		return nil, err
	}
	return typed(dst, out), nil
}

func unary[T tensor.Element](s Stream, op tensor.Op, dst, src *Tensor[T]) (*Tensor[T], error) {
	if s == nil {
		return nil, tensor.Errorf(op.Name(), ErrClosed, "the runtime or recording is nil")
	}
	out, err := s.Run(op, dst.buffer(), src.buffer())
	if err != nil {
		return nil, err
	}
	return typed(dst, out), nil
}

// typed is the caller's tensor if there was one.
func typed[T tensor.Element](dst *Tensor[T], out *Buffer) *Tensor[T] {
	if dst != nil && dst.Buffer == out {
		return dst
	}
	return &Tensor[T]{out}
}
