package cpuref

import (
	"testing"

	"vkops/tensor"
)

func BenchmarkCumSum(b *testing.B) {
	const n = 1 << 24
	x := make([]float32, n)
	y := make([]float32, n)
	for i := range x {
		x[i], y[i] = float32(i%1000)*0.001, 1
	}
	b.Run("plain", func(b *testing.B) {
		for b.Loop() {
			plainCumSum(y, x)
		}
	})
	b.Run("float32", func(b *testing.B) {
		for b.Loop() {
			CumSum(y, x, tensor.View{Outer: 1, N: n, Inner: 1}, false, false)
		}
	})
	b.Run("float32 serial", func(b *testing.B) {
		for b.Loop() {
			newScan(realCumSum[float32](false), y, x, tensor.View{Outer: 1, N: n, Inner: 1}, false).run(1)
		}
	})
	b.Run("float32 columns", func(b *testing.B) {
		for b.Loop() {
			CumSum(y, x, tensor.View{Outer: 1, N: 4096, Inner: 4096}, false, false)
		}
	})
	b.Run("float32 short", func(b *testing.B) {
		for b.Loop() {
			CumSum(y, x, tensor.View{Outer: n / 16, N: 16, Inner: 1}, false, false)
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
