// Package bench measures the operators next to a copy of the same bytes, to the CPU
// twin and to plain Go loops, in the form that benchstat reads:
//
//	go test -run '^$' -bench . -count 10 ./bench | tee new.txt
//	benchstat -col /what new.txt
//
// Names are op=.../dtype=.../shape=.../what=..., so -bench /op=cumsum/float32/=1024$/device
// selects. VKOPS_DEVICE chooses the device.
package bench

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"vkops/host"
	"vkops/internal/attributes"
	"vkops/internal/workload"
	"vkops/tensor"
)

// kinds are the sub-benchmarks: each takes one time.
var kinds = []struct {
	name   string
	timing host.Timing
}{
	{"device", host.TimeResident}, {"slices", host.TimeEndToEnd}, {"copy", host.TimeCopy},
	{"twin", host.TimeCpuref}, {"plain", "plain"}, {"empty", host.TimeEmpty},
}

// Benchmark measures the workloads with aims.
func Benchmark(b *testing.B) {
	rt, err := host.Open()
	require.NoError(b, err)
	defer rt.Close()
	for _, w := range workload.Targets() {
		b.Run(name(w), func(b *testing.B) { measure(b, rt, w) })
	}
}

// name is made of keys and values, by which benchstat groups.
func name(w workload.Workload) string {
	shape := strings.Trim(strings.ReplaceAll(fmt.Sprint([]int(w.Inputs[0].Shape)), " ", "x"), "[]")
	return fmt.Sprintf("op=%s/dtype=%s/shape=%s", strings.ReplaceAll(attributes.String(w.Op), " ", ","), w.Inputs[0].DType, shape)
}

func measure(b *testing.B, rt *host.Runtime, w workload.Workload) {
	data, err := w.Data()
	require.NoError(b, err)
	for _, k := range kinds {
		b.Run("what="+k.name, func(b *testing.B) {
			meter, err := meterOf(rt, w, data, k.timing)
			require.NoError(b, err)
			if meter == nil {
				b.Skip("there is no such time here")
			}
			defer meter.Close()
			require.NoError(b, meter.Round(b.Context())) // a warm-up
			meter.Reset()
			for b.Loop() {
				if err := meter.Round(b.Context()); err != nil {
					b.Fatal(err)
				}
			}
			report(b, meter.Result(), k.timing)
		})
	}
}

// meterOf takes one time; nil if the device or the workload has none of that name.
func meterOf(rt *host.Runtime, w workload.Workload, data []tensor.Dense, timing host.Timing) (*host.Meter, error) {
	meter, err := host.NewMeter(rt, w.Op, data...)
	if err != nil {
		return nil, err
	}
	has := timing != host.TimeEmpty || !rt.Device().Twin
	if timing == "plain" {
		var dst tensor.Dense
		if dst, err = tensor.NewDense(data[0].Type); err == nil {
			var run func()
			if run, has = w.Plain(dst, data[0]); has {
				meter.Also(timing, run)
			}
		}
	}
	if err != nil || !has {
		meter.Close()
		return nil, err
	}
	meter.Only(timing)
	return meter, nil
}

// report replaces the mean of everything that ran by the median of what is meant:
// one round of copy tries several kernels, of which the fastest counts.
func report(b *testing.B, m host.Measurement, timing host.Timing) {
	ns := map[host.Timing]int64{
		host.TimeResident: m.ResidentNs, host.TimeEndToEnd: m.EndToEndNs, host.TimeCopy: m.CopyNs,
		host.TimeCpuref: m.CpurefNs, host.TimeEmpty: m.EmptyNs, "plain": m.Others["plain"],
	}[timing]
	b.ReportMetric(float64(ns), "ns/op")
	if timing != host.TimeEmpty {
		b.SetBytes(m.Bytes)
		b.ReportMetric(float64(m.Bytes)/float64(ns)*1e3, "MB/s")
	}
}

// Every kind of benchmark runs, on the twin, which is everywhere.
func TestEveryKindRuns(t *testing.T) {
	rt, err := host.Open(host.WithDevice("cpu"))
	require.NoError(t, err)
	defer rt.Close()
	w, err := workload.New(tensor.CumSum{}, tensor.F32, 1000)
	require.NoError(t, err)
	require.Equal(t, "op=cumsum,axis=0/dtype=float32/shape=1000", name(w))
	data, err := w.Data()
	require.NoError(t, err)
	for _, k := range kinds {
		meter, err := meterOf(rt, w, data, k.timing)
		require.NoError(t, err)
		if k.timing == host.TimeEmpty {
			require.Nil(t, meter)
			continue
		}
		require.NotNil(t, meter, k.name)
		require.NoError(t, meter.Round(t.Context()))
		meter.Close()
	}
}
