package prove

import (
	"context"
	"fmt"
	"math/rand/v2"

	"vkops/tensor"
)

var floatTypes = []tensor.DType{tensor.F16, tensor.BF16, tensor.F32, tensor.F64}

// job is one operator on one set of inputs.
type job struct {
	what   string
	op     tensor.Op
	length int // of the result
	make   func(r *rand.Rand) ([]tensor.Dense, error)
}

// jobs makes a proof of jobs, which run side by side.
func jobs(name, bound string, list []job) Proof {
	p := Proof{Name: name, Bound: bound}
	for _, j := range list {
		p.Elements += int64(j.length)
	}
	p.run = func(ctx context.Context, run Runner, found *findings) error {
		return each(ctx, len(list), func(i int) error {
			j := list[i]
			inputs, err := j.make(rand.New(rand.NewPCG(uint64(i), 3)))
			if err != nil {
				return fmt.Errorf("%s: %w", j.what, err)
			}
			return checked(ctx, run, found, j.what, j.op, inputs...)
		})
	}
	return p
}

// scan is a job on a 1-D tensor.
func scan(op tensor.Op, d tensor.DType, data Data, n int) job {
	return job{fmt.Sprintf("%+v of %s, n = %d", op, data.Name, n), op, n, func(r *rand.Rand) ([]tensor.Dense, error) {
		x, err := Dense(d, data.Fill(r, n))
		return []tensor.Dense{x}, err
	}}
}

func cumSumProofs(e Effort) []Proof {
	mode := func(i int) tensor.CumSum { return tensor.CumSum{Exclusive: i&1 != 0, Reverse: i&2 != 0} }
	var all []Proof
	for i, d := range floatTypes {
		var list []job
		for k, data := range Sums() {
			list = append(list, scan(mode(i+k), d, data, e.Length), scan(mode(i+k+1), d, data, e.Length-1))
		}
		list = append(list, scan(mode(0), d, Sums()[i%2], e.Longest))
		all = append(all, jobs("cumsum "+d.String(), "1 ULP where sum|x| <= 2^20 |y|; else a part of sum|x|", list))
	}
	for _, d := range []tensor.DType{tensor.I32, tensor.I64, tensor.U32, tensor.U64} {
		var list []job
		for i := range 4 {
			list = append(list, job{fmt.Sprintf("%+v of random bits", mode(i)), mode(i), e.Length, func(r *rand.Rand) ([]tensor.Dense, error) {
				x, err := tensor.NewDense(tensor.Type{DType: d, Shape: tensor.Shape{e.Length}})
				for k := range x.Data {
					x.Data[k] = byte(r.Uint32())
				}
				return []tensor.Dense{x}, err
			}})
		}
		all = append(all, jobs("cumsum "+d.String(), "exact modulo 2^bits", list))
	}
	return all
}

func logCumSumExpProofs(e Effort) []Proof {
	var all []Proof
	for _, d := range floatTypes {
		length, longest := e.Length, e.Longest
		bound := "2 ULP of max(|y|, 1)"
		switch d {
		case tensor.F64:
			length, longest = length/e.Wide, longest/e.Wide
		case tensor.F16, tensor.BF16:
			bound += " of float32 beyond the rounding"
		}
		var list []job
		for i, data := range Logs() {
			n := length
			if i < 4 {
				n = longest
			}
			list = append(list, scan(tensor.LogCumSumExp{}, d, data, n))
		}
		all = append(all, jobs("logcumsumexp "+d.String(), bound, list))
	}
	return all
}
