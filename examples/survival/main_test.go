package main

import (
	"context"
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"vkops/internal/everydevice"
)

// The likelihoods and the hazard are those of the definitions, in plain sums, and
// those that are known of this trial (Breslow's ties).
func TestSurvivalIsRight(t *testing.T) {
	ctx, patients := context.Background(), trial()
	require.Len(t, patients, 42)
	atRisk := func(week int, beta float64) (risk float64) {
		for _, p := range patients {
			if p.weeks >= week {
				risk += math.Exp(logRisk(p, beta))
			}
		}
		return risk
	}
	betas := []float64{0, 1.5092, 800} // exp(800) is beyond float64
	for _, rt := range everydevice.Open(t) {
		got, err := logLikelihoods(ctx, rt, patients, betas)
		require.NoError(t, err)
		for b, beta := range betas[:2] {
			want := 0.0
			for _, p := range patients {
				if p.relapsed {
					want += logRisk(p, beta) - math.Log(atRisk(p.weeks, beta))
				}
			}
			require.InDelta(t, want, got[b], 1e-10)
		}
		require.InDelta(t, -93.985, got[0], 5e-4)
		require.InDelta(t, -86.380, got[1], 5e-4)
		require.False(t, math.IsNaN(got[2]) || math.IsInf(got[2], 0))

		weeks, logHazards, err := logCumulativeHazard(ctx, rt, patients, betas[1])
		require.NoError(t, err)
		require.Len(t, weeks, 17)
		hazard := 0.0
		for i, week := range weeks {
			for _, p := range patients {
				if p.relapsed && p.weeks == week {
					hazard += 1 / atRisk(week, betas[1])
				}
			}
			require.InEpsilon(t, hazard, math.Exp(logHazards[i]), 1e-12)
		}
	}
}
