package cpuref_test

import (
	"fmt"

	"vkops/cpuref"
	"vkops/tensor"
)

func ExampleCumSum() {
	x := []int32{1, 2, 3, 10, 20, 30} // 2 rows of 3
	rows := tensor.View{Outer: 2, N: 3, Inner: 1}
	y := make([]int32, len(x))
	cpuref.CumSum(y, x, rows, false, false)
	fmt.Println(y)
	cpuref.CumSum(y, x, rows, true, true)
	fmt.Println(y)
	// Output:
	// [1 3 6 10 30 60]
	// [5 3 0 50 30 0]
}

func ExampleLogCumSumExp() {
	x := []float64{-1000, 0, 0, 1000}
	y := make([]float64, len(x))
	cpuref.LogCumSumExp(y, x, tensor.View{Outer: 1, N: 4, Inner: 1})
	fmt.Printf("%.6f\n", y)
	// Output: [-1000.000000 0.000000 0.693147 1000.000000]
}

func ExampleLog1p() {
	x := []float32{-1, -0.5, 1e-10, 1}
	cpuref.Log1p(x, x)
	fmt.Println(x)
	// Output: [-Inf -0.6931472 1e-10 0.6931472]
}

func ExampleNLL() {
	input := []float32{-0.1, -2.4, -1.2, -0.4} // log-probabilities of 2 classes for 2 samples
	loss := make([]float32, 1)
	err := cpuref.NLL(loss, input, []int64{0, 1}, nil, tensor.NLLView{N: 2, C: 2, D: 1}, tensor.NLL{})
	fmt.Println(loss, err)
	// Output: [0.25] <nil>
}

func ExampleLogSoftmax() {
	x := []float64{0, 0, 1000, 0} // 2 rows of 2; exp(1000) overflows
	cpuref.LogSoftmax(x, x, tensor.View{Outer: 2, N: 2, Inner: 1})
	fmt.Println(x)
	// Output: [-0.6931471805599453 -0.6931471805599453 0 -1000]
}

func ExampleSoftmaxCrossEntropyLoss() {
	scores := []float32{0, 0, 1000, 0} // of 2 classes for 2 samples
	losses := make([]float32, 2)
	op := tensor.SoftmaxCrossEntropyLoss{Reduction: tensor.None}
	err := cpuref.SoftmaxCrossEntropyLoss(losses, scores, []int64{0, 1}, nil, tensor.NLLView{N: 2, C: 2, D: 1}, op)
	fmt.Println(losses, err)
	// Output: [0.6931472 1000] <nil>
}

func ExampleRun() {
	x, _ := tensor.Of([]float32{1, 2, 3, 4}, 2, 2)
	y, err := cpuref.Run(tensor.CumSum{Axis: 0}, x)
	values, _ := tensor.Values[float32](y)
	fmt.Println(y.Type, values, err)
	_, err = cpuref.Run(tensor.CumSum{Axis: 2}, x)
	fmt.Println(err)
	// Output:
	// float32[2 2] [1 2 4 6] <nil>
	// cumsum: axis 2 out of range for rank 2
}
