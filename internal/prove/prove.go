// Package prove measures the promised error bounds: over all inputs where there are
// few enough, else over many that strain the arithmetic. It names the worst input of
// each proof and refuses a broken bound.
//
// Results come from a Runner, exact values from internal/oracle, from math.Log1p (which
// is off by less than 1 ULP of float64, 2^-29 ULP of float32). For the worst inputs of
// Log1p, and for float32 ones within 2^-10 ULP of the bound, they are computed again in
// 300 bits.
package prove

import (
	"context"
	"fmt"
	"runtime"
	"sync"

	"vkops/tensor"
)

// Runner computes an operator. It is used by many goroutines at once.
type Runner func(ctx context.Context, op tensor.Op, inputs ...tensor.Dense) (tensor.Dense, error)

// Effort says how much is tried.
type Effort struct {
	// Stride is the distance of the float32 bit patterns that Log1p is tried on; 1 is
	// all of them.
	Stride int
	// Samples is the number of float64 inputs of Log1p.
	Samples int
	// Length is that of most scans, and Longest that of a few.
	Length, Longest int
	// Wide divides both lengths for float64 LogCumSumExp, whose exact values are slow.
	Wide int
}

// Full is the proof that scripts/prove.sh runs.
var Full = Effort{Stride: 1, Samples: 1 << 24, Length: 1<<20 + 1, Longest: 1 << 24, Wide: 8}

// Sampled is small enough for every run of the tests.
var Sampled = Effort{Stride: 1<<12 + 1, Samples: 1 << 17, Length: 1<<12 + 1, Longest: 1<<14 + 1, Wide: 4}

// Worst is the result that is furthest from the exact value.
type Worst struct {
	ULP   float64 // in the unit of the bound
	Where string  // the input, the result and the exact value
}

// Outcome is what a proof found.
type Outcome struct {
	Elements int64
	Worst    Worst
	// Broken describes a result beyond its bound; empty where the bound holds.
	Broken string
}

// Proof is one row of the table of bounds.
type Proof struct {
	Name  string // "log1p float32"
	Bound string // "1 ULP"
	// Elements is how many results are compared.
	Elements int64
	run      func(ctx context.Context, runner Runner, found *findings) error
}

// Run runs the proof. progress is called now and then, from any goroutine, with the
// number of results compared. The error is the runner's or the context's.
func (p Proof) Run(ctx context.Context, runner Runner, progress func(done int64)) (Outcome, error) {
	found := &findings{progress: progress}
	err := p.run(ctx, runner, found)
	return found.outcome, err
}

// Proofs lists all proofs.
func Proofs(e Effort) []Proof {
	var all []Proof
	all = append(all, log1pProofs(e)...)
	all = append(all, cumSumProofs(e)...)
	all = append(all, logCumSumExpProofs(e)...)
	all = append(all, logSoftmaxProofs(e)...)
	all = append(all, crossEntropyProofs(e)...)
	return append(all, nllProofs(e)...)
}

// findings collects outcomes of many goroutines.
type findings struct {
	mu       sync.Mutex
	outcome  Outcome
	progress func(done int64)
}

// add merges the outcome of a part.
func (f *findings) add(part Outcome) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.outcome.Elements += part.Elements
	if part.Worst.ULP > f.outcome.Worst.ULP || f.outcome.Worst.Where == "" {
		f.outcome.Worst = part.Worst
	}
	if f.outcome.Broken == "" {
		f.outcome.Broken = part.Broken
	}
	if f.progress != nil {
		f.progress(f.outcome.Elements)
	}
}

// each calls do for 0 to n-1 on all cores and gives the first error.
func each(ctx context.Context, n int, do func(i int) error) error {
	next := make(chan int)
	errs := make(chan error, runtime.GOMAXPROCS(0))
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	for range cap(errs) {
		go func() {
			var err error
			for i := range next {
				if err == nil && ctx.Err() == nil {
					if err = do(i); err != nil {
						cancel()
					}
				}
			}
			errs <- err
		}()
	}
	for i := range n {
		next <- i
	}
	close(next)
	var first error
	for range cap(errs) {
		if err := <-errs; err != nil && first == nil {
			first = err
		}
	}
	if first == nil {
		first = context.Cause(ctx)
	}
	return first
}

func where(format string, args ...any) string { return fmt.Sprintf(format, args...) }
