package main

import (
	"context"
	"fmt"
	"slices"

	"github.com/gomlx/gomlx/pkg/core/dtypes"
	"github.com/gomlx/gomlx/pkg/core/shapes"
	"github.com/gomlx/gomlx/pkg/core/tensors"

	"vkops/host"
	"vkops/tensor"
)

// Number is what tensors of both libraries hold. Both have 16-bit floats, too; those
// of bfloat16 are of two Go types with the same bits.
type Number interface {
	float32 | float64 | int32 | int64 | uint32 | uint64
}

// Upload copies a GoMLX tensor to the device. The caller frees the result.
func Upload[T Number](rt *host.Runtime, x *tensors.Tensor) (*host.Tensor[T], error) {
	var uploaded *host.Tensor[T]
	var err error
	accessErr := tensors.ConstFlatData(x, func(flat []T) {
		uploaded, err = host.Upload(rt, flat, slices.Clone(x.Shape().Dimensions))
	})
	if accessErr != nil {
		return nil, fmt.Errorf("GoMLX tensor %s: %w", x.Shape(), accessErr)
	}
	return uploaded, err
}

// Download waits for the work on a tensor of vkops and copies it into a GoMLX tensor.
func Download[T Number](ctx context.Context, y *host.Tensor[T]) (*tensors.Tensor, error) {
	out := tensors.FromShape(shapes.Make(dtypes.FromGenericsType[T](), y.Shape()...))
	var err error
	accessErr := tensors.MutableFlatData(out, func(flat []T) { _, err = y.Download(ctx, flat) })
	if accessErr != nil {
		return nil, fmt.Errorf("GoMLX tensor %s: %w", out.Shape(), accessErr)
	}
	return out, err
}

// CumSum is the cumulative sum of a GoMLX tensor along an axis.
func CumSum[T Number](ctx context.Context, rt *host.Runtime, x *tensors.Tensor, op tensor.CumSum) (*tensors.Tensor, error) {
	t, err := Upload[T](rt, x)
	if err != nil {
		return nil, err
	}
	defer t.Free()
	if _, err := host.CumSumTensor(rt, t, t, op); err != nil {
		return nil, err
	}
	return Download(ctx, t)
}
