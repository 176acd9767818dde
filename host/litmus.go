package host

import (
	"context"
	"encoding/binary"
	"fmt"
	"math"
	"sync"

	"vkops/gpu"
	"vkops/host/plan"
	"vkops/shaders"
)

// litmusWorkgroup is the size of the litmus kernel's workgroups.
const litmusWorkgroup = 32

// trial is one invocation of the litmus kernel: it gives a+b, a-b, a*b, a*b rounded
// plus c, and a conversion (of a's bits as a signed integer to float32, of a float64
// to float32).
type trial[T float32 | float64] struct{ a, b, c T }

// litmusCheck is a named rule and the trials that show whether it holds.
type litmusCheck[T float32 | float64] struct {
	name     string
	required bool
	trials   []trial[T]
}

// litmusResults keeps the outcome per device for the life of the process.
var litmusResults = struct {
	sync.Mutex
	byDevice map[string][]Check
}{byDevice: map[string][]Check{}}

// litmus checks what equal bits rest on: that the device's plain arithmetic is that
// of IEEE 754.
func litmus(dev *gpu.Device) ([]Check, error) {
	info := dev.Info()
	key := fmt.Sprint(info.UUID, info.Name, info.Driver)
	litmusResults.Lock()
	defer litmusResults.Unlock()
	if checks, ok := litmusResults.byDevice[key]; ok {
		return checks, nil
	}
	checks, err := tryArithmetic(dev, "litmus_f32", "float32", 4, checks32(), bits32)
	if err == nil && info.Caps.Float64 {
		var wide []Check
		wide, err = tryArithmetic(dev, "litmus_f64", "float64", 8, checks64(), bits64)
		checks = append(checks, wide...)
	}
	if err == nil {
		litmusResults.byDevice[key] = checks
	}
	return checks, err
}

// operations are the litmus kernel's results in their order.
var operations = [...]string{"a+b", "a-b", "a*b", "(a*b)+c", "conversion of a"}

// expected computes in Go what a trial has to give; the last is a float32's bits.
func expected[T float32 | float64](t trial[T], bits func(T) uint64) [len(operations)]uint64 {
	product := T(t.a * t.b) // the conversion keeps Go from fusing it with the sum
	converted := float32(t.a)
	if narrow, ok := any(t.a).(float32); ok {
		converted = float32(int32(math.Float32bits(narrow)))
	}
	return [...]uint64{bits(t.a + t.b), bits(t.a - t.b), bits(product), bits(product + t.c), uint64(math.Float32bits(converted))}
}

func bits32(x float32) uint64 { return uint64(math.Float32bits(x)) }

func bits64(x float64) uint64 { return math.Float64bits(x) }

// tryArithmetic runs the trials of checks on the device and judges them.
func tryArithmetic[T float32 | float64](dev *gpu.Device, kernel, prefix string, size int, checks []litmusCheck[T], bits func(T) uint64) ([]Check, error) {
	var operands []byte
	items := 0
	for _, c := range checks {
		for _, t := range c.trials {
			for _, x := range []T{t.a, t.b, t.c} {
				operands = binary.LittleEndian.AppendUint64(operands, bits(x))[:len(operands)+size]
			}
			items++
		}
	}
	stride := 4*size + 4
	results, err := runLitmus(dev, kernel, operands, items, stride)
	if err != nil {
		return nil, err
	}
	judged := make([]Check, len(checks))
	for i, c := range checks {
		judged[i] = Check{Name: prefix + " " + c.name, Pass: true, Found: "yes", Required: c.required}
		for _, t := range c.trials {
			if fault := judge(t, results[:stride], size, bits); fault != "" && judged[i].Pass {
				judged[i].Pass, judged[i].Found = false, fault
			}
			results = results[stride:]
		}
	}
	return judged, nil
}

// judge says what is wrong with the results of a trial, "" if nothing is. Any NaN is
// as good as another.
func judge[T float32 | float64](t trial[T], results []byte, size int, bits func(T) uint64) string {
	for i, want := range expected(t, bits) {
		var got uint64
		wide := size == 8 && i < len(operations)-1
		if wide {
			got = binary.LittleEndian.Uint64(results[i*size:])
		} else {
			got = uint64(binary.LittleEndian.Uint32(results[i*size:]))
		}
		if got != want && !(isNaN(got, wide) && isNaN(want, wide)) {
			return fmt.Sprintf("%s of a=%#x b=%#x c=%#x is %#x, not %#x", operations[i], bits(t.a), bits(t.b), bits(t.c), got, want)
		}
	}
	return ""
}

func isNaN(bits uint64, wide bool) bool {
	if wide {
		return math.IsNaN(math.Float64frombits(bits))
	}
	return math.IsNaN(float64(math.Float32frombits(uint32(bits))))
}

// runLitmus runs the kernel and gives its results, stride bytes for each item.
func runLitmus(dev *gpu.Device, name string, operands []byte, items, stride int) (results []byte, err error) {
	kernel, err := shaders.Lookup(name)
	if err != nil {
		return nil, err
	}
	desc, err := plan.PipelineDesc(name, []plan.NameValue{{Name: "workgroup_size", Value: litmusWorkgroup}})
	if err != nil {
		return nil, err
	}
	pipeline, err := dev.Pipeline(desc)
	if err != nil {
		return nil, err
	}
	in, err := dev.NewBuffer(int64(len(operands)), gpu.UploadMemory)
	if err != nil {
		return nil, err
	}
	defer in.Free()
	out, err := dev.NewBuffer(int64(items*stride), gpu.DownloadMemory)
	if err != nil {
		return nil, err
	}
	defer out.Free()
	copy(in.Mapped(), operands)
	if err := in.Flush(0, in.Size()); err != nil {
		return nil, err
	}
	push := make([]byte, kernel.PushBytes)
	if at, ok := kernel.Field("item_end"); ok {
		binary.LittleEndian.PutUint32(push[at:], uint32(items))
	}
	var bind []gpu.Binding
	for _, b := range kernel.Bindings {
		buf := in
		if b.Name == "results" {
			buf = out
		}
		bind = append(bind, gpu.Binding{Index: b.Index, Buffer: buf, Size: buf.Size()})
	}
	program, err := dev.NewProgram()
	if err != nil {
		return nil, err
	}
	defer program.Free()
	program.Dispatch(pipeline, [3]uint32{uint32((items + litmusWorkgroup - 1) / litmusWorkgroup), 1, 1}, push, bind...)
	if err := program.End(); err != nil {
		return nil, err
	}
	s, err := dev.Submit(program)
	if err != nil {
		return nil, err
	}
	if err := s.Wait(context.Background()); err != nil {
		return nil, err
	}
	if err := out.Invalidate(0, out.Size()); err != nil {
		return nil, err
	}
	return append([]byte(nil), out.Mapped()...), nil
}
