package host

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"vkops/cpuref"
	"vkops/internal/elements"
	"vkops/internal/npy"
	"vkops/tensor"
)

// verifier is a backend whose every result is compared with the twin's before run
// returns.
type verifier struct {
	backend
	rt  *Runtime
	dir string
}

func (v *verifier) run(ctx context.Context, op tensor.Op, out *Buffer, inputs []*Buffer) error {
	args := make([]tensor.Dense, len(inputs))
	for i, b := range inputs { // before run, which may write over them
		d, err := v.fetch(ctx, b)
		if errors.Is(err, ErrTarget) {
			return v.backend.run(ctx, op, out, inputs) // the result is in error, too
		}
		if err != nil {
			return err
		}
		args[i] = d
	}
	overwrites := call{op, out, inputs}.overwrites()
	if err := v.backend.run(ctx, op, out, inputs); err != nil {
		return err
	}
	got, failed := v.fetch(ctx, out)
	return v.compare(op, got, failed, args, func() string {
		x, err := v.backend.explain(op, got.Type, tensor.TypesOf(args), overwrites)
		if err != nil {
			return ""
		}
		return strings.Join(x.Kernels, ", ")
	})
}

// apply has slices go through run. What the device has no room for goes through it in
// parts, and is compared when all of it is there.
func (v *verifier) apply(ctx context.Context, op tensor.Op, dst tensor.Dense, inputs []tensor.Dense) error {
	err := v.throughBuffers(ctx, op, dst, inputs)
	if !errors.Is(err, ErrOutOfMemory) || errors.Is(err, errOverwritten) {
		return err
	}
	args := slices.Clone(inputs)
	if overlaps(dst.Data, inputs[0].Data) {
		if args[0], err = tensor.NewDense(inputs[0].Type); err != nil {
			return err
		}
		copy(args[0].Data, inputs[0].Data)
	}
	failed := v.backend.apply(ctx, op, dst, inputs)
	if err := v.compare(op, dst, failed, args, func() string { return "" }); err != nil {
		return err
	}
	return failed
}

// throughBuffers applies an operator by way of tensors on the device.
func (v *verifier) throughBuffers(ctx context.Context, op tensor.Op, dst tensor.Dense, inputs []tensor.Dense) error {
	buffers := make([]*Buffer, len(inputs))
	for i, in := range inputs {
		b, err := v.rt.newBuffer(ctx, in.Type)
		if err != nil {
			return err
		}
		defer b.Free()
		if err := b.Write(ctx, in); err != nil {
			return err
		}
		buffers[i] = b
	}
	var out *Buffer // scans and log1p work in place, which saves memory
	if inPlace(op) {
		out = buffers[0]
	}
	out, err := v.rt.runOn(ctx, nil, op, out, buffers)
	if err != nil {
		return err
	}
	defer out.Free()
	return overwritten(out.DownloadInto(ctx, dst), dst, inputs[0])
}

// compare compares a result, or the error in its place, with the twin's.
func (v *verifier) compare(op tensor.Op, got tensor.Dense, failed error, args []tensor.Dense, kernels func() string) error {
	if failed != nil && !errors.Is(failed, ErrTarget) {
		return failed
	}
	want, err := cpuref.Run(op, args...)
	if err != nil && !errors.Is(err, ErrTarget) {
		return err
	}
	if failed != nil || err != nil {
		return compareErrors(op, failed, err)
	}
	differing, at := elements.Differing(got, want)
	if differing == 0 {
		return nil
	}
	e := &MismatchError{Op: op.Name(), Kernel: kernels(), Index: at, Got: elements.Text(got, at), Want: elements.Text(want, at)}
	if e.Dir, err = v.dump(op, got, want, args); err != nil {
		v.rt.log.Error("verification could not write its files", "error", err)
	}
	v.rt.log.Error("verification failed", "error", e)
	return e
}

// record has replays go through run.
func (v *verifier) record([]call) (replayer, error) { return nil, nil }

func (v *verifier) fetch(ctx context.Context, b *Buffer) (tensor.Dense, error) {
	d, err := tensor.NewDense(b.typ)
	if err != nil {
		return tensor.Dense{}, err
	}
	return d, v.backend.read(ctx, b, d.Data)
}

// compareErrors is nil where both sides found the same fault in the data; it then
// waits in the output for whoever asks for it.
func compareErrors(op tensor.Op, got, want error) error {
	text := func(err error) string {
		if err == nil {
			return "no error"
		}
		return err.Error()
	}
	if text(got) != text(want) {
		return tensor.Errorf(op.Name(), ErrMismatch, "device found %q, twin found %q", text(got), text(want))
	}
	return nil
}

// dump writes the inputs and both outputs to a new folder.
func (v *verifier) dump(op tensor.Op, got, want tensor.Dense, args []tensor.Dense) (string, error) {
	if v.dir != "" {
		if err := os.MkdirAll(v.dir, 0o755); err != nil {
			return "", err
		}
	}
	dir, err := os.MkdirTemp(v.dir, "vkops-"+op.Name()+"-")
	if err != nil {
		return "", err
	}
	files := map[string]tensor.Dense{"device.npy": got, "twin.npy": want}
	for i, d := range args {
		files[strings.ReplaceAll(tensor.Argument(op, i), " ", "_")+".npy"] = d
	}
	for name, d := range files {
		if err := writeFile(filepath.Join(dir, name), d); err != nil {
			return dir, err
		}
	}
	return dir, nil
}

func writeFile(path string, d tensor.Dense) error {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	if err := npy.Write(f, d); err != nil {
		return errors.Join(err, f.Close())
	}
	return f.Close()
}
