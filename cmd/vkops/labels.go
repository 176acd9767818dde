package main

import "vkops/tensor"

// checkLabels refuses a loss whose labels are out of range. The device finds that
// too, but bad input is to be found before a device is opened. The types have
// passed Infer.
func checkLabels(op tensor.Op, inputs []tensor.Dense) error {
	loss, ok := op.(tensor.Loss)
	if !ok {
		return nil
	}
	classes := int64(inputs[0].Shape[1])
	if inputs[1].DType == tensor.I32 {
		return firstBad(loss, tensor.ValuesOf[int32](inputs[1].Data), classes)
	}
	return firstBad(loss, tensor.ValuesOf[int64](inputs[1].Data), classes)
}

func firstBad[I tensor.Index](op tensor.Loss, labels []I, classes int64) error {
	_, index := op.Attributes()
	for i, label := range labels {
		value := int64(label)
		ignored := index != nil && value == *index
		if !ignored && (value < 0 || value >= classes) {
			return op.ErrorAt(int64(i), value, classes)
		}
	}
	return nil
}
