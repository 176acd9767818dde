package main

import (
	"context"
	"fmt"
	"log"
	"slices"

	"vkops/host"
	"vkops/tensor"
)

func main() {
	rt, err := host.Open() // the best Vulkan device; host.WithDevice("cpu") needs none
	if err != nil {
		log.Fatal(err)
	}
	defer rt.Close()
	x := slices.Repeat([]float32{0.1}, 1<<20) // a plain float32 loop would end at 105891.84
	y, err := host.CumSum(context.Background(), rt, nil, x, tensor.Shape{1 << 20}, tensor.CumSum{Axis: 0})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(y[len(y)-1], "on", rt.Device().Name) // 104857.6 on ...
}
