// Package soak runs random operators in many goroutines for a long time, compares
// every result with the twin's bits, and watches what the process holds.
package soak

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"vkops/cpuref"
	"vkops/host"
	"vkops/internal/verify"
	"vkops/tensor"
)

// Opener opens a runtime of the device under test.
type Opener func(opts ...host.Option) (*host.Runtime, error)

// Options say how to soak.
type Options struct {
	Open Opener
	// Seed and a job's number determine the job; jobs are numbered from 0.
	Seed    uint64
	For     time.Duration
	Threads int
	// Only, if not nil, is the one job to run, over and over.
	Only *uint64
	// Pauses is how often all threads pause, so that resources can be measured.
	Pauses time.Duration
	// Progress is called at each pause.
	Progress func(Report)
}

// Report is what was done and found.
type Report struct {
	Elapsed   time.Duration
	Jobs      int64 // finished, those cancelled or refused included
	Cancelled int64 // ended by their context
	Refused   int64 // for want of memory, where the budget is scarce
	Values    int64 // elements of the results compared
	// Half and Now are the resources at the first pause after half of the time and
	// at the latest pause.
	Half, Now Resources
	Failures  []Failure
}

// Failure is a job that went wrong.
type Failure struct {
	Job  uint64
	What string
}

// allowedGrowth is how much more memory than halfway is no leak: drivers keep what
// they compiled, allocators what was freed.
const (
	allowedGrowth  = 128 << 20
	allowedFiles   = 8
	allowedThreads = 64
)

// Grown says what the process held more of at the end than halfway, "" for nothing.
func (r Report) Grown() string {
	switch {
	case r.Now.Resident-r.Half.Resident > allowedGrowth:
		return fmt.Sprintf("memory grew from %d MiB halfway to %d MiB", r.Half.Resident>>20, r.Now.Resident>>20)
	case r.Now.Files-r.Half.Files > allowedFiles:
		return fmt.Sprintf("file handles grew from %d halfway to %d", r.Half.Files, r.Now.Files)
	case r.Now.Threads-r.Half.Threads > allowedThreads:
		return fmt.Sprintf("threads grew from %d halfway to %d", r.Half.Threads, r.Now.Threads)
	}
	return ""
}

// soaker is a run under way.
type soaker struct {
	Options
	runtimes []*host.Runtime
	next     atomic.Uint64
	gate     sync.RWMutex // held for reading by jobs, for writing by pauses

	mu     sync.Mutex
	report Report
}

// Run soaks until the time is over, the context ends, or a job has failed.
func Run(ctx context.Context, o Options) (Report, error) {
	s := &soaker{Options: o}
	for _, set := range settings {
		rt, err := o.Open(set.options...)
		if err != nil {
			return s.report, errors.Join(err, s.close())
		}
		s.runtimes = append(s.runtimes, rt)
	}
	start := time.Now()
	ctx, cancel := context.WithTimeout(ctx, o.For)
	defer cancel()
	var threads sync.WaitGroup
	for range o.Threads {
		threads.Add(1)
		go func() {
			defer threads.Done()
			for ctx.Err() == nil {
				if !s.one(ctx) {
					cancel()
				}
			}
		}()
	}
	ticker := time.NewTicker(o.Pauses)
	defer ticker.Stop()
	for ctx.Err() == nil {
		select {
		case <-ctx.Done():
		case <-ticker.C:
			s.pause(start)
		}
	}
	threads.Wait()
	s.pause(start)
	return s.report, s.close()
}

// pause measures while no job runs.
func (s *soaker) pause(start time.Time) {
	s.gate.Lock()
	defer s.gate.Unlock()
	s.report.Elapsed = time.Since(start)
	s.report.Now = resources()
	if s.report.Half == (Resources{}) && s.report.Elapsed >= s.For/2 {
		s.report.Half = s.report.Now
	}
	s.Progress(s.report)
}

// one runs the next job and says whether it went well.
func (s *soaker) one(ctx context.Context) bool {
	s.gate.RLock()
	defer s.gate.RUnlock()
	number := s.next.Add(1) - 1
	if s.Only != nil {
		number = *s.Only
	}
	j := newJob(s.Seed, number)
	values, err := s.try(j)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.report.Jobs++
	switch {
	case err == nil:
		s.report.Values += values
	case j.patience > 0 && errors.Is(err, context.DeadlineExceeded):
		s.report.Cancelled++
	case settings[j.setting].scarce && errors.Is(err, host.ErrOutOfMemory):
		s.report.Refused++
	default:
		s.report.Failures = append(s.report.Failures, Failure{number, fmt.Sprintf("%s: %v", j, err)})
		return false
	}
	return true
}

// try runs a job and compares its result with the twin's.
func (s *soaker) try(j job) (values int64, err error) {
	inputs, err := j.Make()
	if err != nil {
		return 0, err
	}
	want, err := cpuref.Run(j.Op, inputs...)
	if err != nil {
		return 0, err
	}
	got, err := s.on(j, inputs)
	if err != nil {
		return 0, err
	}
	if difference := verify.Compare(got, want); difference != "" {
		return 0, errors.New(difference)
	}
	return want.Shape.Elements()
}

// on runs a job in the runtime that it asks for.
func (s *soaker) on(j job, inputs []tensor.Dense) (d tensor.Dense, err error) {
	ctx := context.Background()
	if j.patience > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, j.patience)
		defer cancel()
	}
	rt := s.runtimes[j.setting]
	if j.own {
		if rt, err = s.Open(settings[j.setting].options...); err != nil {
			return tensor.Dense{}, err
		}
		defer func() { err = errors.Join(err, rt.Close()) }()
	}
	return j.way.run(ctx, rt, j.Op, inputs)
}

func (s *soaker) close() error {
	var errs []error
	for _, rt := range s.runtimes {
		errs = append(errs, rt.Close())
	}
	return errors.Join(errs...)
}
