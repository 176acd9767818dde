package main

import (
	"bufio"
	"context"
	"fmt"

	"vkops/host"
	"vkops/internal/workload"
)

// served is the state of bench --serve: the combination that is measured now.
type served struct {
	c      *cli
	rt     *host.Runtime
	list   []workload.Workload // not yet measured
	times  []string
	meter  *host.Meter
	result benchResult
}

// serveBench answers commands until the standard input ends.
func (c *cli) serveBench(ctx context.Context, list []workload.Workload, f benchFlags) error {
	if len(f.strategies) != 1 {
		return badInputf("bench: --serve takes one --strategy")
	}
	rt, err := c.open(host.WithStrategy(host.Strategy(f.strategies[0])))
	if err != nil {
		return err
	}
	defer rt.Close()
	s := &served{c: c, rt: rt, list: list, times: f.times}
	defer s.close()
	lines := bufio.NewScanner(c.stdin)
	for lines.Scan() {
		answer, err := s.answer(ctx, lines.Text())
		if err != nil {
			return err
		}
		if err := c.printJSON(answer); err != nil {
			return err
		}
	}
	return lines.Err()
}

func (s *served) answer(ctx context.Context, command string) (any, error) {
	switch {
	case command == "next":
		return s.next()
	case s.meter == nil:
		return nil, badInputf("bench: --serve: %q before \"next\"", command)
	case command == "round":
		return map[string]string{"done": command}, s.meter.Round(ctx)
	case command == "reset":
		s.meter.Reset()
		return map[string]string{"done": command}, nil
	case command == "result":
		s.result.add(s.meter.Result())
		return s.result, nil
	}
	return nil, badInputf("bench: --serve: %q is not next, round, reset or result", command)
}

// next prepares a combination and describes it; null means that none is left.
func (s *served) next() (any, error) {
	s.close()
	if len(s.list) == 0 {
		return nil, nil
	}
	w := s.list[0]
	s.list = s.list[1:]
	var err error
	if s.result, err = describeBench(s.rt, w); err != nil {
		return nil, err
	}
	if s.meter, err = newMeter(s.rt, w, s.times); err != nil {
		return nil, fmt.Errorf("bench: %w", err)
	}
	return s.result, nil
}

func (s *served) close() {
	if s.meter != nil {
		s.meter.Close()
		s.meter = nil
	}
}
