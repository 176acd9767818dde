//go:build linux && cgo

package gpu

import (
	"context"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func benchmarkReplay(b *testing.B, ctx context.Context, record func(p *Program, d *Device)) {
	d := openDevice(b, Options{})
	p := newProgram(b, d)
	record(p, d)
	require.NoError(b, p.End())
	b.ReportAllocs()
	for b.Loop() {
		s, err := d.Submit(p)
		if err == nil {
			err = s.Wait(ctx)
		}
		if err != nil {
			b.Fatal(err)
		}
	}
}

// dispatch1024 records the smallest useful work: 1,024 elements.
func dispatch1024(b *testing.B) func(p *Program, d *Device) {
	return func(p *Program, d *Device) {
		addTo(p, newPipeline(b, d, addDesc(b, 0)), newBuffer(b, d, 4096, DeviceMemory), newBuffer(b, d, 4096, DeviceMemory), 1)
	}
}

// BenchmarkEmpty is submit and wait of nothing, the floor of every latency.
func BenchmarkEmpty(b *testing.B) {
	benchmarkReplay(b, context.Background(), func(*Program, *Device) {})
}

func BenchmarkReplay1024(b *testing.B) {
	benchmarkReplay(b, context.Background(), dispatch1024(b))
}

func BenchmarkReplay1024WithContext(b *testing.B) {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	benchmarkReplay(b, ctx, dispatch1024(b))
}

// BenchmarkWaits compares waits that ask before they sleep with such that sleep at once,
// by the median; each is better measured in a process of its own.
func BenchmarkWaits(b *testing.B) {
	for how, unpolled := range map[string]int32{"asking": 0, "asleep": 2} {
		b.Run(how, func(b *testing.B) {
			d := openDevice(b, Options{})
			p := newProgram(b, d)
			dispatch1024(b)(p, d)
			require.NoError(b, p.End())
			var times []time.Duration
			for b.Loop() {
				p.unpolled.Add(unpolled)
				start := time.Now()
				run(b, d, p)
				times = append(times, time.Since(start))
			}
			slices.Sort(times)
			b.ReportMetric(float64(times[len(times)/2]), "median-ns")
		})
	}
}

func BenchmarkReplay16Dispatches(b *testing.B) {
	benchmarkReplay(b, context.Background(), func(p *Program, d *Device) {
		for range 16 {
			dispatch1024(b)(p, d)
			p.Barrier()
		}
	})
}

// BenchmarkRecord1024 records the program anew each time, as an operator on new
// tensors does.
func BenchmarkRecord1024(b *testing.B) {
	d := openDevice(b, Options{})
	add := newPipeline(b, d, addDesc(b, 0))
	src, dst := newBuffer(b, d, 4096, DeviceMemory), newBuffer(b, d, 4096, DeviceMemory)
	p := newProgram(b, d)
	b.ReportAllocs()
	for b.Loop() {
		if err := p.Reset(); err != nil {
			b.Fatal(err)
		}
		addTo(p, add, dst, src, 1)
		if err := p.End(); err != nil {
			b.Fatal(err)
		}
		run(b, d, p)
	}
}

// BenchmarkEncode is the recording alone.
func BenchmarkEncode(b *testing.B) {
	d := openDevice(b, Options{})
	add := newPipeline(b, d, addDesc(b, 0))
	src, dst := newBuffer(b, d, 4096, DeviceMemory), newBuffer(b, d, 4096, DeviceMemory)
	p := newProgram(b, d)
	b.ReportAllocs()
	for b.Loop() {
		addTo(p, add, dst, src, 1)
		if err := p.End(); err != nil {
			b.Fatal(err)
		}
		if err := p.Reset(); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkNewProgram(b *testing.B) {
	d := openDevice(b, Options{})
	b.ReportAllocs()
	for b.Loop() {
		p, err := d.NewProgram()
		if err != nil {
			b.Fatal(err)
		}
		p.Free()
	}
}

func BenchmarkNewBuffer(b *testing.B) {
	d := openDevice(b, Options{})
	b.ReportAllocs()
	for b.Loop() {
		buffer, err := d.NewBuffer(1<<20, DeviceMemory)
		if err != nil {
			b.Fatal(err)
		}
		buffer.Free()
	}
}

func BenchmarkPipelineFound(b *testing.B) {
	d := openDevice(b, Options{})
	desc := addDesc(b, 0)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := d.Pipeline(desc); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkOpenClose(b *testing.B) {
	for b.Loop() {
		d, err := Open(Options{})
		if err != nil {
			b.Fatal(err)
		}
		if err := d.Close(); err != nil {
			b.Fatal(err)
		}
	}
}
