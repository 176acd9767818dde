package verify

import (
	"context"
	"errors"
	"runtime"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"vkops/cpuref"
	"vkops/internal/sample"
	"vkops/tensor"
)

func twin(_ context.Context, op tensor.Op, inputs ...tensor.Dense) (tensor.Dense, error) {
	return cpuref.Run(op, inputs...)
}

func TestGroupsFollowTheOperatorTexts(t *testing.T) {
	var names []string
	for _, g := range Groups() {
		names = append(names, g.String())
	}
	require.Equal(t, []string{
		"cumsum float16", "cumsum bfloat16", "cumsum float32", "cumsum float64",
		"cumsum int32", "cumsum int64", "cumsum uint32", "cumsum uint64",
		"logcumsumexp float16", "logcumsumexp bfloat16", "logcumsumexp float32", "logcumsumexp float64",
		"log1p float16", "log1p bfloat16", "log1p float32", "log1p float64",
		"logsoftmax float16", "logsoftmax bfloat16", "logsoftmax float32", "logsoftmax float64",
		"nll float16/int32", "nll float16/int64", "nll float32/int32", "nll float32/int64",
		"nll float64/int32", "nll float64/int64",
		"crossentropy float16/int32", "crossentropy float16/int64", "crossentropy bfloat16/int32", "crossentropy bfloat16/int64",
		"crossentropy float32/int32", "crossentropy float32/int64", "crossentropy float64/int32", "crossentropy float64/int64",
	}, names)
}

func TestCasesAreValidAndCoverTheirSubject(t *testing.T) {
	for _, g := range Groups() {
		cases := g.Cases(7)
		require.Equal(t, cases, g.Cases(7), "the same seed")
		require.NotEqual(t, cases, g.Cases(8), "another seed")
		seen := map[any]bool{}
		for _, c := range cases {
			_, err := c.Op.Infer(c.Inputs...)
			require.NoError(t, err, c)
			seen[c.Kind] = true
			switch op := c.Op.(type) {
			case tensor.CumSum:
				seen[[2]bool{op.Exclusive, op.Reverse}] = true
				v, err := op.View(c.Inputs[0].Shape)
				require.NoError(t, err)
				seen[int(v.N)] = true
				seen[[2]string{"inner", map[bool]string{true: "1"}[v.Inner == 1]}] = true
			case tensor.NLL:
				seen[op.Reduction] = true
				seen[[2]any{"ignore", op.IgnoreIndex == nil}] = true
				seen[[2]any{"inputs", len(c.Inputs)}] = true
			}
		}
		for _, kind := range sample.Kinds() {
			require.True(t, seen[kind], "%s meets %s", g, kind)
		}
		switch g.Op {
		case "cumsum":
			for _, n := range boundary {
				require.True(t, seen[n], "%s meets length %d", g, n)
			}
			for mode := range 4 {
				require.True(t, seen[[2]bool{mode&1 != 0, mode&2 != 0}], "%s meets mode %d", g, mode)
			}
		case "nll":
			for _, key := range []any{tensor.Mean, tensor.Sum, tensor.None,
				[2]any{"ignore", true}, [2]any{"ignore", false}, [2]any{"inputs", 2}, [2]any{"inputs", 3}} {
				require.True(t, seen[key], "%s meets %v", g, key)
			}
		}
	}
}

// The twin's bits do not depend on how many goroutines share the work.
func TestTheTwinPassesWithAnyNumberOfCores(t *testing.T) {
	cores := 0
	run := func(_ context.Context, op tensor.Op, inputs ...tensor.Dense) (tensor.Dense, error) {
		cores = cores%7 + 1
		defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(cores))
		return cpuref.Run(op, inputs...)
	}
	groups := Groups()
	if testing.Short() {
		groups = []Group{{Op: "cumsum", DType: tensor.I32}}
	}
	for _, g := range groups {
		steps := 0
		o, err := Run(context.Background(), run, g, 1, func() { steps++ })
		require.NoError(t, err)
		require.True(t, o.OK(), "%+v", o)
		require.Equal(t, len(g.Cases(1)), steps)
		require.EqualValues(t, steps, o.Cases)
	}
}

func TestFaultsAreFound(t *testing.T) {
	g := Group{Op: "cumsum", DType: tensor.I32}
	fault := func(name, says string, put func(d tensor.Dense) (tensor.Dense, error)) {
		t.Run(name, func(t *testing.T) {
			o, err := Run(context.Background(), func(ctx context.Context, op tensor.Op, inputs ...tensor.Dense) (tensor.Dense, error) {
				d, err := twin(ctx, op, inputs...)
				require.NoError(t, err)
				return put(d)
			}, g, 1, func() {})
			require.NoError(t, err)
			require.False(t, o.OK())
			require.Contains(t, o.First, says)
		})
	}
	fault("one bit", "1 of ", func(d tensor.Dense) (tensor.Dense, error) {
		if len(d.Data) > 0 {
			d.Data[len(d.Data)-1] ^= 0x80
		}
		return d, nil
	})
	fault("shape", "must be int32", func(d tensor.Dense) (tensor.Dense, error) {
		d.Shape = append(slices.Clone(d.Shape), 1)
		return d, nil
	})
	fault("error", "out of luck", func(tensor.Dense) (tensor.Dense, error) {
		return tensor.Dense{}, errors.New("out of luck")
	})
}

func TestAnEndedContextEndsTheRun(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	_, err := Run(ctx, twin, Group{Op: "log1p", DType: tensor.F32}, 1, cancel)
	require.ErrorIs(t, err, context.Canceled)
}

func TestBitsAreShownMostSignificantFirst(t *testing.T) {
	one, err := tensor.Of([]float32{1, 2}, 2)
	require.NoError(t, err)
	other, err := tensor.Of([]float32{1, 3}, 2)
	require.NoError(t, err)
	require.Equal(t, "1 of 2 elements differ, the first at 1: 3 (0x40400000), must be 2 (0x40000000)", Compare(other, one))
	require.Empty(t, Compare(one, one))
}
