package host_test

import (
	"context"
	"errors"
	"fmt"
	"log"

	"vkops/host"
	"vkops/tensor"
)

// must ends an example whose steps cannot fail.
func must[T any](value T, err error) T {
	if err != nil {
		log.Fatal(err)
	}
	return value
}

// Any of the functions on tensors takes a recording instead of a runtime.
func ExampleCumSumTensor_recorded() {
	ctx, rt := context.Background(), openExample()
	defer rt.Close()
	x := must(host.Upload(rt, []int64{1, 2, 3, 4}, tensor.Shape{4}))
	recorded := must(rt.Record(func(r *host.Recording) error {
		_, err := host.CumSumTensor(r, x, x, tensor.CumSum{}) // in place
		return err
	}))
	defer recorded.Free()
	for range 2 { // the sums, then the sums of the sums
		if err := recorded.Run(); err != nil {
			log.Fatal(err)
		}
	}
	fmt.Println(must(x.Download(ctx, nil)))
	// Output: [1 4 10 20]
}

func ExampleLogCumSumExpTensor_recorded() {
	ctx, rt := context.Background(), openExample()
	defer rt.Close()
	x := must(host.NewTensor[float32](rt, tensor.Shape{2, 2}))
	y := must(host.NewTensor[float32](rt, tensor.Shape{2, 2}))
	recorded := must(rt.Record(func(r *host.Recording) error {
		_, err := host.LogCumSumExpTensor(r, y, x, tensor.LogCumSumExp{Axis: 0})
		return err
	}))
	defer recorded.Free()
	if err := x.Write(ctx, []float32{-500, 500, -500, 500}); err != nil {
		log.Fatal(err)
	}
	if err := recorded.Run(); err != nil {
		log.Fatal(err)
	}
	fmt.Println(must(y.Download(ctx, nil)))
	// Output: [-500 500 -499.30685 500.69315]
}

func ExampleLog1pTensor_recorded() {
	ctx, rt := context.Background(), openExample()
	defer rt.Close()
	x := must(host.Upload(rt, []float64{1e-17, 1}, tensor.Shape{2}))
	var y *host.Tensor[float64]
	recorded := must(rt.Record(func(r *host.Recording) (err error) {
		y, err = host.Log1pTensor(r, nil, x) // y lives as long as the recording
		return err
	}))
	defer recorded.Free()
	if err := recorded.Run(); err != nil {
		log.Fatal(err)
	}
	fmt.Println(must(y.Download(ctx, nil)))
	// Output: [1e-17 0.6931471805599453]
}

// A label that is out of range is found by the device, in a run; the wait reports it.
func ExampleNLLTensor_recorded() {
	ctx, rt := context.Background(), openExample()
	defer rt.Close()
	logProbabilities := must(host.Upload(rt, []float32{-0.5, -1, -2, -0.25}, tensor.Shape{2, 2}))
	labels := must(host.NewTensor[int64](rt, tensor.Shape{2}))
	var loss *host.Tensor[float32]
	recorded := must(rt.Record(func(r *host.Recording) (err error) {
		loss, err = host.NLLTensor(r, nil, logProbabilities, labels, nil, tensor.NLL{})
		return err
	}))
	defer recorded.Free()
	for _, batch := range [][]int64{{0, 1}, {0, 2}} {
		if err := labels.Write(ctx, batch); err != nil {
			log.Fatal(err)
		}
		if err := recorded.Run(); err != nil {
			log.Fatal(err)
		}
		if err := recorded.Wait(ctx); err != nil {
			fmt.Println(err, errors.Is(err, host.ErrTarget))
			continue
		}
		fmt.Println(must(loss.Download(ctx, nil)))
	}
	// Output:
	// [0.375]
	// nll: target[1] = 2 is outside [0, 2) and is not ignore_index true
}
