package onnx

import (
	"fmt"
	"io"
	"math"

	"google.golang.org/protobuf/encoding/protowire"

	"vkops/tensor"
)

// WriteTensor writes d as a TensorProto of that name with raw data, byte for byte
// as the official Python package does. Protobuf messages end at 2 GiB; a larger
// tensor is ErrUnsupported.
func WriteTensor(w io.Writer, d tensor.Dense, name string) error {
	number, known := numberOf(d.DType)
	if !known {
		return fmt.Errorf("%w: %s has no TensorProto form", tensor.ErrType, d.DType)
	}
	size, err := d.Bytes()
	if err != nil {
		return err
	}
	var head []byte
	for _, n := range d.Shape {
		head = protowire.AppendTag(head, tensorDims, protowire.VarintType)
		head = protowire.AppendVarint(head, uint64(n))
	}
	head = protowire.AppendTag(head, tensorDataType, protowire.VarintType)
	head = protowire.AppendVarint(head, number)
	if name != "" {
		head = protowire.AppendTag(head, tensorName, protowire.BytesType)
		head = protowire.AppendString(head, name)
	}
	head = protowire.AppendTag(head, tensorRawData, protowire.BytesType)
	head = protowire.AppendVarint(head, uint64(len(d.Data)))
	if size > math.MaxInt32-int64(len(head)) {
		return unsupportedErrorf("%s is beyond the 2 GiB of a TensorProto; .npy has no such limit", d.Type)
	}
	if size != int64(len(d.Data)) {
		return fmt.Errorf("%w: %s with %d bytes of data", tensor.ErrShape, d.Type, len(d.Data))
	}
	if _, err := w.Write(head); err != nil {
		return err
	}
	_, err = w.Write(d.Data)
	return err
}
