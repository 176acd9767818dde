package prove

import (
	"context"
	"math"
	"math/big"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"vkops/cpuref"
	"vkops/tensor"
)

func twin(_ context.Context, op tensor.Op, inputs ...tensor.Dense) (tensor.Dense, error) {
	return cpuref.Run(op, inputs...)
}

// The bounds hold on the twin, and so, since the bits are the same, everywhere.
func TestBoundsHold(t *testing.T) {
	for _, p := range Proofs(Sampled) {
		last := int64(0)
		found, err := p.Run(context.Background(), twin, func(done int64) { last = max(last, done) })
		require.NoError(t, err, p.Name)
		require.Empty(t, found.Broken, p.Name)
		require.Equal(t, p.Elements, last, p.Name)
		t.Logf("%s: %d results, at most %.4f: %s", p.Name, found.Elements, found.Worst.ULP, found.Worst.Where)
	}
}

// named finds a proof.
func named(t *testing.T, name string) Proof {
	for _, p := range Proofs(Sampled) {
		if strings.HasPrefix(p.Name, name) {
			return p
		}
	}
	t.Fatalf("no proof %q", name)
	return Proof{}
}

// A proof refuses one result that is a little too far off, and says which.
func TestBrokenBoundsAreFound(t *testing.T) {
	spoil := func(position int, bits byte) Runner {
		return func(ctx context.Context, op tensor.Op, inputs ...tensor.Dense) (tensor.Dense, error) {
			out, err := twin(ctx, op, inputs...)
			if len(out.Data) > 8*position {
				out.Data[len(out.Data)/2+out.DType.Size()*position] ^= bits
			}
			return out, err
		}
	}
	for _, c := range []struct {
		name string
		bits byte
	}{
		{"log1p float16", 1}, {"log1p bfloat16", 1}, {"log1p float32", 2}, {"log1p float64", 2},
		{"cumsum float16", 4}, {"cumsum float32", 4}, {"cumsum float64", 4}, {"cumsum int64", 1}, {"cumsum uint32", 1},
		{"logcumsumexp bfloat16", 2}, {"logcumsumexp float32", 16}, {"logcumsumexp float64", 16},
		{"logsoftmax float16", 2}, {"logsoftmax bfloat16", 2}, {"logsoftmax float32", 2}, {"logsoftmax float64", 2},
		{"crossentropy float16", 8}, {"crossentropy bfloat16", 8}, {"crossentropy float32", 8}, {"crossentropy float64", 8},
		{"nll float16", 2}, {"nll float32", 2}, {"nll float64", 2},
	} {
		p := named(t, c.name)
		found, err := p.Run(context.Background(), spoil(1, c.bits), nil)
		require.NoError(t, err)
		require.NotEmpty(t, found.Broken, c.name)
	}
}

func TestFloat32SpecialsAreExact(t *testing.T) {
	inf, nan := float32(math.Inf(1)), float32(math.NaN())
	zero := float32(math.Copysign(0, -1))
	x := []float32{0, zero, -1, -2, inf, -inf, nan, 1e-45, 1e-10, 0.5}
	in, err := tensor.Of(x, len(x))
	require.NoError(t, err)
	out, err := cpuref.Run(tensor.Log1p{}, in)
	require.NoError(t, err)
	right := tensor.ValuesOf[float32](out.Data)
	require.Empty(t, checkFloat32(x, right).Broken)
	for i := range x {
		for _, wrong := range []float32{math.Float32frombits(0x7fc00001), 7, inf, math.Nextafter32(right[i], 9), -right[i]} {
			if math.Float32bits(wrong) == math.Float32bits(right[i]) || i == 9 && wrong == math.Nextafter32(right[i], 9) {
				continue
			}
			y := append([]float32(nil), right...)
			y[i] = wrong
			require.NotEmpty(t, checkFloat32(x, y).Broken, "%v for %v", wrong, x[i])
		}
	}
}

func TestExactLog1p(t *testing.T) {
	// ln 2 to 60 digits, from the tables.
	want, _, err := big.ParseFloat("0.693147180559945309417232121458176568075500134360255254120680", 10, 200, big.ToNearestEven)
	require.NoError(t, err)
	off := new(big.Float).Sub(exactLog1p(1), want)
	require.True(t, off.Sign() == 0 || off.MantExp(nil) < -190, "%v", off)
	// ln(1+x) + ln(1+y) = ln((1+x)(1+y)), where the product is exact.
	for _, x := range []float64{-0.5, -0.25, -0x1p-20, 0x1p-26, 0.75, 3, 1e5} {
		y := 0.5
		both := exactLog1p(x + y + x*y)
		off := new(big.Float).Sub(both, new(big.Float).Add(exactLog1p(x), exactLog1p(y)))
		require.True(t, off.Sign() == 0 || off.MantExp(nil) < -250, "%v: %v", x, off)
	}
	ulps, _ := exactULP(0x1p-60, 0x1p-60, 53, -1022)
	require.InDelta(t, 0x1p-8, ulps, 1e-9) // x^2/2 in units of 2^-113, since the value is below x
}
