package tests

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"vkops/cpuref"
	"vkops/host"
	"vkops/tensor"
)

// update writes the digests anew, from the twin. A changed digest is a change of
// bits: see docs/changing-bits.md.
var update = flag.Bool("update", false, "write testdata/digests anew, from the twin")

const (
	digestFile   = "testdata/digests/digests.txt"
	digestHeader = `# SHA-256 of results, made by the twin and the same on every device.
# Operator and attributes; types of the inputs; data; seed; beginning of the inputs' digest; result's digest.
# Written by: go test ./tests -run Digest -update. Read docs/changing-bits.md first.
`
)

// digested is a case with what the file says about it.
type digested struct {
	digestCase
	inputs []tensor.Dense
	want   string
}

func digestOf(tensors ...tensor.Dense) string {
	h := sha256.New()
	for _, d := range tensors {
		h.Write(d.Data)
	}
	return fmt.Sprintf("%x", h.Sum(nil))
}

// twinDigests is what the file should hold.
func twinDigests(t *testing.T) (string, []digested) {
	var file strings.Builder
	file.WriteString(digestHeader)
	var all []digested
	for _, c := range digestCases() {
		inputs := c.make(t)
		out := spoiledOutput(t, c)
		require.NoError(t, cpuref.RunInto(out, c.op, inputs...), "%s", c)
		want := digestOf(out)
		fmt.Fprintf(&file, "%s; %s; %s\n", c, digestOf(inputs...)[:16], want)
		all = append(all, digested{c, inputs, want})
	}
	return file.String(), all
}

// TestDigestsOfTheTwin holds the twin to the committed bits.
func TestDigestsOfTheTwin(t *testing.T) {
	got, _ := twinDigests(t)
	committed, err := os.ReadFile(digestFile)
	if !*update || !errors.Is(err, os.ErrNotExist) {
		require.NoError(t, err)
	}
	was := map[string]string{}
	for line := range strings.Lines(string(committed)) {
		if i := strings.LastIndex(line, "; "); i >= 0 {
			was[line[:i]] = line[i+2:]
		}
	}
	changed := 0
	for line := range strings.Lines(got) {
		i := strings.LastIndex(line, "; ")
		if i < 0 || was[line[:i]] == line[i+2:] {
			continue
		}
		if old := was[line[:i]]; old != "" {
			changed++
			if changed <= 5 {
				t.Logf("bits changed: %s\n     was %s     now %s", line[:i], old, line[i+2:])
			}
		}
	}
	if *update {
		require.NoError(t, os.WriteFile(digestFile, []byte(got), 0o644))
		t.Logf("written: %d of %d digests changed their value; CHANGELOG.md has to name %q", changed, len(was), digestName([]byte(got)))
		return
	}
	assert.Zero(t, changed, "results changed their bits: see docs/changing-bits.md")
	assert.Equal(t, string(committed), got, "%s is not up to date: see docs/changing-bits.md", digestFile)
}

// digestName is how CHANGELOG.md names a version of the file.
func digestName(file []byte) string { return "digests " + digestOf(tensor.Dense{Data: file})[:12] }

// TestDigestsAreInTheChangelog makes a change of the file a deliberate one.
func TestDigestsAreInTheChangelog(t *testing.T) {
	file, err := os.ReadFile(digestFile)
	require.NoError(t, err)
	changelog, err := os.ReadFile(filepath.Join("..", "CHANGELOG.md"))
	require.NoError(t, err)
	require.Contains(t, string(changelog), digestName(file), "the digests changed; say why in CHANGELOG.md: see docs/changing-bits.md")
}

// digestSetting is a way to open a device. A driver compiles every kernel anew for
// each, and kernels with barriers run slowly on CPUs, so that beyond the first two a
// setting takes its types only. VKOPS_TEST_DIGESTS=all has each setting take all types
// in all rounds; VKOPS_TEST_DIGESTS=settings takes each setting also with -short.
type digestSetting struct {
	setting
	rounds int
	types  []tensor.DType
}

// digestRounds is how often each digest is computed on a device, all settings
// together; with VKOPS_TEST_DIGESTS=all in each setting.
const digestRounds = 20

func (s digestSetting) takes(d tensor.DType) bool {
	return s.types == nil || slices.Contains(s.types, d) || os.Getenv("VKOPS_TEST_DIGESTS") == "all"
}

// Those that cost most come first, because they run side by side.
var digestSettings = []digestSetting{
	{setting{host.Workgroup, 0, 0}, 4, nil}, {setting{host.Lane, 0, 0}, 16, nil},
	{setting{host.LookBack, 0, 0}, 6, []tensor.DType{tensor.F32}},
	{setting{host.Workgroup, 0, 32}, 2, []tensor.DType{tensor.F16}},
	{setting{host.Workgroup, 0, 64}, 2, []tensor.DType{tensor.F64}},
	{setting{host.Workgroup, 0, 128}, 2, []tensor.DType{tensor.F32}},
	{setting{host.LookBack, 0, 64}, 6, []tensor.DType{tensor.I64}},
	{setting{host.Workgroup, 1 << 16, 64}, 2, []tensor.DType{tensor.U32}},
	{setting{host.Lane, 0, 1}, 2, []tensor.DType{tensor.F16}},
	{setting{host.Lane, 0, 128}, 2, []tensor.DType{tensor.BF16}},
	{setting{host.Lane, 0, 32}, 2, []tensor.DType{tensor.I64}},
	{setting{host.Lane, 1 << 16, 0}, 2, []tensor.DType{tensor.F32}},
}

// TestDigestRounds counts how often the settings compute each type's digests.
func TestDigestRounds(t *testing.T) {
	for _, dtype := range tensor.AllDTypes() {
		rounds := 0
		for _, s := range digestSettings {
			if s.takes(dtype) {
				rounds += s.rounds
			}
		}
		require.GreaterOrEqual(t, rounds, digestRounds, "%s", dtype)
	}
}

