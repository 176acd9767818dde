// Command pipeline chains three operators: from the daily returns of many shares to
// the value of funds that hold the first share, the first two, and so on, one unit of
// money in each.
//
//	growth = CumSum(Log1p(returns)) over the days    the logarithm of each share's value
//	funds  = LogCumSumExp(growth) over the shares     the logarithm of each fund's value
//
// It does so with slices, which leaves the device after every operator, with tensors
// that stay there, and with a recording of all three, and compares bits and times.
//
//	go run ./examples/pipeline
package main

import (
	"context"
	"fmt"
	"log"
	"math"
	"math/rand/v2"
	"slices"
	"time"

	"vkops/host"
	"vkops/tensor"
)

var (
	overDays   = tensor.CumSum{Axis: 1}
	overShares = tensor.LogCumSumExp{Axis: 0}
)

func main() {
	rt, err := host.Open()
	if err != nil {
		log.Fatal(err)
	}
	defer rt.Close()
	shape := tensor.Shape{512, 2048} // shares, days
	returns := daily(shape)
	leaving, staying, recorded, err := compare(context.Background(), rt, returns, shape, 5)
	if err != nil {
		log.Fatal(err)
	}
	last := leaving.funds[len(leaving.funds)-1]
	fmt.Printf("on %s: %d shares, %d days; all of them together grew from %d to %.1f\n",
		rt.Device().Name, shape[0], shape[1], shape[0], math.Exp(float64(last)))
	fmt.Printf("slices, leaving the device: %v\ntensors that stay:          %v\none recording:              %v\n",
		leaving.took, staying.took, recorded.took)
	if !slices.Equal(leaving.funds, staying.funds) || !slices.Equal(leaving.funds, recorded.funds) {
		log.Fatal("the three ways differ")
	}
	fmt.Println("the same bits in all three ways")
}

// daily makes returns of a random walk, the same on every run.
func daily(shape tensor.Shape) []float32 {
	random := rand.New(rand.NewPCG(3, 4))
	returns := make([]float32, shape[0]*shape[1])
	for i := range returns {
		returns[i] = float32(0.0003 + 0.01*random.NormFloat64())
	}
	return returns
}

// outcome is the value of the funds on each day and the fastest time it took to get
// them, from a slice to a slice.
type outcome struct {
	funds []float32
	took  time.Duration
}

func compare(ctx context.Context, rt *host.Runtime, returns []float32, shape tensor.Shape, rounds int) (leaving, staying, recorded outcome, err error) {
	replay, err := record(rt, shape)
	if err != nil {
		return leaving, staying, recorded, err
	}
	defer replay.free()
	ways := []struct {
		outcome *outcome
		run     func() ([]float32, error)
	}{
		{&leaving, func() ([]float32, error) { return withSlices(ctx, rt, returns, shape) }},
		{&staying, func() ([]float32, error) { return withTensors(ctx, rt, returns, shape) }},
		{&recorded, func() ([]float32, error) { return replay.run(ctx, returns) }},
	}
	for range rounds { // the ways take turns: a slow moment of the machine meets all
		for _, way := range ways {
			begin := time.Now()
			funds, err := way.run()
			took := time.Since(begin)
			if err != nil {
				return leaving, staying, recorded, err
			}
			if way.outcome.funds == nil || took < way.outcome.took {
				*way.outcome = outcome{funds, took}
			}
		}
	}
	return leaving, staying, recorded, nil
}

// withSlices copies to the device and back for every operator.
func withSlices(ctx context.Context, rt *host.Runtime, returns []float32, shape tensor.Shape) ([]float32, error) {
	growth, err := host.Log1p(ctx, rt, nil, returns)
	if err != nil {
		return nil, err
	}
	if growth, err = host.CumSum(ctx, rt, growth, growth, shape, overDays); err != nil {
		return nil, err
	}
	return host.LogCumSumExp(ctx, rt, growth, growth, shape, overShares)
}

// chain lists the three operators, in place, on a runtime or in a recording.
func chain(s host.Stream, x *host.Tensor[float32]) error {
	if _, err := host.Log1pTensor(s, x, x); err != nil {
		return err
	}
	if _, err := host.CumSumTensor(s, x, x, overDays); err != nil {
		return err
	}
	_, err := host.LogCumSumExpTensor(s, x, x, overShares)
	return err
}

// withTensors copies to the device once, and waits once, at the download.
func withTensors(ctx context.Context, rt *host.Runtime, returns []float32, shape tensor.Shape) ([]float32, error) {
	x, err := host.Upload(rt, returns, shape)
	if err != nil {
		return nil, err
	}
	defer x.Free()
	if err := chain(rt, x); err != nil {
		return nil, err
	}
	return x.Download(ctx, nil)
}

// replay is the chain, recorded, and the tensor that it works on.
type replay struct {
	x        *host.Tensor[float32]
	recorded *host.Recorded
}

func record(rt *host.Runtime, shape tensor.Shape) (*replay, error) {
	x, err := host.NewTensor[float32](rt, shape)
	if err != nil {
		return nil, err
	}
	recorded, err := rt.Record(func(r *host.Recording) error { return chain(r, x) })
	if err != nil {
		x.Free()
		return nil, err
	}
	return &replay{x, recorded}, nil
}

func (r *replay) run(ctx context.Context, returns []float32) ([]float32, error) {
	if err := r.x.Write(ctx, returns); err != nil {
		return nil, err
	}
	if err := r.recorded.Run(); err != nil {
		return nil, err
	}
	return r.x.Download(ctx, nil)
}

func (r *replay) free() {
	r.recorded.Free()
	r.x.Free()
}
