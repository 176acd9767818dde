package main

import (
	"fmt"
	"strings"

	"vkops/host"
	"vkops/tensor"
)

// operatorNames are what --op takes.
func operatorNames() []string {
	return []string{tensor.CumSum{}.Name(), tensor.LogCumSumExp{}.Name(), tensor.Log1p{}.Name(), tensor.LogSoftmax{}.Name(),
		tensor.NLL{}.Name(), tensor.SoftmaxCrossEntropyLoss{}.Name()}
}

// onnxName is an operator's name in ONNX, which run takes, too.
func onnxName(name string) string {
	switch name {
	case tensor.CumSum{}.Name():
		return "CumSum"
	case tensor.LogCumSumExp{}.Name():
		return "LogCumSumExp"
	case tensor.Log1p{}.Name():
		return "Log1p"
	case tensor.LogSoftmax{}.Name():
		return "LogSoftmax"
	case tensor.NLL{}.Name():
		return "NegativeLogLikelihoodLoss"
	}
	return "SoftmaxCrossEntropyLoss"
}

func unknownOp(name string) error {
	return fmt.Errorf("operator %q is not %s", name, oneOf(operatorNames()))
}

// oneOf is "a, b or c".
func oneOf(names []string) string {
	last := len(names) - 1
	return strings.Join(names[:last], ", ") + " or " + names[last]
}

// dtypeNames are what --dtype takes.
func dtypeNames() []string {
	var names []string
	for _, d := range tensor.AllDTypes() {
		names = append(names, d.String())
	}
	return names
}

// strategyNames are what --strategy takes.
func strategyNames() []string {
	return []string{string(host.Auto), string(host.Lane), string(host.Workgroup), string(host.LookBack)}
}

// timeNames are what --times takes.
func timeNames() []string {
	var names []string
	for _, t := range host.Timings() {
		names = append(names, string(t))
	}
	return append(names, string(timePlain))
}
