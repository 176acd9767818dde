package host

import (
	"context"

	"vkops/tensor"
)

// LogSoftmax is log(exp(x) / sum(exp(x))) along an axis of src, row-major of the given
// shape, in natural logarithms. No intermediate overflows. dst, the context and errors
// are as for [CumSum].
func LogSoftmax[T tensor.Float](ctx context.Context, rt *Runtime, dst, src []T, shape tensor.Shape, op tensor.LogSoftmax) ([]T, error) {
	return runSlices(ctx, rt, op, dst, dense(src, shape))
}

// SoftmaxCrossEntropyLoss is what [NLL] gives for the [LogSoftmax] of scores along
// their second axis, with the same bits and without computing more of it than labels
// choose. scores is row-major of the given shape [N, C, d1...], labels [N, d1...],
// weights [C]; nil weights are none. The loss, in nats, one element or one per label,
// goes to dst as for [CumSum], which must not overlap an input. Errors are as for [NLL].
func SoftmaxCrossEntropyLoss[T tensor.Float, I tensor.Index](ctx context.Context, rt *Runtime, dst, scores []T, labels []I, weights []T, shape tensor.Shape, op tensor.SoftmaxCrossEntropyLoss) ([]T, error) {
	return lossOf(ctx, rt, dst, scores, labels, weights, shape, op)
}

// LogSoftmaxTensor puts log(exp(src) / sum(exp(src))) along an axis into dst; nil
// allocates it, and src itself is allowed. It does not wait; errors are as for
// [CumSumTensor].
func LogSoftmaxTensor[T tensor.Float](s Stream, dst, src *Tensor[T], op tensor.LogSoftmax) (*Tensor[T], error) {
	return unary(s, op, dst, src)
}

// SoftmaxCrossEntropyLossTensor puts the loss of scores [N, C, d1...] and labels
// [N, d1...] into dst; nil allocates it. Nil weights, else [C], are none. It does not
// wait; errors are as for [NLLTensor].
func SoftmaxCrossEntropyLossTensor[T tensor.Float, I tensor.Index](s Stream, dst, scores *Tensor[T], labels *Tensor[I], weights *Tensor[T], op tensor.SoftmaxCrossEntropyLoss) (*Tensor[T], error) {
	return lossOfTensors(s, dst, scores, labels, weights, op)
}
