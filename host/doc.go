// Package host runs the operators CumSum, LogCumSumExp, Log1p, LogSoftmax,
// NegativeLogLikelihoodLoss and SoftmaxCrossEntropyLoss on a Vulkan device, or on its
// twin in pure Go, which gives the same bits.
//
// A [Runtime] is one device. Operators come in three tiers:
//
//   - Slices in, slices out: [CumSum], [LogCumSumExp], [Log1p], [NLL], [LogSoftmax],
//     [SoftmaxCrossEntropyLoss].
//   - Tensors that stay on the device: [Upload], [CumSumTensor] and its siblings,
//     [Tensor.Download]. A call returns at once, and calls that use each other's
//     results need no wait in between.
//   - A list of operators recorded once and replayed: [Runtime.Record].
//
// # Order
//
// A runtime does its work in the order of the calls. Only calls that take a
// context wait for results; a context ends the wait, never the work. Others wait
// where the queue is full or memory is short.
//
// # Errors
//
// Arguments are checked before anything is sent to the device. What only the
// device can see, a target of NLL out of range, is reported by the next Wait,
// Download or Mapped of the loss, or of anything computed from it, and again by
// later ones until the tensor is written anew. All errors match one of the
// package's sentinels by errors.Is.
//
// # Many goroutines
//
// Everything may be used from many goroutines. [Runtime.Close] may be called at
// any time, also while others work; they then get [ErrClosed].
package host
