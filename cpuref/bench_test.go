package cpuref

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"vkops/internal/workload"
	"vkops/tensor"
)

// Names are dtype=.../shape=.../what=twin, or plain for a plain Go loop, so that
// benchstat -col /what compares the two. With -cpu 1,2,4 the twin has that many cores;
// the loop always has one.

func BenchmarkCumSum(b *testing.B) {
	benchmark(b, tensor.CumSum{}, tensor.F32, 1<<16)
	benchmark(b, tensor.CumSum{}, tensor.F32, 1<<24)
	benchmark(b, tensor.CumSum{Reverse: true}, tensor.F32, 1<<24)
	benchmark(b, tensor.CumSum{Axis: 0}, tensor.F32, 4096, 4096)
	benchmark(b, tensor.CumSum{Axis: 0}, tensor.F32, 1<<20, 16)
	benchmark(b, tensor.CumSum{Axis: 0}, tensor.F32, 1<<22, 3)
	benchmark(b, tensor.CumSum{Axis: 1}, tensor.F32, 1<<21, 8)
	benchmark(b, tensor.CumSum{}, tensor.F64, 1<<24)
	benchmark(b, tensor.CumSum{}, tensor.F16, 1<<24)
	benchmark(b, tensor.CumSum{}, tensor.I32, 1<<24)
}

func BenchmarkLogCumSumExp(b *testing.B) {
	benchmark(b, tensor.LogCumSumExp{}, tensor.F32, 1<<24)
	benchmark(b, tensor.LogCumSumExp{}, tensor.F64, 1<<22)
}

func BenchmarkLog1p(b *testing.B) {
	benchmark(b, tensor.Log1p{}, tensor.F32, 1<<24)
	benchmark(b, tensor.Log1p{}, tensor.F64, 1<<22)
}

func benchmark(b *testing.B, op tensor.Op, d tensor.DType, shape ...int) {
	name := fmt.Sprintf("dtype=%s/shape=%s", d, strings.Trim(strings.ReplaceAll(fmt.Sprint(shape), " ", "x"), "[]"))
	if sum, ok := op.(tensor.CumSum); ok && sum.Reverse {
		name += "/reverse=1"
	}
	b.Run(name, func(b *testing.B) {
		w, err := workload.New(op, d, shape...)
		require.NoError(b, err)
		data, err := w.Data()
		require.NoError(b, err)
		dst, err := tensor.NewDense(data[0].Type)
		require.NoError(b, err)
		clear(dst.Data) // its pages are there before the clock runs
		measure := func(what string, do func()) {
			b.Run("what="+what, func(b *testing.B) {
				b.SetBytes(2 * int64(len(dst.Data)))
				for b.Loop() {
					do()
				}
			})
		}
		measure("twin", func() { require.NoError(b, RunInto(dst, op, data...)) })
		if plain, ok := w.Plain(dst, data[0]); ok {
			measure("plain", plain)
		}
	})
}
