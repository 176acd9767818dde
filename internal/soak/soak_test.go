package soak

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"vkops/host"
)

// onTwin soaks the twin for a moment.
func onTwin(t *testing.T, change func(*Options)) Report {
	t.Helper()
	pauses := 0
	o := Options{
		Open: func(opts ...host.Option) (*host.Runtime, error) {
			return host.Open(append(opts, host.WithDevice("cpu"))...)
		},
		Seed: 1, For: 300 * time.Millisecond, Threads: 3, Pauses: 100 * time.Millisecond,
		Progress: func(Report) { pauses++ },
	}
	change(&o)
	r, err := Run(context.Background(), o)
	require.NoError(t, err)
	require.Positive(t, pauses)
	return r
}

func TestTheTwinSoaks(t *testing.T) {
	r := onTwin(t, func(*Options) {})
	require.Empty(t, r.Failures)
	require.Positive(t, r.Jobs)
	require.Positive(t, r.Values)
	require.NotZero(t, r.Half)
}

func TestJobsFollowFromSeedAndNumber(t *testing.T) {
	seen := map[string]bool{}
	for number := range uint64(500) {
		j := newJob(7, number)
		require.Equal(t, j.String(), newJob(7, number).String())
		require.NotEqual(t, j.Case, newJob(8, number).Case)
		require.NotEqual(t, j.Case, newJob(7, number+distinct).Case, "other data")
		seen[j.way.name], seen[settings[j.setting].name] = true, true
		seen["own"] = seen["own"] || j.own
		seen["cancelled"] = seen["cancelled"] || j.patience > 0
	}
	require.Len(t, seen, len(ways)+len(settings)+2)
}

// TestAFailureCanBeRunAgain takes the memory away, which fails nearly every job.
func TestAFailureCanBeRunAgain(t *testing.T) {
	poor := func(o *Options) {
		o.Open = func(opts ...host.Option) (*host.Runtime, error) {
			return host.Open(append(opts, host.WithDevice("cpu"), host.WithMemoryBudget(1))...)
		}
		o.For = time.Minute // the failure ends it
	}
	first := onTwin(t, poor)
	require.NotEmpty(t, first.Failures)
	failure := first.Failures[0]
	require.Contains(t, failure.What, "out of memory")
	again := onTwin(t, func(o *Options) {
		poor(o)
		o.Only = &failure.Job
	})
	require.Contains(t, again.Failures, failure)
}

func TestGrowthIsSeen(t *testing.T) {
	half := Resources{Resident: 1 << 30, Files: 20, Threads: 40}
	for _, now := range []Resources{
		{Resident: 1<<30 + 200<<20, Files: 20, Threads: 40}, {Resident: 1 << 30, Files: 40, Threads: 40}, {Resident: 1 << 30, Files: 20, Threads: 400},
	} {
		require.NotEmpty(t, Report{Half: half, Now: now}.Grown())
	}
	require.Empty(t, Report{Half: half, Now: half}.Grown())
}
