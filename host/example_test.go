package host_test

import (
	"context"
	"errors"
	"fmt"
	"log"

	"vkops/host"
	"vkops/tensor"
)

// The twin, device "cpu", works everywhere and gives the same bits as a GPU.
func openExample() *host.Runtime {
	rt, err := host.Open(host.WithDevice("cpu"))
	if err != nil {
		log.Fatal(err)
	}
	return rt
}

func ExampleCumSum() {
	rt := openExample()
	defer rt.Close()
	x := []float32{1, 2, 3, 4, 5, 6}
	y, err := host.CumSum(context.Background(), rt, nil, x, tensor.Shape{2, 3}, tensor.CumSum{Axis: 1})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(y)
	// Output: [1 3 6 4 9 15]
}

func ExampleLogCumSumExp() {
	rt := openExample()
	defer rt.Close()
	y, err := host.LogCumSumExp(context.Background(), rt, nil, []float64{0, 1000}, tensor.Shape{2}, tensor.LogCumSumExp{})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(y)
	// Output: [0 1000]
}

func ExampleLog1p() {
	rt := openExample()
	defer rt.Close()
	x := []float32{1e-10, 0, -1}
	if _, err := host.Log1p(context.Background(), rt, x, x); err != nil { // in place
		log.Fatal(err)
	}
	fmt.Println(x)
	// Output: [1e-10 0 -Inf]
}

func ExampleNLL() {
	rt := openExample()
	defer rt.Close()
	logProbabilities := []float32{-0.5, -1, -2, -0.25}
	loss, err := host.NLL(context.Background(), rt, nil, logProbabilities, []int64{0, 1}, nil, tensor.Shape{2, 2}, tensor.NLL{})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(loss)

	_, err = host.NLL(context.Background(), rt, nil, logProbabilities, []int64{0, 2}, nil, tensor.Shape{2, 2}, tensor.NLL{})
	fmt.Println(err, errors.Is(err, host.ErrTarget))
	// Output:
	// [0.375]
	// nll: target[1] = 2 is outside [0, 2) and is not ignore_index true
}

// Tensors stay on the device; nothing waits until the download.
func ExampleCumSumTensor() {
	rt := openExample()
	defer rt.Close()
	x, err := host.Upload(rt, []int32{1, 2, 3}, tensor.Shape{3})
	if err != nil {
		log.Fatal(err)
	}
	sums, err := host.CumSumTensor(rt, nil, x, tensor.CumSum{})
	if err != nil {
		log.Fatal(err)
	}
	if _, err = host.CumSumTensor(rt, sums, sums, tensor.CumSum{Reverse: true}); err != nil {
		log.Fatal(err)
	}
	y, err := sums.Download(context.Background(), nil)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(y)
	// Output: [10 9 6]
}

func ExampleLogCumSumExpTensor() {
	rt := openExample()
	defer rt.Close()
	x, err := host.Upload(rt, []float32{3, 3}, tensor.Shape{1, 2})
	if err != nil {
		log.Fatal(err)
	}
	y, err := host.LogCumSumExpTensor(rt, nil, x, tensor.LogCumSumExp{Axis: -1})
	if err != nil {
		log.Fatal(err)
	}
	values, err := y.Download(context.Background(), nil)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(values)
	// Output: [3 3.6931472]
}

func ExampleLog1pTensor() {
	rt := openExample()
	defer rt.Close()
	x, err := host.Upload(rt, []float32{0, 1}, tensor.Shape{2})
	if err != nil {
		log.Fatal(err)
	}
	if _, err = host.Log1pTensor(rt, x, x); err != nil {
		log.Fatal(err)
	}
	view, err := x.Mapped(context.Background()) // no copy
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(view)
	// Output: [0 0.6931472]
}

func ExampleNLLTensor() {
	rt := openExample()
	defer rt.Close()
	input, err := host.Upload(rt, []float32{-1, -2, -3, -4}, tensor.Shape{2, 2})
	if err != nil {
		log.Fatal(err)
	}
	target, err := host.Upload(rt, []int32{1, 7}, tensor.Shape{2})
	if err != nil {
		log.Fatal(err)
	}
	loss, err := host.NLLTensor(rt, nil, input, target, nil, tensor.NLL{Reduction: tensor.Sum})
	fmt.Println(err)
	fmt.Println(loss.Wait(context.Background()))
	// Output:
	// <nil>
	// nll: target[1] = 7 is outside [0, 2) and is not ignore_index
}

func ExampleRuntime_Record() {
	rt := openExample()
	defer rt.Close()
	x, err := host.NewTensor[float32](rt, tensor.Shape{3})
	if err != nil {
		log.Fatal(err)
	}
	var y *host.Tensor[float32]
	recorded, err := rt.Record(func(r *host.Recording) error {
		sums, err := host.CumSumTensor(r, nil, x, tensor.CumSum{})
		if err != nil {
			return err
		}
		y, err = host.CumSumTensor(r, nil, sums, tensor.CumSum{})
		return err
	})
	if err != nil {
		log.Fatal(err)
	}
	defer recorded.Free()
	for _, first := range []float32{1, 10} {
		if err := x.Write(context.Background(), []float32{first, 1, 1}); err != nil {
			log.Fatal(err)
		}
		if err := recorded.Run(); err != nil {
			log.Fatal(err)
		}
		values, err := y.Download(context.Background(), nil)
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(values)
	}
	// Output:
	// [1 3 6]
	// [10 21 33]
}

func ExampleRuntime_Explain() {
	rt := openExample()
	defer rt.Close()
	e, err := rt.Explain(tensor.CumSum{Axis: 1}, tensor.Type{DType: tensor.F32, Shape: tensor.Shape{2, 3}})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Print(e)
	// Output:
	// cumsum axis=1 float32[2 3] -> float32[2 3]
	// on the twin: the device is the twin
}
