package npy

import (
	"slices"

	"vkops/tensor"
)

// swapBytes reverses the bytes of every element in place.
func swapBytes(data []byte, size int) {
	for i := 0; i+size <= len(data); i += size {
		slices.Reverse(data[i : i+size])
	}
}

// toCOrder turns Fortran order, the first index fastest, into C order.
func toCOrder(d tensor.Dense) (tensor.Dense, error) {
	out, err := tensor.NewDense(d.Type)
	if err != nil || len(out.Data) == 0 {
		return out, err
	}
	switch d.DType.Size() {
	case 2:
		reorder(tensor.ValuesOf[tensor.BFloat16](out.Data), tensor.ValuesOf[tensor.BFloat16](d.Data), d.Shape)
	case 4:
		reorder(tensor.ValuesOf[uint32](out.Data), tensor.ValuesOf[uint32](d.Data), d.Shape)
	default:
		reorder(tensor.ValuesOf[uint64](out.Data), tensor.ValuesOf[uint64](d.Data), d.Shape)
	}
	return out, nil
}

// reorder walks dst in C order with an odometer that keeps src's offset.
func reorder[T any](dst, src []T, shape tensor.Shape) {
	strides := make([]int, len(shape))
	stride := 1
	for k, n := range shape {
		strides[k] = stride
		stride *= n
	}
	index := make([]int, len(shape))
	from := 0
	for i := range dst {
		dst[i] = src[from]
		for k := len(shape) - 1; k >= 0; k-- {
			index[k]++
			from += strides[k]
			if index[k] < shape[k] {
				break
			}
			from -= index[k] * strides[k]
			index[k] = 0
		}
	}
}
