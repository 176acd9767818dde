package tests

import (
	"bytes"
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"vkops/cpuref"
	"vkops/host"
	"vkops/tensor"
)

// seed of the choice of cases and of their data.
const seed = 20

// setting is a way to open a device.
type setting struct {
	strategy  host.Strategy
	maxRange  int64 // bytes; 0 is the device's own
	groupSize int   // 0 is the planner's choice
}

func (s setting) String() string {
	name := fmt.Sprintf("%s range=%d", s.strategy, s.maxRange)
	if s.groupSize > 0 {
		name += fmt.Sprintf(" group=%d", s.groupSize)
	}
	return name
}

// settings force each strategy, alone and with windows far below the tensors' sizes.
var settings = []setting{
	{host.Lane, 0, 0}, {host.Workgroup, 0, 0}, {host.Lane, 1 << 18, 0}, {host.Workgroup, 1 << 18, 0}, {host.Lane, 1 << 16, 0}, {host.LookBack, 0, 0},
}

// opened are the runtimes of all tests, which share them: a driver compiles every
// kernel anew for each.
var opened struct {
	sync.Mutex
	runtimes map[string]*host.Runtime
}

func TestMain(m *testing.M) {
	opened.runtimes = map[string]*host.Runtime{}
	code := m.Run()
	for name, rt := range opened.runtimes {
		if err := rt.Close(); err != nil {
			fmt.Fprintf(os.Stderr, "FAIL: closing %s: %v\n", name, err)
			code = 1
		}
	}
	os.Exit(code)
}

// open opens a device, once for all tests.
func (s setting) open(t *testing.T, info host.DeviceInfo) *host.Runtime {
	opened.Lock()
	defer opened.Unlock()
	name := fmt.Sprintf("%d %s, %s", info.Index, info.Name, s)
	if rt := opened.runtimes[name]; rt != nil {
		return rt
	}
	rt, err := host.Open(host.WithDevice(fmt.Sprint(info.Index)), host.WithStrategy(s.strategy),
		host.WithMaxRange(s.maxRange), host.WithWorkgroupSize(s.groupSize))
	require.NoError(t, err)
	opened.runtimes[name] = rt
	return rt
}

// devices gives the device under test in each setting; that there is none fails the
// test.
func devices(t *testing.T) []*host.Runtime {
	if os.Getenv("VKOPS_TEST_NO_DEVICE") == "1" {
		t.Skip("VKOPS_TEST_NO_DEVICE=1: NOT TESTED ON ANY VULKAN DEVICE")
	}
	infos, err := host.Devices()
	require.NoError(t, err)
	require.NotEmpty(t, infos)
	tested := infos[0]
	if name := os.Getenv("VKOPS_DEVICE"); name != "" && name != "cpu" {
		rt, err := host.Open(host.WithDevice(name))
		require.NoError(t, err)
		tested = rt.Device()
		require.NoError(t, rt.Close())
	}
	open := make([]*host.Runtime, len(settings))
	for i, s := range settings {
		open[i] = s.open(t, tested)
	}
	return open
}

// mostBytes bounds the size of the largest tensor of a case.
func mostBytes() int64 {
	if testing.Short() {
		return 1 << 18
	}
	return 1 << 27
}

// cost prefers small tensors where large ones test nothing more. Those beyond
// mostBytes cannot be afforded at all, nor can those of very many windows.
func cost(t tensor.Type, s setting) float64 {
	size, err := t.Bytes()
	if err != nil || size > mostBytes() || (s.maxRange > 0 && size > 256*s.maxRange) {
		return math.Inf(1)
	}
	return 1 + float64(size)/(1<<17)
}

// scanCase is an operator along an axis.
type scanCase struct {
	op     tensor.Op
	dtype  tensor.DType
	shape  tensor.Shape
	data   recipe
	into   bool // the output is the input
	device int  // index into settings
}

