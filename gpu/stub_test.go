//go:build !linux || !cgo

package gpu

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestWithoutVulkan(t *testing.T) {
	_, err := Devices()
	require.ErrorIs(t, err, ErrNoDevice)
	require.ErrorContains(t, err, "cgo")
	_, err = Open(Options{})
	require.ErrorIs(t, err, ErrNoDevice)
}