// TestDigestsOnEveryDevice holds every Vulkan device of this machine to the twin's
// bits, in every setting, again and again. VKOPS_TEST_DEVICES lists parts of names,
// separated by commas, of devices that must be among them.
func TestDigestsOnEveryDevice(t *testing.T) {
	t.Parallel()
	if os.Getenv("VKOPS_TEST_NO_DEVICE") == "1" {
		t.Skip("VKOPS_TEST_NO_DEVICE=1: NOT TESTED ON ANY VULKAN DEVICE")
	}
	infos, err := host.Devices()
	require.NoError(t, err)
	require.NotEmpty(t, infos)
	requireNamed(t, infos)
	form := os.Getenv("VKOPS_TEST_DIGESTS")
	short := testing.Short() && form == ""
	chosen := digestSettings
	if short {
		chosen = digestSettings[:2]
	}
	_, all := twinDigests(t)
	for _, info := range infos {
		for i, s := range chosen {
			rounds := s.rounds
			switch {
			case form == "all":
				rounds = digestRounds
			case short:
				rounds = 2
			}
			t.Run(fmt.Sprintf("%s/%s", info.Name, s.setting), func(t *testing.T) {
				t.Parallel()
				rt := s.open(t, info)
				requireDigests(t, rt, slices.DeleteFunc(slices.Clone(all), func(c digested) bool {
					return !s.takes(c.digestCase.inputs[0].DType)
				}), rounds, i == 1)
			})
		}
	}
}

// requireNamed demands the devices that VKOPS_TEST_DEVICES lists.
func requireNamed(t *testing.T, infos []host.DeviceInfo) {
	var names []string
	for _, info := range infos {
		names = append(names, info.Name)
	}
	for _, part := range strings.Split(os.Getenv("VKOPS_TEST_DEVICES"), ",") {
		require.Contains(t, strings.ToLower(strings.Join(names, "\n")), strings.ToLower(part),
			"VKOPS_TEST_DEVICES asks for a device that is not here")
	}
}

// requireDigests runs every case on rt, in rounds that record and replay in turn with
// running one by one. What falls to the twin is run once if withTwin.
func requireDigests(t *testing.T, rt *host.Runtime, all []digested, rounds int, withTwin bool) {
	ctx := context.Background()
	var onDevice []digested
	for _, c := range all {
		e, err := rt.Explain(c.op, c.digestCase.inputs...)
		require.NoError(t, err, "%s", c)
		if !e.Twin {
			onDevice = append(onDevice, c)
			continue
		}
		if c.inputs[0].DType != tensor.F64 || rt.Device().Caps.Float64 {
			t.Errorf("%s: not computed on the device: %s", c, e.Reason)
		}
		if withTwin {
			out, err := rt.RunDense(ctx, c.op, c.inputs...)
			require.NoError(t, err, "%s", c)
			require.Equal(t, c.want, digestOf(out), "%s", c)
		}
	}
	outputs := make([]*host.Buffer, len(onDevice))
	inputs := make([][]*host.Buffer, len(onDevice))
	spoiled := make([]tensor.Dense, len(onDevice))
	for i, c := range onDevice {
		for _, d := range c.inputs {
			b, err := rt.Upload(d)
			require.NoError(t, err, "%s", c)
			inputs[i] = append(inputs[i], b)
		}
		spoiled[i] = spoiledOutput(t, c.digestCase)
		var err error
		outputs[i], err = rt.NewBuffer(spoiled[i].Type)
		require.NoError(t, err, "%s", c)
	}
	run := func(s host.Stream) error {
		for i, c := range onDevice {
			if _, err := s.Run(c.op, outputs[i], inputs[i]...); err != nil {
				return fmt.Errorf("%s: %w", c, err)
			}
		}
		return nil
	}
	recorded, err := rt.Record(func(r *host.Recording) error { return run(r) })
	require.NoError(t, err)
	defer recorded.Free()
	for round := range rounds {
		for i := range outputs { // so that a result cannot be that of the last round
			require.NoError(t, outputs[i].Write(ctx, spoiled[i]))
		}
		if round%2 == 0 {
			require.NoError(t, recorded.Run())
			require.NoError(t, recorded.Wait(ctx))
		} else {
			require.NoError(t, run(rt))
		}
		wrong := 0
		for i, c := range onDevice {
			out, err := outputs[i].Download(ctx)
			require.NoError(t, err, "%s", c)
			if digestOf(out) != c.want {
				if wrong++; wrong <= 5 {
					reportWrong(t, round, c, out)
				}
			}
		}
		require.Zero(t, wrong, "results with other bits in round %d of %d", round+1, rounds)
	}
}

// spoiledOutput is room for the result that holds none of its elements.
func spoiledOutput(t *testing.T, c digestCase) tensor.Dense {
	typ, err := c.op.Infer(c.inputs...)
	require.NoError(t, err, "%s", c)
	d, err := tensor.NewDense(typ)
	require.NoError(t, err, "%s", c)
	copy(d.Data, bytes.Repeat([]byte{0xa5}, len(d.Data)))
	return d
}

// reportWrong names the first element with other bits than the twin's.
func reportWrong(t *testing.T, round int, c digested, got tensor.Dense) {
	want, err := cpuref.Run(c.op, c.inputs...)
	require.NoError(t, err)
	i, size := differing(want, got), want.DType.Size()
	t.Errorf("round %d: %s: element %d is %x, must be %x", round+1, c, i,
		reversed(got.Data[i*size:(i+1)*size]), reversed(want.Data[i*size:(i+1)*size]))
}
