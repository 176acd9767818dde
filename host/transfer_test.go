package host

import (
	"context"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"vkops/tensor"
)

func TestStagedTransfers(t *testing.T) {
	const stage = 4096
	rt, _ := openTested(t, withStage(stage))
	for _, n := range []int{0, 1, stage/4 - 1, stage / 4, stage/4 + 1, 10 * stage, 10*stage + 3} {
		want := counting[float32](n)
		x, err := Upload(rt, want, tensor.Shape{n})
		require.NoError(t, err)
		got, err := x.Download(background, nil)
		require.NoError(t, err)
		assert.Equal(t, want, got, n)
		_, err = x.Mapped(background)
		assert.ErrorIs(t, err, ErrUnsupported)
		x.Free()
	}
	odd := counting[tensor.BFloat16](3*stage/2 + 1)
	x, err := Upload(rt, odd, tensor.Shape{len(odd)})
	require.NoError(t, err)
	got, err := x.Download(background, nil)
	require.NoError(t, err)
	assert.Equal(t, odd, got)

	sums, err := CumSum(background, rt, nil, counting[uint32](5000), tensor.Shape{5000}, tensor.CumSum{})
	require.NoError(t, err)
	assert.Equal(t, uint32(5000*5001/2), sums[4999])
}

func TestStagedTransfersOfManyGoroutines(t *testing.T) {
	rt, _ := openTested(t, withStage(4096))
	var wg sync.WaitGroup
	for g := range 8 {
		wg.Add(1)
		go func() {
			defer wg.Done()
			x := make([]int32, 10000+g)
			for i := range x {
				x[i] = int32(g)
			}
			for range 10 {
				b, err := Upload(rt, x, tensor.Shape{len(x)})
				if !assert.NoError(t, err) {
					return
				}
				got, err := b.Download(background, nil)
				assert.NoError(t, err)
				assert.Equal(t, x, got)
				b.Free()
			}
		}()
	}
	wg.Wait()
}

func TestEndedContextDuringStagedTransfers(t *testing.T) {
	rt, _ := openTested(t, withStage(4096))
	want := counting[float32](1 << 16)
	x, err := Upload(rt, want, tensor.Shape{len(want)})
	require.NoError(t, err)
	for range 20 {
		ended, cancel := context.WithCancel(background)
		go cancel()
		if got, err := x.Download(ended, nil); err != nil {
			assert.ErrorIs(t, err, context.Canceled)
		} else {
			assert.Equal(t, want, got)
		}
	}
	got, err := x.Download(background, nil)
	require.NoError(t, err)
	assert.Equal(t, want, got)
}

// TestWriteComesAfterEarlierReaders overwrites an input while the device is likely
// to be reading it.
func TestWriteComesAfterEarlierReaders(t *testing.T) {
	for name, opts := range map[string][]Option{"direct": nil, "staged": {withStage(1 << 16)}} {
		t.Run(name, func(t *testing.T) {
			rt, _ := openTested(t, opts...)
			const n = 1 << 20
			x := counting[uint32](n)
			b, err := Upload(rt, x, tensor.Shape{n})
			require.NoError(t, err)
			for range 5 {
				sums, err := CumSumTensor(rt, nil, b, tensor.CumSum{})
				require.NoError(t, err)
				require.NoError(t, b.Write(background, make([]uint32, n)))
				got, err := sums.Download(background, nil)
				require.NoError(t, err)
				require.NoError(t, b.Write(background, x))
				sum := uint32(0)
				for i, v := range x {
					if sum += v; sum != got[i] {
						t.Fatalf("element %d is %d, want %d", i, got[i], sum)
					}
				}
				sums.Free()
			}
		})
	}
}

func TestFreeWaitsForTransfers(t *testing.T) {
	rt, _ := openTested(t)
	x, err := Upload(rt, counting[float32](10), tensor.Shape{10})
	require.NoError(t, err)
	require.NoError(t, x.pin())
	x.Free()
	assert.NotNil(t, x.dev.buf.Mapped(), "a transfer is under way")
	assert.ErrorIs(t, x.pin(), ErrFreed)
	x.unpin()
	assert.Nil(t, x.dev.buf.Mapped())
}
