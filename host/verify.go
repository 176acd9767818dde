package host

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"vkops/cpuref"
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
	if err := v.backend.run(ctx, op, out, inputs); err != nil {
		return err
	}
	got, gotErr := v.fetch(ctx, out)
	want, wantErr := cpuref.Run(op, args...)
	if gotErr != nil || wantErr != nil {
		return compareErrors(op, gotErr, wantErr)
	}
	at := firstDifference(got, want)
	if at < 0 {
		return nil
	}
	return v.mismatch(op, at, got, want, args)
}

// apply has slices go through run.
func (v *verifier) apply(ctx context.Context, op tensor.Op, dst tensor.Dense, inputs []tensor.Dense) error {
	return v.rt.throughBuffers(ctx, op, dst, inputs)
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
	if got != nil && !errors.Is(got, ErrTarget) {
		return got
	}
	if text(got) != text(want) {
		return tensor.Errorf(op.Name(), ErrMismatch, "device found %q, twin found %q", text(got), text(want))
	}
	return nil
}

// firstDifference is the flat index of the first element with other bits, or -1.
func firstDifference(a, b tensor.Dense) int64 {
	if bytes.Equal(a.Data, b.Data) {
		return -1
	}
	i := 0
	for a.Data[i] == b.Data[i] {
		i++
	}
	return int64(i / a.DType.Size())
}

// mismatch builds the error and leaves the tensors in files.
func (v *verifier) mismatch(op tensor.Op, at int64, got, want tensor.Dense, args []tensor.Dense) error {
	e := &MismatchError{Op: op.Name(), Index: at, Got: element(got, at), Want: element(want, at)}
	if x, err := v.backend.explain(op, got.Type, tensor.TypesOf(args)); err == nil {
		e.Kernel = strings.Join(x.Kernels, ", ")
	}
	dir, err := v.dump(op, got, want, args)
	if err != nil {
		v.rt.log.Error("verification could not write its files", "error", err)
	}
	e.Dir = dir
	v.rt.log.Error("verification failed", "error", e)
	return e
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

// element is the value and the bits of one element.
func element(d tensor.Dense, i int64) string {
	size := int64(d.DType.Size())
	var bits uint64
	for k := size - 1; k >= 0; k-- {
		bits = bits<<8 | uint64(d.Data[i*size+k])
	}
	return fmt.Sprintf("%s (0x%0*x)", formatBits(d.DType, bits), 2*size, bits)
}
