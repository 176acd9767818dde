package main

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestSoak(t *testing.T) {
	var stdout, stderr strings.Builder
	code := execute(context.Background(), []string{"soak", "--for", "1s", "--threads", "2", "--seed", "3", "--device", "cpu", "--json"}, nil, &stdout, &stderr)
	require.Equal(t, exitOK, code, stderr.String())
	var result soakResult
	require.NoError(t, json.Unmarshal([]byte(stdout.String()), &result))
	require.True(t, result.OK)
	require.EqualValues(t, 3, result.Seed)
	require.Positive(t, result.Jobs)
	require.Contains(t, stderr.String(), "jobs")
	for _, wrong := range [][]string{{"--for", "-1s"}, {"--threads", "0"}, {"--for", "soon"}, {"x"}} {
		require.Equal(t, exitBadInput, execute(context.Background(), append([]string{"soak", "--device", "cpu"}, wrong...), nil, &stdout, &stderr))
	}
}
