package cpuref

import (
	"github.com/x448/float16"

	"vkops/tensor"
)

// SoftmaxCrossEntropyLoss writes to dst what NLL gives for the LogSoftmax of scores
// along their second axis, rounded to T: one value, or for tensor.None one per label.
// scores is [N, C, D], labels [N, D], weights [C] or nil. Only the log-probabilities
// that labels choose are computed. A label outside [0, C) that is not op.IgnoreIndex
// is an error, which names the first, and leaves dst untouched.
func SoftmaxCrossEntropyLoss[T tensor.Float, I tensor.Index](dst, scores []T, labels []I, weights []T, v tensor.NLLView, op tensor.SoftmaxCrossEntropyLoss) error {
	if err := checkTargets(labels, v, op.NLL(), op.ErrorAt); err != nil {
		return err
	}
	switch scores := any(scores).(type) {
	case []float16.Float16:
		crossEntropy(any(dst).([]float16.Float16), scores, labels, any(weights).([]float16.Float16), v, op,
			widenRun[float16.Float16], float32FromHalf, halfFromFloat32, true)
	case []tensor.BFloat16:
		crossEntropy(any(dst).([]tensor.BFloat16), scores, labels, any(weights).([]tensor.BFloat16), v, op,
			widenRun[tensor.BFloat16], tensor.BFloat16.Float32, tensor.BFloat16FromFloat32, true)
	case []float32:
		crossEntropy(any(dst).([]float32), scores, labels, any(weights).([]float32), v, op,
			copyRun[float32], func(x float32) float32 { return x }, canonical[float32], false)
	case []float64:
		crossEntropy(any(dst).([]float64), scores, labels, any(weights).([]float64), v, op,
			copyRun[float64], func(x float64) float64 { return x }, canonical[float64], false)
	}
	return nil
}

func crossEntropy[E any, I tensor.Index, T real](dst, scores []E, labels []I, weights []E, v tensor.NLLView, op tensor.SoftmaxCrossEntropyLoss,
	widenRun func(*[radix]T, []E) []T, widen func(E) T, round func(T) E, toOdd bool) {
	chosen := make([]E, v.Samples()) // log-probabilities
	walk := newSoftmax(scores, tensor.View{Outer: v.N, N: v.C, Inner: v.D}, widenRun)
	walk.lines(workers(), func(w *softmaxStrip[E, T], lo, hi int64, lines []softmaxLine[T]) {
		for c, line := range lines {
			sample := w.first + int64(c)
			class := int64(labels[sample])
			if class < lo || class >= hi || ignored(class, op.NLL()) {
				continue
			}
			chosen[sample] = round(line.logProbability(widen(scores[w.base+class*v.D+int64(c)]), toOdd))
		}
	})
	s := &samples[E, I, T]{chosen, weights, labels, v, op.NLL(), widen, true}
	s.reduce(dst, round, toOdd)
}
