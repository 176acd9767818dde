package host

import (
	"fmt"
	"testing"

	"vkops/cpuref"
	"vkops/tensor"
)

// BenchmarkSmall shows, for each operator, from how many elements on slices in and out
// are faster on the device than on the twin.
func BenchmarkSmall(b *testing.B) {
	rt, err := Open(WithStrategy(Lane))
	if err != nil {
		b.Fatal(err)
	}
	defer rt.Close()
	for _, op := range []tensor.Op{tensor.CumSum{}, tensor.LogCumSumExp{}, tensor.Log1p{}} {
		for _, n := range []int{1 << 10, 1 << 12, 1 << 14, 1 << 16, 1 << 18} {
			x := dense(make([]float32, n), tensor.Shape{n})
			for i := range n {
				tensor.ValuesOf[float32](x.Data)[i] = float32(i%100) / 50
			}
			dst := dense(make([]float32, n), tensor.Shape{n})
			for where, run := range map[string]func() error{
				"device": func() error { return rt.runInto(background, op, dst, []tensor.Dense{x}) },
				"twin":   func() error { return cpuref.RunInto(dst, op, x) },
			} {
				b.Run(fmt.Sprintf("%s/%d/%s", op.Name(), n, where), func(b *testing.B) {
					for b.Loop() {
						if err := run(); err != nil {
							b.Fatal(err)
						}
					}
				})
			}
		}
	}
}
