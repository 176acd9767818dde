package host

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"vkops/cpuref"
	"vkops/tensor"
)

// BenchmarkStreamed compares slices that come to the device in chunks while it works
// with such that come whole, in memory that counts as not shared.
func BenchmarkStreamed(b *testing.B) {
	rt, err := Open(WithStrategy(Lane), withStage(defaultStage))
	if err != nil {
		b.Fatal(err)
	}
	defer rt.Close()
	v := rt.backend.(*vulkan)
	for _, n := range []int{1 << 18, 1 << 20, 1 << 22, 1 << 24} {
		for _, op := range []tensor.Op{tensor.CumSum{}, tensor.LogCumSumExp{}} {
			x, y := dense(make([]float32, n), tensor.Shape{n}), dense(make([]float32, n), tensor.Shape{n})
			for how, run := range map[string]func() error{
				"whole":    func() error { return v.applyWhole(background, op, y, []tensor.Dense{x}) },
				"streamed": func() error { return v.applyStreamed(background, op, y, x) },
			} {
				b.Run(fmt.Sprintf("%s/%d/%s", op.Name(), n, how), func(b *testing.B) {
					b.SetBytes(int64(8 * n))
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

// BenchmarkParts scans slices that exceed the memory budget: lines by outer indices,
// one line in windows; in the caller's memory, in memory that the host reaches, and
// through staging buffers.
func BenchmarkParts(b *testing.B) {
	for how, opt := range map[string]Option{"lent": withImportFrom(0), "shared": withImportFrom(-1), "staged": withStage(1 << 20)} {
		rt, err := Open(WithStrategy(Lane), WithMemoryBudget(32<<20), opt)
		if err != nil {
			b.Fatal(err)
		}
		for _, shape := range []tensor.Shape{{1 << 12, 1 << 12}, {1, 1 << 24}} {
			x, y := counting[float32](1<<24), make([]float32, 1<<24)
			b.Run(fmt.Sprintf("%s/%s", shape, how), func(b *testing.B) {
				b.SetBytes(8 << 24)
				for b.Loop() {
					if _, err := CumSum(background, rt, y, x, shape, tensor.CumSum{Axis: 1}); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
		benchmarkLosses(b, rt, how)
		if err := rt.Close(); err != nil {
			b.Fatal(err)
		}
	}
}

// benchmarkLosses runs losses of 152 MiB of scores in parts, next to the twin.
func benchmarkLosses(b *testing.B, rt *Runtime, how string) {
	r := rand.New(rand.NewPCG(1, 2))
	inputs := lossInputs(b, r, tensor.F32, tensor.I64, tensor.Shape{8, 19, 512, 512}, nil)
	for _, op := range []tensor.Op{tensor.NLL{}, tensor.SoftmaxCrossEntropyLoss{}} {
		for by, run := range map[string]func() error{
			how:    func() error { _, err := rt.RunDense(background, op, inputs...); return err },
			"twin": func() error { _, err := cpuref.Run(op, inputs...); return err },
		} {
			b.Run(fmt.Sprintf("%s/%s", op.Name(), by), func(b *testing.B) {
				b.SetBytes(int64(len(inputs[0].Data)))
				for b.Loop() {
					if err := run(); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}

// BenchmarkChosen compares an NLL whose input is sent whole with one of which only the
// elements are sent that targets choose.
func BenchmarkChosen(b *testing.B) {
	r := rand.New(rand.NewPCG(1, 2))
	for memory, opt := range map[string]Option{"staged": withStage(defaultStage), "shared": withImportFrom(-1)} {
		rt, err := Open(WithStrategy(Lane), opt)
		if err != nil {
			b.Fatal(err)
		}
		v := rt.backend.(*vulkan)
		for _, shape := range []tensor.Shape{{1 << 21, 2}, {1 << 21, 4}, {1 << 20, 8}, {1 << 16, 19}, {8, 19, 512, 512}, {1 << 15, 1000}} {
			inputs := lossInputs(b, r, tensor.F32, tensor.I64, shape, nil)
			dst, err := tensor.NewDense(tensor.Type{DType: tensor.F32})
			if err != nil {
				b.Fatal(err)
			}
			for how, run := range map[string]func() error{
				"whole":  func() error { return v.applyWhole(background, tensor.NLL{}, dst, inputs) },
				"chosen": func() error { return v.applyInWindows(background, tensor.NLL{}, dst, inputs, v.windowBytes(mostPart)) },
			} {
				b.Run(fmt.Sprintf("%s/%s/%s", memory, shape, how), func(b *testing.B) {
					for b.Loop() {
						if err := run(); err != nil {
							b.Fatal(err)
						}
					}
				})
			}
		}
		if err := rt.Close(); err != nil {
			b.Fatal(err)
		}
	}
}
