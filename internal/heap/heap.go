// Package heap measures what code takes from the heap, for tests that hold readers
// of foreign files to memory in proportion to the file.
package heap

import "runtime/metrics"

// Allocated is what f takes from the heap, garbage included, as exactly as can be
// told without stopping the world, which would make fuzzing slow. Other goroutines
// count too, so where a measurement passes the limit f runs again, up to four more
// times, and the least is the result.
func Allocated(limit uint64, f func()) uint64 {
	least := once(f)
	for try := 0; try < 4 && least > limit; try++ {
		least = min(least, once(f))
	}
	return least
}

func once(f func()) uint64 {
	sample := []metrics.Sample{{Name: "/gc/heap/allocs:bytes"}}
	metrics.Read(sample)
	before := sample[0].Value.Uint64()
	f()
	metrics.Read(sample)
	return sample[0].Value.Uint64() - before
}
