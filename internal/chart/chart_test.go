package chart

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestWrite(t *testing.T) {
	line := Series{Name: "vkops & twin", Points: []Point{{1024, 8192, 1e-5}, {1 << 20, 8 << 20, 2e-3}, {0, 0, 0}}}
	var b bytes.Buffer
	require.NoError(t, Write(&b, []Group{{"cumsum <float32>", []Series{line, {"copy", line.Points[:1]}}}, {"log1p", []Series{line}}}))
	decoder := xml.NewDecoder(strings.NewReader(b.String()))
	for {
		if _, err := decoder.Token(); errors.Is(err, io.EOF) {
			break
		} else {
			require.NoError(t, err, "it is XML")
		}
	}
	for _, text := range []string{"cumsum &lt;float32&gt;", "vkops &amp; twin", "log1p", "elements", "time", "bandwidth, GB/s", ">4 Ki<", ">1 ms<"} {
		require.Contains(t, b.String(), text)
	}
}

func TestNothingToDraw(t *testing.T) {
	require.ErrorIs(t, Write(io.Discard, nil), ErrEmpty)
	require.ErrorIs(t, Write(io.Discard, []Group{{"none", nil}}), ErrEmpty)
	require.ErrorIs(t, Write(io.Discard, []Group{{"none", []Series{{"zero", []Point{{0, 0, 0}}}}}}), ErrEmpty)
}

func TestTicks(t *testing.T) {
	var labels []string
	for _, tick := range powers(4, count).Ticks(1000, 5e6) {
		labels = append(labels, tick.Label)
	}
	require.Equal(t, []string{"1 Ki", "4 Ki", "16 Ki", "64 Ki", "256 Ki", "1 Mi", "4 Mi"}, labels)
	labels = nil
	for _, tick := range powers(10, duration).Ticks(5e-8, 11) {
		labels = append(labels, tick.Label)
	}
	require.Equal(t, []string{"100 ns", "1 us", "10 us", "100 us", "1 ms", "10 ms", "100 ms", "1 s", "10 s"}, labels)
}
