package gpu

// tickDurations turns counter values of so many valid bits, which may wrap, into
// nanoseconds since the first.
func tickDurations(ticks []uint64, bits uint32, period float64) []int64 {
	mask := ^uint64(0)
	if bits < 64 {
		mask = 1<<bits - 1
	}
	durations := make([]int64, len(ticks))
	for i, t := range ticks {
		durations[i] = int64(float64((t-ticks[0])&mask) * period)
	}
	return durations
}
