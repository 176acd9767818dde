package main

import (
	"context"
	"math"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"vkops/host"
)

// The four operators give what the definitions give in float64.
func TestScoreIsRight(t *testing.T) {
	rt, err := host.Open(host.WithDevice("cpu"))
	require.NoError(t, err)
	defer rt.Close()
	s, err := score(context.Background(), rt, text)
	require.NoError(t, err)
	require.Len(t, s.labels, len(text)-1)

	want := 0.0
	letters := new(scores).count(text)
	for i := 1; i < len(letters); i++ {
		row := s.counts[letters[i-1]*s.alphabet:][:s.alphabet]
		total := 0.0
		for _, n := range row {
			total += float64(n) + 1
		}
		want -= math.Log((float64(row[letters[i]]) + 1) / total)
		require.InEpsilon(t, want, s.running[i-1], 1e-5)
	}
	require.InEpsilon(t, want/float64(len(s.labels)), s.loss, 1e-6)
}

func TestFilesAreWritten(t *testing.T) {
	rt, err := host.Open(host.WithDevice("cpu"))
	require.NoError(t, err)
	defer rt.Close()
	s, err := score(context.Background(), rt, "abracadabra")
	require.NoError(t, err)
	folder := t.TempDir()
	require.NoError(t, s.write(folder))
	for _, name := range []string{"counts", "logprobs", "labels", "losses"} {
		info, err := os.Stat(filepath.Join(folder, name+".npy"))
		require.NoError(t, err)
		require.NotZero(t, info.Size())
	}
}
