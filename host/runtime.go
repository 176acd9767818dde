package host

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"strings"
	"sync"

	"vkops/tensor"
)

// twinName is the selector and the device name of the twin.
const twinName = "cpu"

// environmentDevice names the variable that chooses a device where the program
// does not.
const environmentDevice = "VKOPS_DEVICE"

// Runtime is an open device, or the twin. It is safe for many goroutines.
type Runtime struct {
	log     *slog.Logger
	info    DeviceInfo
	backend backend
	// smallOnTwin lets slices in, slices out run on the twin where the device
	// would take longer to start than to compute.
	smallOnTwin bool

	mu     sync.Mutex // guards what follows, and the changing fields of every Buffer
	closed bool
	// busy counts calls that use device memory outside mu; Close waits for them.
	busy sync.WaitGroup

	closeOnce sync.Once
	closeErr  error
}

// backend is where a runtime's tensors live and its operators run. The arguments
// that it gets are checked: live buffers of the runtime, with types that fit.
type backend interface {
	// alloc gives b memory of undefined content.
	// The context ends the wait for memory that work in flight holds.
	alloc(ctx context.Context, b *Buffer) error
	// release takes b's memory away; Runtime.mu is held.
	release(b *Buffer)
	// run sends one operator on its way. An error in its data goes to out.poison. The
	// context ends waits for room in the queue and for memory.
	run(ctx context.Context, op tensor.Op, out *Buffer, inputs []*Buffer) error
	// apply runs one operator from host memory to host memory. When it returns, nothing
	// writes dst any more; what is still read of the inputs is dropped.
	apply(ctx context.Context, op tensor.Op, dst tensor.Dense, inputs []tensor.Dense) error
	// wait returns when the last work on b is done, with its poison.
	wait(ctx context.Context, b *Buffer) error
	// read waits, then copies b's first len(dst) bytes out.
	read(ctx context.Context, b *Buffer, dst []byte) error
	// write waits where it must, then replaces b's first len(src) bytes.
	write(ctx context.Context, b *Buffer, src []byte) error
	// view waits, then gives b's memory itself.
	view(ctx context.Context, b *Buffer) ([]byte, error)
	// record turns calls into one submission; nil if they have to be run one by one.
	record(calls []call) (replayer, error)
	// explain says what run would do, where the output overwrites the first input or not.
	explain(op tensor.Op, out tensor.Type, inputs []tensor.Type, overwrites bool) (Explanation, error)
	// measure gives the kinds of runs that only the backend can time, for a call whose
	// tensors hold what it needs; free is called after the last run.
	measure(m *Measurement, c call) (kinds []timed, free func(), err error)
	// close waits for the work in flight and gives everything back.
	close() error
}

// call is one operator on buffers.
type call struct {
	op     tensor.Op
	out    *Buffer
	inputs []*Buffer
}

// Open opens a device; see [WithDevice] for which. The caller closes it.
//
// Errors: [ErrNoDevice] if there is no Vulkan loader, driver or device, or none of the
// name; its text says what to install. [ErrAttribute] for an option that makes no
// sense, [ErrUnsupported] for a device that lacks what vkops needs.
func Open(opts ...Option) (*Runtime, error) {
	cfg, err := newConfig(opts)
	if err != nil {
		return nil, err
	}
	named := true
	if cfg.device = strings.TrimSpace(cfg.device); cfg.device == "" {
		cfg.device = strings.TrimSpace(os.Getenv(environmentDevice))
		named = cfg.device != ""
	}
	rt := &Runtime{log: cfg.logger, smallOnTwin: !named && !cfg.verify && !cfg.forced()}
	if !strings.EqualFold(cfg.device, twinName) {
		err := rt.openDevice(cfg)
		if err == nil {
			return rt, nil
		}
		if !cfg.twinFallback || !errors.Is(err, ErrNoDevice) {
			return nil, err
		}
		rt.log.Warn("no device, everything runs on the twin", "error", err)
	}
	rt.backend, rt.info = newTwin(rt, cfg.budget), twinInfo()
	rt.log.Info("opened", "device", twinName)
	return rt, nil
}

// openDevice makes rt a runtime of a Vulkan device.
func (rt *Runtime) openDevice(cfg config) error {
	d, err := openVulkan(rt, cfg)
	if err != nil {
		return err
	}
	rt.backend, rt.info = d, d.info
	if cfg.verify {
		rt.backend = &verifier{backend: d, rt: rt, dir: cfg.verifyDir}
	}
	rt.log.Info("opened", "device", rt.info.Name, "type", rt.info.Type, "driver", rt.info.Driver)
	for _, c := range rt.info.Litmus {
		if !c.Pass && c.Required {
			rt.log.Error("the device breaks a rule that equal bits rest on", "device", rt.info.Name, "check", c.Name, "found", c.Found)
		}
	}
	return nil
}

// Close waits for the work in flight and gives the device and the memory of all
// tensors back. Later calls of anything give [ErrClosed]; so do calls in other
// goroutines that have not finished. Views from [Tensor.Mapped] are invalid.
func (rt *Runtime) Close() error {
	if rt == nil || rt.backend == nil {
		return nil
	}
	rt.closeOnce.Do(func() {
		rt.mu.Lock()
		rt.closed = true
		rt.mu.Unlock()
		rt.busy.Wait()
		rt.closeErr = rt.backend.close()
		rt.log.Info("closed", "device", rt.info.Name)
	})
	return rt.closeErr
}

// Device says what was opened and how its litmus came out; nil opened nothing.
func (rt *Runtime) Device() DeviceInfo {
	if rt == nil {
		return DeviceInfo{}
	}
	return rt.info
}

// enter marks the start of a use of device memory that Close must wait for. Each
// one that succeeds is followed by a leave.
func (rt *Runtime) enter() error {
	rt.mu.Lock()
	defer rt.mu.Unlock()
	return rt.enterLocked()
}

func (rt *Runtime) enterLocked() error {
	if rt.closed {
		return ErrClosed
	}
	rt.busy.Add(1)
	return nil
}

func (rt *Runtime) leave() { rt.busy.Done() }

// usable refuses a runtime that is closed or was never opened.
func (rt *Runtime) usable(what string) error {
	if rt == nil {
		return fmt.Errorf("%s: %w: the runtime is nil", what, ErrClosed)
	}
	if rt.backend == nil {
		return fmt.Errorf("%s: %w: the runtime is not from Open", what, ErrClosed)
	}
	rt.mu.Lock()
	defer rt.mu.Unlock()
	if rt.closed {
		return fmt.Errorf("%s: %w", what, ErrClosed)
	}
	return nil
}

// orBackground lets callers pass a nil context.
func orBackground(ctx context.Context) context.Context {
	if ctx == nil {
		return context.Background()
	}
	return ctx
}
