package cpuref

import (
	"runtime"
	"sync"
	"sync/atomic"
)

// workers is how many goroutines share the work of a call.
func workers() int { return runtime.GOMAXPROCS(0) }

// parallel calls do(lo, hi) for chunks that cover [0, n) once, each about grain
// long, from up to threads goroutines. It returns when all are done.
func parallel(n, grain int64, threads int, do func(lo, hi int64)) {
	grain = max(grain, 1)
	chunks := (n + grain - 1) / grain
	threads = int(min(int64(threads), chunks))
	if threads <= 1 {
		if n > 0 {
			do(0, n)
		}
		return
	}
	var next atomic.Int64
	var wait sync.WaitGroup
	wait.Add(threads)
	for range threads {
		go func() {
			defer wait.Done()
			for {
				lo := (next.Add(1) - 1) * grain
				if lo >= n {
					return
				}
				do(lo, min(lo+grain, n))
			}
		}()
	}
	wait.Wait()
}
