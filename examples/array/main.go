// Command array makes an array to try the operators on: 1,000 rows of 1,000 random
// numbers, written as a .npy file.
//
//	go run ./examples/array x.npy
package main

import (
	"log"
	"math/rand/v2"
	"os"

	"vkops/onnx"
	"vkops/tensor"
)

func main() {
	if len(os.Args) != 2 {
		log.Fatal("usage: array FILE.npy")
	}
	if err := write(os.Args[1], 1000, 1000); err != nil {
		log.Fatal(err)
	}
}

func write(path string, rows, columns int) error {
	x := make([]float32, rows*columns)
	for i := range x {
		x[i] = rand.Float32()
	}
	d, err := tensor.Of(x, rows, columns) // the elements row by row, and the shape
	if err != nil {
		return err
	}
	return onnx.WriteFile(path, d, "x")
}
