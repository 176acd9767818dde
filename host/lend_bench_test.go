package host

import (
	"fmt"
	"testing"

	"vkops/tensor"
)

// BenchmarkSlices compares CumSum from slice to slice in lent memory and in copies.
func BenchmarkSlices(b *testing.B) {
	for name, from := range map[string]int64{"lent": 1, "copied": -1} {
		rt, err := Open(WithStrategy(Lane), withImportFrom(from))
		if err != nil {
			b.Fatal(err)
		}
		for _, n := range []int{1 << 10, 1 << 12, 1 << 14, 1 << 16, 1 << 18, 1 << 22} {
			x, y := make([]float32, n), make([]float32, n)
			for i := range x {
				x[i] = 1
			}
			b.Run(fmt.Sprintf("%s/%d", name, n), func(b *testing.B) {
				b.SetBytes(int64(8 * n))
				for b.Loop() {
					if _, err := CumSum(background, rt, y, x, tensor.Shape{n}, tensor.CumSum{}); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
		if err := rt.Close(); err != nil {
			b.Fatal(err)
		}
	}
}
