package plan_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"vkops/cpuref"
	"vkops/host/plan"
	"vkops/tensor"
)

// hostility is a way to schedule look-back badly.
type hostility struct {
	name string
	spec []plan.NameValue
	// groups bounds the workgroups of a dispatch; 1 starts them one by one.
	groups uint32
}

const never = math.MaxUint32

var hostilities = []hostility{
	{"in reverse", []plan.NameValue{{Name: "hostile_order", Value: 1}}, 0},
	{"in reverse, one by one", []plan.NameValue{{Name: "hostile_order", Value: 1}}, 1},
	{"every third never publishes", []plan.NameValue{{Name: "hostile_period", Value: 3}, {Name: "hostile_delay", Value: never}}, 0},
	{"ends of nodes never publish", []plan.NameValue{{Name: "hostile_period", Value: 16}, {Name: "hostile_delay", Value: never}}, 0},
	{"none publishes, in reverse", []plan.NameValue{{Name: "hostile_order", Value: 1}, {Name: "hostile_period", Value: 1}, {Name: "hostile_delay", Value: never}}, 0},
	{"every second is late", []plan.NameValue{{Name: "hostile_period", Value: 2}, {Name: "hostile_delay", Value: 500}}, 0},
	{"nothing is awaited", []plan.NameValue{{Name: "poll_limit", Value: 0}}, 2},
}

// apply sets the constants of a plan's look-back, and reports whether it has one.
func (h hostility) apply(p *plan.Plan) bool {
	found := false
	for i := range p.Steps {
		s := &p.Steps[i]
		if !strings.HasPrefix(s.Kernel, "scan_lookback") {
			continue
		}
		found = true
		s.Spec = slices.Clone(s.Spec)
		for _, v := range h.spec {
			s.Spec = slices.DeleteFunc(s.Spec, func(have plan.NameValue) bool { return have.Name == v.Name })
			s.Spec = append(s.Spec, v)
		}
	}
	return found
}

// Whatever the order in which workgroups run, and whoever falls silent, look-back ends
// with the right bits. VKOPS_TEST_HOSTILE=all runs a hundred rounds.
func TestLookBackUnderHostileScheduling(t *testing.T) {
	t.Parallel()
	rounds := 2
	switch {
	case os.Getenv("VKOPS_TEST_HOSTILE") == "all":
		rounds = 100
	case testing.Short():
		rounds = 1
	}
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	rng := rand.New(rand.NewPCG(seed, 0))
	for _, r := range rigs(t) {
		for round := range rounds {
			for _, h := range hostilities {
				tiles := 2 + rng.IntN(40)
				n := tiles*4096 - rng.IntN(4096)
				dtype, op := tensor.I32, tensor.Op(tensor.CumSum{Reverse: rng.IntN(2) == 1})
				if round%4 == 1 {
					dtype, op = tensor.F32, tensor.LogCumSumExp{Axis: 0}
				}
				checkHostile(t, r, h, op, tensor.Type{DType: dtype, Shape: tensor.Shape{n}}, rng)
			}
		}
		for _, h := range hostilities[:4] { // three levels
			checkHostile(t, r, h, tensor.CumSum{}, tensor.Type{DType: tensor.I32, Shape: tensor.Shape{257*4096 + 5}}, rng)
		}
	}
}

func checkHostile(t *testing.T, r *rig, h hostility, op tensor.Op, typ tensor.Type, rng *rand.Rand) {
	name := fmt.Sprintf("%s: %s, %s %s", r.device.Info().Name, h.name, op.Name(), typ)
	x := randomTensor(t, rng, typ)
	want, err := cpuref.Run(op, x)
	require.NoError(t, err)
	lim := r.limits
	lim.MaxGroups = h.groups
	p, err := plan.New(op, []tensor.Type{typ}, lim, plan.LookBack)
	require.NoError(t, err, name)
	require.True(t, h.apply(p), name)
	got, _ := r.run(t, p, false, x)
	requireSame(t, want, got, name)
}
