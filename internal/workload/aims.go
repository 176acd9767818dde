package workload

import "vkops/tensor"

// Targets are the workloads with aims, as docs/performance.md lists them.
func Targets() []Workload {
	return []Workload{
		scan(tensor.CumSum{}, tensor.F32, Aims{OfCopy: 2.1, OfTorch: 0.75, TwinOfPlain: 1.0 / 3}, 1<<24),
		scan(tensor.CumSum{Axis: 0}, tensor.F32, Aims{OfCopy: 2.3, OfTorch: 8}, 4096, 4096),
		scan(tensor.CumSum{Axis: 1}, tensor.F32, Aims{OfCopy: 2.2, OfTorch: 0.8}, 1<<20, 16),
		scan(tensor.CumSum{Axis: 0}, tensor.F32, Aims{OfCopy: 2.5, OfTorch: 1}, 1<<20, 2),
		scan(tensor.CumSum{}, tensor.I32, Aims{OfCopy: 1.9, OfTorch: 0.75}, 1<<24),
		scan(tensor.CumSum{}, tensor.F64, Aims{OfCopy: 2.1, OfTorch: 0.75}, 1<<24),
		scan(tensor.CumSum{}, tensor.F16, Aims{OfCopy: 4, OfTorch: 0.75}, 1<<24),
		scan(tensor.CumSum{}, tensor.F32, Aims{EndToEnd: 1.6}, 1<<22),
		scan(tensor.CumSum{}, tensor.F32, Aims{OfEmpty: 2}, 1<<10),
		scan(tensor.LogCumSumExp{}, tensor.F32, Aims{OfCopy: 6.5, OfTorch: 6, TwinOfPlain: 2}, 1<<24),
		scan(tensor.LogCumSumExp{Axis: 0}, tensor.F32, Aims{OfCopy: 6, OfTorch: 6}, 4096, 4096),
		scan(tensor.Log1p{}, tensor.F32, Aims{OfCopy: 1.7, OfTorch: 0.9, TwinOfPlain: 3}, 1<<24),
		scan(tensor.Log1p{}, tensor.F64, Aims{OfCopy: 5, OfTorch: 0.9}, 1<<24),
		loss(Aims{OfTorch: 3}, 8, 19, 512, 512),
	}
}

func scan(op tensor.Op, d tensor.DType, aims Aims, shape ...int) Workload {
	return aiming(aims)(New(op, d, shape...))
}

func loss(aims Aims, input ...int) Workload {
	return aiming(aims)(NewLoss(tensor.NLL{Reduction: tensor.Mean}, tensor.F32, tensor.I64, true, input...))
}

// aiming adds aims to a workload of the list above, which is right by a test.
func aiming(aims Aims) func(Workload, error) Workload {
	return func(w Workload, _ error) Workload {
		w.Aims = aims
		return w
	}
}
