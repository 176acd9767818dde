package main

import (
	"context"
	"fmt"
	"log"

	"vkops/host"
	"vkops/tensor"
)

func main() {
	rt, err := host.Open() // the best Vulkan device; host.WithDevice("cpu") needs none
	if err != nil {
		log.Fatal(err)
	}
	defer rt.Close()
	x := []float32{1, 2, 3, 4, 5, 6}
	op := tensor.CumSum{Axis: 1}
	y, err := host.CumSum(context.Background(), rt, nil, x, tensor.Shape{2, 3}, op)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(y, "on", rt.Device().Name) // [1 3 6 4 9 15] on ...
}
