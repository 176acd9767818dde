// Package tests holds what crosses packages.
package tests

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"vkops/cpuref"
	"vkops/host"
	"vkops/internal/cases"
	"vkops/tensor"
)

const (
	ownCases = "testdata"
	// peerCases come from the test suites of other libraries and live beside the
	// repository, not in it.
	peerCases = "../../shared/conformance/peers"
)

func onTwin(op tensor.Op, inputs []tensor.Dense) (tensor.Dense, string, error) {
	out, err := cpuref.Run(op, inputs...)
	return out, "twin", err
}

// runCases runs every case below the folders, of which there must be at least atLeast.
func runCases(t *testing.T, run cases.Runner, atLeast int, dirs ...string) {
	t.Helper()
	found, err := cases.Find(dirs...)
	require.NoError(t, err)
	require.GreaterOrEqual(t, len(found), atLeast)
	for _, c := range found {
		if r := c.Run(run); !r.Passed() {
			assert.NoError(t, r.Err, "%s on %q", c.Dir, r.Where)
		}
	}
	t.Logf("%d cases", len(found))
}

func TestConformanceOnTwin(t *testing.T) {
	runCases(t, onTwin, 165, ownCases)
}

func TestPeerConformanceOnTwin(t *testing.T) {
	if !havePeers(t) {
		return
	}
	runCases(t, onTwin, 122, peerCases)
}

// onDevice runs cases on a Vulkan device and holds its results to the twin's bits.
// Only double precision that the device lacks may be left to the twin.
func onDevice(rt *host.Runtime) cases.Runner {
	return func(op tensor.Op, inputs []tensor.Dense) (tensor.Dense, string, error) {
		types := make([]tensor.Type, len(inputs))
		for i, d := range inputs {
			types[i] = d.Type
		}
		e, err := rt.Explain(op, types...)
		if err != nil {
			return tensor.Dense{}, "", err
		}
		if e.SlicesOnTwin && (types[0].DType != tensor.F64 || rt.Device().Caps.Float64) {
			return tensor.Dense{}, "twin", fmt.Errorf("was not computed on the device: %s", e.Reason)
		}
		got, err := rt.RunDense(context.Background(), op, inputs...)
		if err != nil {
			return got, e.String(), err
		}
		want, err := cpuref.Run(op, inputs...)
		if err == nil && !bytes.Equal(got.Data, want.Data) {
			err = fmt.Errorf("differs from the twin: %w", cases.Compare(got, want, cases.Tolerance{NaNEqual: true}, true))
		}
		return got, e.String(), err
	}
}

func TestConformanceOnDevice(t *testing.T) {
	t.Parallel()
	for i, rt := range someDevices(t) {
		t.Run(settings[i].String(), func(t *testing.T) {
			t.Parallel()
			runCases(t, onDevice(rt), 165, ownCases)
		})
	}
}

func TestPeerConformanceOnDevice(t *testing.T) {
	t.Parallel()
	if !havePeers(t) {
		return
	}
	for i, rt := range someDevices(t) {
		t.Run(settings[i].String(), func(t *testing.T) {
			t.Parallel()
			runCases(t, onDevice(rt), 122, peerCases)
		})
	}
}

// havePeers says loudly when the peers' cases are not there to be run.
func havePeers(t *testing.T) bool {
	t.Helper()
	_, err := os.Stat(peerCases)
	if os.IsNotExist(err) {
		t.Logf("NOT RUN: no cases of other libraries in %s", peerCases)
		_, _ = os.Stderr.WriteString("=== " + t.Name() + " NOT RUN: no cases of other libraries in " + peerCases + "\n")
		return false
	}
	require.NoError(t, err)
	return true
}
