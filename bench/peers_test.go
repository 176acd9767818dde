package bench

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// standIn answers like vkops bench --serve with one case.
const standIn = `#!/bin/sh
case='"op":"log1p","dtype":"float32","shape":[10],"attrs":{},"inputs":["float32[10]"],"device":"none"'
while read -r command; do
  case $command in
    next) if [ -z "$asked" ]; then echo "{$case}"; asked=1; else echo null; fi ;;
    result) echo "{$case,\"resident_ns\":1000,\"copy_ns\":500,\"cpuref_ns\":null,\"rounds\":3}" ;;
    *) echo '{}' ;;
  esac
done
`

// The script takes turns with vkops, or says what is missing and how to get it.
func TestPeersTakeTurns(t *testing.T) {
	python, err := exec.LookPath("python3")
	require.NoError(t, err, "bash scripts/setup.sh installs it")
	vkops := filepath.Join(t.TempDir(), "vkops")
	require.NoError(t, os.WriteFile(vkops, []byte(standIn), 0o700))
	cmd := exec.Command(python, "peers.py", "--vkops", vkops, "--peer", "numpy", "--rounds", "3", "--json", "--op", "log1p")
	var stdout, stderr strings.Builder
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if cmd.Run() != nil {
		require.Regexp(t, `^peers\.py: numpy is not installed for .*: apt-get install python3-numpy`, stderr.String())
		return
	}
	require.Regexp(t, `^with NumPy [0-9.]+.*, 1 thread\n$`, stderr.String())
	var line struct {
		Peers map[string]float64
		Ns    float64 `json:"resident_ns"`
	}
	require.NoError(t, json.Unmarshal([]byte(stdout.String()), &line))
	require.Positive(t, line.Peers["numpy"])
	require.Equal(t, 1000.0, line.Ns)
}
