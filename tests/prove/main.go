// Command prove checks the promised error bounds of every operator and type on a device,
// and prints the worst input of each. It ends with 1 where a bound is broken, with 3
// where there is no device.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"strings"
	"sync"
	"time"

	"vkops/host"
	"vkops/internal/prove"
	"vkops/tensor"
)

func main() {
	device := flag.String("device", "", "the device, as for vkops --device; cpu is the twin")
	only := flag.String("only", "", "only the proofs whose names contain this")
	sampled := flag.Bool("sampled", false, "few inputs, as in the tests")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	held, err := run(ctx, *device, *only, *sampled)
	switch {
	case errors.Is(err, host.ErrNoDevice):
		fmt.Fprintln(os.Stderr, "prove:", err)
		os.Exit(3)
	case err != nil:
		fmt.Fprintln(os.Stderr, "prove:", err)
		os.Exit(1)
	case !held:
		fmt.Fprintln(os.Stderr, "prove: a bound is broken")
		os.Exit(1)
	}
}

func run(ctx context.Context, device, only string, sampled bool) (held bool, err error) {
	rt, err := host.Open(host.WithDevice(device))
	if err != nil {
		return false, err
	}
	defer func() { err = errors.Join(err, rt.Close()) }()
	effort := prove.Full
	if sampled {
		effort = prove.Sampled
	}
	runner := func(ctx context.Context, op tensor.Op, inputs ...tensor.Dense) (tensor.Dense, error) {
		return rt.RunDense(ctx, op, inputs...)
	}
	begin, proofs := time.Now(), 0
	fmt.Printf("on %s\n", rt.Device().Name)
	held = true
	for _, p := range prove.Proofs(effort) {
		if !strings.Contains(p.Name, only) {
			continue
		}
		proofs++
		start := time.Now()
		line := &progress{name: p.Name, of: p.Elements, printed: start}
		found, err := p.Run(ctx, runner, line.show)
		line.clear()
		if err != nil {
			return false, fmt.Errorf("%s: %w", p.Name, err)
		}
		outcome := "holds"
		if found.Broken != "" {
			outcome, held = "BROKEN: "+found.Broken, false
		}
		fmt.Printf("\n%s: %s\n  %d results in %.1f s; bound: %s\n", p.Name, outcome, found.Elements, time.Since(start).Seconds(), p.Bound)
		if found.Worst.Where != "" { // integers have none
			fmt.Printf("  worst: %.4f ULP, %s\n", found.Worst.ULP, found.Worst.Where)
		}
	}
	if proofs == 0 {
		return false, fmt.Errorf("no proof has %q in its name", only)
	}
	fmt.Printf("\n%d proofs in %.0f s\n", proofs, time.Since(begin).Seconds())
	return held, nil
}

// progress says on standard error how far a proof is: on a terminal in one line, else
// every ten seconds.
type progress struct {
	mu      sync.Mutex
	name    string
	of      int64
	printed time.Time
	shown   bool
}

func (p *progress) show(done int64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	terminal := false
	if info, err := os.Stderr.Stat(); err == nil {
		terminal = info.Mode()&os.ModeCharDevice != 0
	}
	every, end := 10*time.Second, "\n"
	if terminal {
		every, end = 200*time.Millisecond, "\x1b[K\r"
	}
	if time.Since(p.printed) < every {
		return
	}
	p.printed, p.shown = time.Now(), terminal
	fmt.Fprintf(os.Stderr, "%s: %d of %d (%.0f %%)%s", p.name, done, p.of, 100*float64(done)/float64(p.of), end)
}

func (p *progress) clear() {
	if p.shown {
		fmt.Fprint(os.Stderr, "\x1b[K")
	}
}
