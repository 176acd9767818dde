package host_test

import (
	"context"
	"fmt"

	"vkops/host"
	"vkops/tensor"
)

func ExampleLogSoftmax() {
	rt := openExample()
	defer rt.Close()
	x := []float32{0, 0, 1000, 0} // exp(1000) is beyond float32
	y := must(host.LogSoftmax(context.Background(), rt, nil, x, tensor.Shape{2, 2}, tensor.LogSoftmax{Axis: 1}))
	fmt.Println(y)
	// Output: [-0.6931472 -0.6931472 0 -1000]
}

func ExampleSoftmaxCrossEntropyLoss() {
	rt := openExample()
	defer rt.Close()
	scores := []float32{0, 0, 1000, 0} // 2 classes for 2 samples
	loss := must(host.SoftmaxCrossEntropyLoss(context.Background(), rt, nil, scores, []int64{0, 1}, nil,
		tensor.Shape{2, 2}, tensor.SoftmaxCrossEntropyLoss{Reduction: tensor.None}))
	fmt.Println(loss)
	// Output: [0.6931472 1000]
}

func ExampleLogSoftmaxTensor() {
	ctx, rt := context.Background(), openExample()
	defer rt.Close()
	x := must(host.Upload(rt, []float64{0, 0}, tensor.Shape{2, 1}))
	must(host.LogSoftmaxTensor(rt, x, x, tensor.LogSoftmax{Axis: 0})) // in place
	fmt.Println(must(x.Download(ctx, nil)))
	// Output: [-0.6931471805599453 -0.6931471805599453]
}

func ExampleSoftmaxCrossEntropyLossTensor() {
	ctx, rt := context.Background(), openExample()
	defer rt.Close()
	scores := must(host.Upload(rt, []float32{0, 0, 0, 1000}, tensor.Shape{2, 2}))
	labels := must(host.Upload(rt, []int32{0, 1}, tensor.Shape{2}))
	op := tensor.SoftmaxCrossEntropyLoss{Reduction: tensor.Sum}
	loss := must(host.SoftmaxCrossEntropyLossTensor(rt, nil, scores, labels, nil, op))
	fmt.Println(must(loss.Download(ctx, nil)))
	// Output: [0.6931472]
}

// Scores of one batch after another, through the same recording.
func ExampleLogSoftmaxTensor_recorded() {
	ctx, rt := context.Background(), openExample()
	defer rt.Close()
	x := must(host.NewTensor[float32](rt, tensor.Shape{1, 2}))
	y := must(host.NewTensor[float32](rt, tensor.Shape{1, 2}))
	recorded := must(rt.Record(func(r *host.Recording) error {
		_, err := host.LogSoftmaxTensor(r, y, x, tensor.LogSoftmax{Axis: -1})
		return err
	}))
	defer recorded.Free()
	for _, batch := range [][]float32{{7, 7}, {0, 500}} {
		if err := x.Write(ctx, batch); err != nil {
			fmt.Println(err)
		}
		if err := recorded.Run(); err != nil {
			fmt.Println(err)
		}
		fmt.Println(must(y.Download(ctx, nil)))
	}
	// Output:
	// [-0.6931472 -0.6931472]
	// [-500 0]
}

func ExampleSoftmaxCrossEntropyLossTensor_recorded() {
	ctx, rt := context.Background(), openExample()
	defer rt.Close()
	scores := must(host.Upload(rt, []float32{0, 0, 1000, 0}, tensor.Shape{2, 2}))
	labels := must(host.NewTensor[int64](rt, tensor.Shape{2}))
	var loss *host.Tensor[float32]
	recorded := must(rt.Record(func(r *host.Recording) (err error) {
		op := tensor.SoftmaxCrossEntropyLoss{Reduction: tensor.None}
		loss, err = host.SoftmaxCrossEntropyLossTensor(r, nil, scores, labels, nil, op)
		return err
	}))
	defer recorded.Free()
	if err := labels.Write(ctx, []int64{1, 1}); err != nil {
		fmt.Println(err)
	}
	if err := recorded.Run(); err != nil {
		fmt.Println(err)
	}
	if err := recorded.Wait(ctx); err != nil {
		fmt.Println(err)
	}
	fmt.Println(must(loss.Download(ctx, nil)))
	// Output: [0.6931472 1000]
}