func (c scanCase) String() string {
	return fmt.Sprintf("%s %+v %s%s %s into=%t %s", c.op.Name(), c.op, c.dtype, c.shape, c.data, c.into, settings[c.device])
}

func TestScansEqualTheTwin(t *testing.T) {
	t.Parallel()
	lengths := []int{0, 1, 15, 16, 17, 255, 256, 257, 4095, 4096, 4097, 65535, 65536, 65537, 1<<20 + 1, 1<<24 + 1}
	others := []int{1, 2, 3, 31, 32, 33, 70000}
	if testing.Short() {
		lengths, others = []int{0, 1, 17, 256, 4097, 65537}, []int{1, 3, 33}
	}
	types := tensor.AllDTypes()
	floats := []tensor.DType{tensor.F16, tensor.BF16, tensor.F32, tensor.F64}
	build := func(c []int) scanCase {
		n, other := lengths[c[0]], others[c[1]]
		shape, axis := tensor.Shape{n, other}, 0
		switch c[2] {
		case 1:
			shape, axis = tensor.Shape{other, n}, 1
		case 2:
			shape, axis = tensor.Shape{2, n, (other + 1) / 2}, -2
		}
		sc := scanCase{shape: shape, data: recipe(c[5]), into: c[6] == 1, device: c[7]}
		if c[3] < len(types) {
			sc.dtype = types[c[3]]
			sc.op = tensor.CumSum{Axis: axis, Exclusive: c[4]&1 != 0, Reverse: c[4]&2 != 0}
		} else {
			sc.dtype = floats[c[3]-len(types)]
			sc.op = tensor.LogCumSumExp{Axis: axis}
		}
		return sc
	}
	levels := []int{len(lengths), len(others), 3, len(types) + len(floats), 4, int(recipes), 2, len(settings)}
	cost := func(c []int) float64 {
		sc := build(c)
		return cost(tensor.Type{DType: sc.dtype, Shape: sc.shape}, settings[sc.device])
	}
	r := rand.New(rand.NewPCG(seed, 1))
	runtimes := devices(t)
	cases := pairwise(r, levels, cost)
	t.Logf("seed %d, %d cases", seed, len(cases))
	for _, c := range cases {
		sc := build(c)
		x := sc.data.make(t, r, sc.dtype, sc.shape...)
		requireEqual(t, runtimes[sc.device], sc, sc.op, sc.into, x)
	}
}

func TestLog1pEqualsTheTwin(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(seed, 2))
	runtimes := devices(t)
	for i, n := range []int{0, 1, 2, 3, 15, 16, 17, 255, 257, 4095, 4097, 65535, 65537, 1<<20 + 1, 1<<24 + 1} {
		for j, dtype := range []tensor.DType{tensor.F16, tensor.BF16, tensor.F32, tensor.F64} {
			if int64(n*dtype.Size()) > mostBytes() {
				continue
			}
			device := (i + j) % len(settings)
			x := recipe((i+j)%int(recipes)).make(t, r, dtype, n)
			requireEqual(t, runtimes[device], fmt.Sprintf("log1p %s[%d] %s", dtype, n, settings[device]), tensor.Log1p{}, i%2 == 1, x)
		}
	}
}

