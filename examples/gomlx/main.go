// Command gomlx runs operators of vkops on tensors of GoMLX, a machine learning library
// for Go. It is a module of its own, so that vkops does not depend on GoMLX; tensors.go
// is the adapter to copy.
//
// GoMLX rather than gorgonia: it is released several times a year, while gorgonia's
// tensors had their last release in 2022, and its tensors alone need neither cgo nor a
// backend.
//
//	cd examples/gomlx && go run .
package main

import (
	"context"
	"fmt"
	"log"

	"github.com/gomlx/gomlx/pkg/core/tensors"

	"vkops/host"
	"vkops/tensor"
)

func main() {
	rt, err := host.Open()
	if err != nil {
		log.Fatal(err)
	}
	defer rt.Close()
	x := tensors.FromValue([][]float32{{1, 2, 3}, {4, 5, 6}})
	y, err := CumSum[float32](context.Background(), rt, x, tensor.CumSum{Axis: 1})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(y, "on", rt.Device().Name)
}
