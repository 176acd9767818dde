package cpuref

import (
	"math"
	"testing"
	"unsafe"

	"vkops/tensor"
)

const benchSize = 1 << 22

// line is one scan over everything.
var line = tensor.View{Outer: 1, N: benchSize, Inner: 1}

func benchData[T real]() (dst, src []T) {
	dst, src = make([]T, benchSize), make([]T, benchSize)
	for i := range src {
		src[i], dst[i] = T(i%1000)*0.001, 1
	}
	return dst, src
}

func bench[T real](b *testing.B, name string, do func(dst, src []T)) {
	dst, src := benchData[T]()
	b.Run(name, func(b *testing.B) {
		b.SetBytes(2 * benchSize * int64(unsafe.Sizeof(src[0])))
		for b.Loop() {
			do(dst, src)
		}
	})
}

func plainCumSum(dst, src []float32) {
	sum := float32(0)
	for i, x := range src {
		sum += x
		dst[i] = sum
	}
}

func plainLogCumSumExp(dst, src []float32) {
	y := math.Inf(-1)
	for i, x := range src {
		hi, lo := max(y, float64(x)), min(y, float64(x))
		y = hi + math.Log1p(math.Exp(lo-hi))
		dst[i] = float32(y)
	}
}

func plainLog1p(dst, src []float32) {
	for i, x := range src {
		dst[i] = float32(math.Log1p(float64(x)))
	}
}

func BenchmarkCumSum(b *testing.B) {
	bench(b, "plain loop", plainCumSum)
	bench(b, "float32", func(dst, src []float32) { CumSum(dst, src, line, false, false) })
	bench(b, "float32 reverse", func(dst, src []float32) { CumSum(dst, src, line, false, true) })
	bench(b, "float32 columns", func(dst, src []float32) {
		CumSum(dst, src, tensor.View{Outer: 1, N: 2048, Inner: benchSize / 2048}, false, false)
	})
	bench(b, "float32 short lines", func(dst, src []float32) {
		CumSum(dst, src, tensor.View{Outer: benchSize / 16, N: 16, Inner: 1}, false, false)
	})
	bench(b, "float64", func(dst, src []float64) { CumSum(dst, src, line, false, false) })
}

func BenchmarkLogCumSumExp(b *testing.B) {
	bench(b, "plain loop", plainLogCumSumExp)
	bench(b, "float32", func(dst, src []float32) { LogCumSumExp(dst, src, line) })
	bench(b, "float64", func(dst, src []float64) { LogCumSumExp(dst, src, line) })
}

func BenchmarkLog1p(b *testing.B) {
	bench(b, "plain loop", plainLog1p)
	bench(b, "float32", func(dst, src []float32) { Log1p(dst, src) })
	bench(b, "float64", func(dst, src []float64) { Log1p(dst, src) })
}