func TestNLLEqualsTheTwin(t *testing.T) {
	t.Parallel()
	samples := []int{0, 1, 15, 16, 17, 255, 256, 257, 4095, 4096, 4097, 65537, 1<<20 + 1}
	classes := []int{1, 2, 3, 31, 33, 1000}
	inner := []int{1, 2, 17, 1024}
	if testing.Short() {
		samples, classes, inner = []int{0, 1, 17, 4097}, []int{1, 33}, []int{1, 17}
	}
	floats := []tensor.DType{tensor.F16, tensor.F32, tensor.F64}
	levels := []int{len(samples), len(classes), len(inner), len(floats), 3, 2, 3, 2, int(recipes), len(settings)}
	shape := func(c []int) tensor.Shape {
		d := inner[c[2]]
		return tensor.Shape{(samples[c[0]] + d - 1) / d, classes[c[1]], d}
	}
	cost := func(c []int) float64 { return cost(tensor.Type{DType: floats[c[3]], Shape: shape(c)}, settings[c[9]]) }
	r := rand.New(rand.NewPCG(seed, 3))
	runtimes := devices(t)
	cases := pairwise(r, levels, cost)
	t.Logf("seed %d, %d cases", seed, len(cases))
	for _, c := range cases {
		s, dtype, kind := shape(c), floats[c[3]], recipe(c[8])
		op := tensor.NLL{Reduction: tensor.Reduction(c[4])}
		ignored := []int64{0, 0, -100}[c[6]] // none, a class, outside the classes
		if c[6] > 0 {
			op.IgnoreIndex = &ignored
		}
		inputs := []tensor.Dense{kind.make(t, r, dtype, s...), targets(t, r, c[7] == 1, s, op.IgnoreIndex)}
		if c[5] == 1 {
			inputs = append(inputs, kind.make(t, r, dtype, s[1]))
		}
		name := fmt.Sprintf("nll %s%s %s weight=%t ignore=%d %s", dtype, s, op.Reduction, c[5] == 1, c[6], settings[c[9]])
		requireEqual(t, runtimes[c[9]], name, op, false, inputs...)
	}
}

// targets are classes of an input of shape [N, C, D], some of them ignored.
func targets(t *testing.T, r *rand.Rand, wide bool, s tensor.Shape, ignore *int64) tensor.Dense {
	dtype := tensor.I32
	if wide {
		dtype = tensor.I64
	}
	d, err := tensor.NewDense(tensor.Type{DType: dtype, Shape: tensor.Shape{s[0], s[2]}})
	require.NoError(t, err)
	for i := range s[0] * s[2] {
		label := int64(r.IntN(s[1]))
		if ignore != nil && r.IntN(8) == 0 {
			label = *ignore
		}
		put(d, i, uint64(label))
	}
	return d
}

// requireEqual compares the device's result with the twin's, bit for bit.
func requireEqual(t *testing.T, rt *host.Runtime, name any, op tensor.Op, into bool, inputs ...tensor.Dense) {
	t.Helper()
	ctx := context.Background()
	want, err := cpuref.Run(op, inputs...)
	require.NoError(t, err, "%s", name)
	buffers := make([]*host.Buffer, len(inputs))
	types := make([]tensor.Type, len(inputs))
	for i, d := range inputs {
		buffers[i], err = rt.Upload(d)
		require.NoError(t, err, "%s", name)
		defer buffers[i].Free()
		types[i] = d.Type
	}
	var dst *host.Buffer
	if into {
		dst = buffers[0]
	}
	out, err := rt.Run(op, dst, buffers...)
	require.NoError(t, err, "%s", name)
	defer out.Free()
	got, err := out.Download(ctx)
	require.NoError(t, err, "%s", name)
	require.Equal(t, want.Type, got.Type, "%s", name)
	if !bytes.Equal(want.Data, got.Data) {
		e, err := rt.Explain(op, types...)
		require.NoError(t, err, "%s", name)
		i := differing(want, got)
		size := want.DType.Size()
		t.Errorf("%s: element %d is %x on the device, %x on the twin\n%s", name, i,
			reversed(got.Data[i*size:(i+1)*size]), reversed(want.Data[i*size:(i+1)*size]), e)
	}
	e, err := rt.Explain(op, types...)
	require.NoError(t, err, "%s", name)
	if e.Twin && (types[0].DType != tensor.F64 || rt.Device().Caps.Float64) {
		t.Errorf("%s: was not computed on the device: %s", name, e.Reason)
	}
}

func differing(a, b tensor.Dense) int {
	for i := range a.Data {
		if a.Data[i] != b.Data[i] {
			return i / a.DType.Size()
		}
	}
	return -1
}

func reversed(b []byte) []byte {
	r := make([]byte, len(b))
	for i, v := range b {
		r[len(b)-1-i] = v
	}
	return r
}
