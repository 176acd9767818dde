package cpuref

import (
	"sync"

	"github.com/x448/float16"

	"vkops/tensor"
)

// NLL writes the negative log likelihood loss to dst: one value, or for
// tensor.None one per target. input is [N, C, D], target [N, D], weight [C] or nil.
// T is float16, float32 or float64. Losses are rounded to the type that arithmetic
// runs in, float32 for float16, and added along the carry tree in the order of the
// targets. A target outside [0, C) that is not op.IgnoreIndex is an error, which
// names the first, and leaves dst untouched.
func NLL[T tensor.Float, I tensor.Index](dst, input []T, target []I, weight []T, v tensor.NLLView, op tensor.NLL) error {
	if err := checkTargets(target, v, op, op.ErrorAt); err != nil {
		return err
	}
	switch input := any(input).(type) {
	case []float32:
		nllOf(any(dst).([]float32), input, target, any(weight).([]float32), v, op,
			func(x float32) float32 { return x }, canonical[float32], false)
	case []float64:
		nllOf(any(dst).([]float64), input, target, any(weight).([]float64), v, op,
			func(x float64) float64 { return x }, canonical[float64], false)
	case []float16.Float16:
		nllOf(any(dst).([]float16.Float16), input, target, any(weight).([]float16.Float16), v, op,
			float32FromHalf, halfFromFloat32, true)
	default:
		return tensor.Errorf(op.Name(), tensor.ErrType, "input has element type %s; allowed: float16, float32, float64", tensor.DTypeOf[T]())
	}
	return nil
}

// checkTargets looks for the first target that is out of range; errorAt is the error
// for it.
func checkTargets[I tensor.Index](target []I, v tensor.NLLView, op tensor.NLL, errorAt func(position, value, classes int64) error) error {
	n := v.Samples()
	first := n
	var lock sync.Mutex
	parallel(n, 1<<16, workers(), func(lo, hi int64) {
		for i := lo; i < hi; i++ {
			if t := int64(target[i]); (t < 0 || t >= v.C) && !ignored(t, op) {
				lock.Lock()
				first = min(first, i)
				lock.Unlock()
				return
			}
		}
	})
	if first < n {
		return errorAt(first, int64(target[first]), v.C)
	}
	return nil
}

func ignored(target int64, op tensor.NLL) bool {
	return op.IgnoreIndex != nil && target == *op.IgnoreIndex
}

// samples finds the losses of one call. R is what T is widened to.
type samples[T any, I tensor.Index, R real] struct {
	input, weight []T
	target        []I
	view          tensor.NLLView
	op            tensor.NLL
	widen         func(T) R
	gathered      bool // input holds what the targets choose, sample by sample
}

// at is the loss and the weight of sample i; kept is false where it is ignored.
func (s *samples[T, I, R]) at(i int64) (loss, weight R, kept bool) {
	class := int64(s.target[i])
	if ignored(class, s.op) {
		return 0, 0, false
	}
	weight = 1
	if s.weight != nil {
		weight = s.widen(s.weight[class])
	}
	at := i
	if !s.gathered {
		at = (i/s.view.D*s.view.C+class)*s.view.D + i%s.view.D
	}
	return -R(s.widen(s.input[at]) * weight), weight, true
}

// nllSum is the running sums of losses and of weights.
type nllSum[R real] struct{ losses, weights pair[R] }

func nllIdentity[R real]() nllSum[R] {
	return nllSum[R]{pairIdentity[R](), pairIdentity[R]()}
}

func nllCombine[R real](a, b nllSum[R]) nllSum[R] {
	return nllSum[R]{pairCombine(a.losses, b.losses), pairCombine(a.weights, b.weights)}
}

func nllOf[T any, I tensor.Index, R real](dst, input []T, target []I, weight []T, v tensor.NLLView, op tensor.NLL,
	widen func(T) R, round func(R) T, toOdd bool) {
	s := &samples[T, I, R]{input, weight, target, v, op, widen, false}
	s.reduce(dst, round, toOdd)
}

// reduce writes the losses, their sum or their mean.
func (s *samples[T, I, R]) reduce(dst []T, round func(R) T, toOdd bool) {
	n, op := s.view.Samples(), s.op
	if op.Reduction == tensor.None {
		parallel(n, 1<<14, workers(), func(lo, hi int64) {
			for i := lo; i < hi; i++ {
				loss, _, _ := s.at(i)
				dst[i] = round(loss)
			}
		})
		return
	}
	tiles := make([]nllSum[R], (n+tileSize-1)/tileSize)
	parallel(int64(len(tiles)), 4, workers(), func(lo, hi int64) {
		for t := lo; t < hi; t++ {
			tiles[t] = s.tile(t*tileSize, min((t+1)*tileSize, n))
		}
	})
	total := root(tiles, nllIdentity[R](), nllCombine[R])
	switch {
	case op.Reduction == tensor.Mean:
		dst[0] = round(pairQuotient(total.losses, total.weights, toOdd))
	case toOdd:
		odd := valueToOdd(pair[float32]{float32(total.losses.hi), float32(total.losses.lo)})
		dst[0] = round(R(odd) + 0)
	default:
		dst[0] = round(total.losses.valueOrZero())
	}
}

// tile folds samples [lo, hi), at most a tile.
func (s *samples[T, I, R]) tile(lo, hi int64) nllSum[R] {
	tile, group := nllIdentity[R](), nllIdentity[R]()
	for i := lo; i < hi; {
		run := nllIdentity[R]()
		for end := min(i+radix, hi); i < end; i++ {
			if loss, weight, kept := s.at(i); kept {
				run.losses, run.weights = run.losses.take(loss), run.weights.take(weight)
			}
		}
		group = nllCombine(group, run)
		if i%(radix*radix) == 0 || i == hi {
			tile, group = nllCombine(tile, group), nllIdentity[R]()
		}
	}
	return tile
}
